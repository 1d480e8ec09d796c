import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { Stopped } from '../../src/runtime/ports.js';
import type { Result, RunOptions } from '../support/svc.js';
import { FAILING, PENDING, csv, fileIn, people, person } from '../support/payroll.js';
import { NOT_ARRIVED, refusal, UNAVAILABLE, type Fate } from '../support/shaky-sandbox.js';
import { batchHome } from '../support/batch-home.js';
import { payout } from '../support/requests.js';

const here = batchHome([person(0), person(1, FAILING), person(2)]);
const { svc, begin } = here;

const mended = person(1);

describe('a retry', () => {
  it('has nothing to do where nothing failed', async () => {
    fileIn(here.home.home, 'pay.csv', csv(people(4)));
    await begin();
    expect((await svc('batches retry pay')).exitCode).toBe(2);
    expect(here.shaky.posts).toHaveLength(4);
    here.shaky.next(refusal(401, 'unauthenticated'));
    await here.pay([person(7), person(8)], 'unsent');
    const unsent = { exit_code: 2, next_command: 'svc batches resume unsent' };
    expect((await svc('batches retry unsent --json')).error()).toMatchObject(unsent);
  });

  it('leaves alone what another batch has paid since: it is the row’s earlier one, and no failure', async () => {
    await begin();
    expect((await here.pay([mended], 'mended')).json()).toMatchObject({ confirmed: 1 });
    const posts = here.shaky.posts.length;
    const { operation_id: id } = (await here.rows('mended'))['emp-0001']!;
    const retried = await svc('batches retry pay --rate 1000/s --json');
    expect(retried.exitCode, retried.stderr).toBe(0);
    expect(retried.json()).toMatchObject({ confirmed: 2, earlier: 1, failed: 0 });
    expect(here.shaky.posts).toHaveLength(posts);
    expect((await here.rows())['emp-0001']).toMatchObject({ state: 'earlier', operation_id: id });
  });

  it('sends nothing while another batch has the reference under way', async () => {
    await begin();
    here.shaky.next(...NOT_ARRIVED);
    expect((await here.pay([mended], 'mended')).json()).toMatchObject({ unknown: 1 });
    const posts = here.shaky.posts.length;
    for (const words of ['', '--skip-paid']) {
      const refused = await svc(`batches retry pay --failed --json ${words}`);
      expect(refused.failure()).toBe('13 references_paid');
      expect(refused.error()['next_command']).toBe('svc batches resume mended');
    }
    expect(here.shaky.posts).toHaveLength(posts);
    expect((await svc('batches resume mended --json')).json()).toMatchObject({ confirmed: 1 });
    const settled = await svc('batches retry pay --failed --skip-paid --json');
    expect(settled.json()).toMatchObject({ confirmed: 2, earlier: 1 });
    expect(here.shaky.posts).toHaveLength(posts + 1);
  });

  it('is followed to the end of what it started, for as long as --wait-timeout says', async () => {
    here.shaky.next(refusal(400, 'method_unavailable'));
    expect((await here.pay([person(5, PENDING)], 'late')).json()).toMatchObject({ rejected: 1 });
    const result = await svc('batches retry late --failed --wait-timeout 5m --json');
    expect(result.json()).toMatchObject({ confirmed: 1 });
  });
});

describe('a row that was not paid', () => {
  const single = (words = ''): Promise<Result> =>
    svc([...payout('20000001', '101.50'), '--reference', 'emp-0001', ...words.split(' ').filter(Boolean)]);
  const BEFORE = '--new-since 2026-09-23T14:00:00Z';
  const later = (): string => {
    here.home.clock.advance(3_600_000);
    const since = new Date(here.home.clock.now()).toISOString().replace(/[.]\d+Z$/, 'Z');
    here.home.clock.advance(1000);
    return `--new-since ${since}`;
  };
  const failedId = async (): Promise<string> => (await here.rows())['emp-0001']!['operation_id']!;

  it.each<[string, () => Promise<Result>]>([
    ['another batch', () => here.pay([mended], 'mended')],
    ['a batch with another amount', () => here.pay([person(1, { amount: '99.00' })], 'mended')],
    ['a single create', () => single()],
    ['one with a key of its own', () => single('--idempotency-key own-key-1')],
    ['a batch that counts from before it', () => here.pay([mended], 'mended', BEFORE)],
    ['a create that counts from before it', () => single(BEFORE)],
  ])('and was paid since by %s is shown so, and ends well', async (_who, pay) => {
    expect((await begin()).exitCode).toBe(3);
    here.home.clock.advance(60_000);
    const paid = await pay();
    expect(paid.exitCode, paid.stderr).toBe(0);
    const posts = here.shaky.posts.length;
    const asked = { transport: () => Promise.reject(new Error('asked')) };
    const paidOnce = { confirmed: 2, earlier: 1, failed: 0 };
    expect((await svc('batches status pay --json', asked)).json()).toMatchObject(paidOnce);
    const shown = await svc('batches status pay', { ...asked, tty: { stdout: true } });
    expect(shown.stdout).not.toContain('retry');
    const resumed = await svc('batches resume pay --json');
    expect(resumed.exitCode, resumed.stderr).toBe(0);
    expect(resumed.json()).toMatchObject({ ...paidOnce, states: { earlier: 1 } });
    expect(await svc('batches retry pay --json')).toMatchObject({ exitCode: 2 });
    expect(here.shaky.posts).toHaveLength(posts);
  });

  it.each<[string, () => Promise<Result>]>([
    ['a batch that counts from later', () => here.pay([mended], 'mended', later())],
    ['a create that counts from later', () => single(later())],
    ['a create that names the failed one', async () => single(`--new-payment ${await failedId()}`)],
    ['another machine', () => here.pay([mended], 'mended', '', { env: here.machine('b') })],
  ])('stays so where %s has paid, and that is named', async (_who, pay) => {
    await begin();
    here.home.clock.advance(60_000);
    const paid = await pay();
    expect(paid.exitCode, paid.stderr).toBe(0);
    expect((await svc('batches status pay --json')).json()).toMatchObject({ failed: 1, earlier: 0 });
    const resumed = await svc('batches resume pay --json');
    expect(resumed.exitCode, resumed.stderr).toBe(3);
    expect(resumed.json()).toMatchObject({ confirmed: 2, failed: 1 });
    expect(resumed.stderr).toMatch(/later payments are theirs: emp-0001 \(operation [0-9a-f-]{36}\)/);
  });

  it('and was rejected is no other; a pending payment is followed to its end', async () => {
    await begin('answered', 'answered', refusal(400, 'method_unavailable'));
    here.home.clock.advance(60_000);
    const slow = person(2, PENDING);
    expect((await here.pay([slow], 'slow')).json()).toMatchObject({ pending: 1 });
    const resumed = await svc('batches resume pay --json');
    expect(resumed.json()).toMatchObject({ confirmed: 1, failed: 1, rejected: 0, pending: 1, earlier: 0 });
    const ended = await svc('batches resume pay --wait --json');
    expect(ended.json()).toMatchObject({ confirmed: 1, failed: 1, pending: 0, earlier: 1 });
  });
});

describe('a live batch of eight that was stopped', () => {
  const eight = people(8, (at) => (at === 1 ? FAILING : {}));
  const there = batchHome(eight, 'live');

  const FAILED_ONES = 'VES:204.00';
  const WHOLE = 'VES:832.00';
  const line = (words: string) =>
    there.svc(`payouts batch ${there.file} --batch pay --concurrency 1 --json ${words}`);
  const retry = (words: string, options?: RunOptions) =>
    there.svc(`batches retry pay --concurrency 1 --json ${words}`, options);
  const stopped = async (...fates: readonly Fate[]): Promise<void> => {
    const rejected = refusal(400, 'method_unavailable');
    there.shaky.next('answered', 'answered', rejected, ...fates, refusal(401, 'unauthenticated'));
    const result = await line(`--first-here --confirm-total ${WHOLE}`);
    expect(result.exitCode, result.stderr).toBe(4);
  };
  const references = (from: number): unknown[] =>
    there.shaky.posts.slice(from).map(({ body }) => /"reference":"([^"]*)/.exec(String(body))?.[1]);
  const triesOf = (): number[] => {
    const keyed = there.shaky.posts.map(({ headers }) => headers['idempotency-key']);
    const all = new Set(references(0).map((reference, at) => `${String(reference)} ${keyed[at]}`));
    const counts = Map.groupBy(all, (one) => one.split(' ')[0]);
    return [...counts].sort().map(([, keys]) => keys.length);
  };
  const withoutFailed = async (): Promise<object> => {
    const { 'emp-0001': _one, 'emp-0002': _two, ...others } = await there.rows();
    return others;
  };

  it.each<[string, readonly Fate[], number]>([
    ['unsent rows', [], 10],
    ['rows that the service could not take', UNAVAILABLE, 10],
    ['open rows', NOT_ARRIVED, 12],
  ])('leaves %s as they are', async (_what, fates, exitCode) => {
    const next = 'svc batches resume --live --insecure-loopback pay';
    await stopped(...fates);
    const [before, posts] = [await withoutFailed(), there.shaky.posts.length];
    const result = await retry(`--confirm-total ${FAILED_ONES}`);
    expect(references(posts)).toEqual(['emp-0001', 'emp-0002']);
    expect(result.exitCode, result.stderr).toBe(exitCode);
    expect(result.error()).toMatchObject({ next_command: next, retryable: false });
    expect(result.json()).toMatchObject({ confirmed: 2, failed: 1, rejected: 0 });
    expect(await withoutFailed()).toEqual(before);
    const resumed = await there.paste(next);
    expect(resumed.exitCode, resumed.stderr).toBe(3);
    expect(triesOf()).toEqual([1, 2, 1, 1, 1, 1, 1, 1]);
  });

  const WRONG = ['VES:832.00', 'VES:731.50', 'VES:102.50', 'VES:0.01', 'USD:204.00'];
  it.each(WRONG)('is retried by the total of what failed, and not by %s', async (total) => {
    await stopped();
    const posts = there.shaky.posts.length;
    for (const refused of [await retry(`--confirm-total ${total}`), await retry('')]) {
      expect(refused).toMatchObject({ exitCode: 13, stdout: '' });
      const line = 'svc batches retry pay --concurrency 1 --json --live --insecure-loopback';
      const said = `If these totals are right: ${line} --confirm-total ${FAILED_ONES}`;
      expect(refused.error()['message']).toContain(said);
    }
    expect(there.shaky.posts).toHaveLength(posts);
    const [, printed = ''] = /right: (svc .*)$/m.exec(String((await retry('')).error()['message'])) ?? [];
    expect((await there.paste(printed)).exitCode).toBe(10);
    expect(references(posts)).toEqual(['emp-0001', 'emp-0002']);
  });

  const SAID = [
    ['what is left', '--confirm-total VES:527.50', 3],
    ['the whole', `--confirm-total ${WHOLE}`, 3],
    ['what failed', `--confirm-total ${FAILED_ONES}`, 13],
    ['nothing', '', 3],
  ] as const;
  const WAYS = ['the same line', 'resume'].flatMap((how) => SAID.map((row) => [how, ...row] as const));
  it.each(WAYS)('goes on by %s, which says %s', async (how, _what, words, exitCode) => {
    await stopped();
    const result = await (how === 'resume' ? there.svc(`batches resume pay --json ${words}`) : line(words));
    expect(result.exitCode, result.stderr).toBe(exitCode);
    if (exitCode === 13) expect(String(result.error()['message'])).toContain('The total is VES 527.50');
    else expect(result.stderr).toContain('Left to send: VES 527.50 (5 rows).');
  });

  it('goes on by what was confirmed at first, where rows of it were left out', async () => {
    await there.pay([person(0), person(3)], 'before', '--first-here --confirm-total VES:204.00');
    there.shaky.next('answered', refusal(401, 'unauthenticated'));
    const first = '--skip-paid --confirm-total VES:628.00';
    expect((await line(first)).exitCode).toBe(4);
    expect((await line('--confirm-total VES:628.01')).error()).toMatchObject({ code: 'total_differs' });
    expect((await line(first)).json()).toMatchObject({ confirmed: 5, failed: 1, earlier: 2 });
  });

  it('stopped in a retry, goes on by resume, and another retry takes none of that along', async () => {
    await stopped();
    const signal = there.shaky.stopAt(there.shaky.posts.length + 1);
    expect((await retry(`--confirm-total ${FAILED_ONES}`, { signal })).exitCode).not.toBe(0);
    there.shaky.onPost = () => undefined;
    const posts = there.shaky.posts.length;
    const wrong = await retry(`--confirm-total ${FAILED_ONES}`);
    expect(wrong.error()['message']).toContain('The total is VES 101.50');
    const again = await retry('--failed --confirm-total VES:101.50');
    expect(references(posts)).toEqual(['emp-0001']);
    expect(again.failure()).toBe('10 rows_not_sent');
    const resumed = await there.paste(again.error()['next_command']);
    expect(resumed.stderr).toContain('Left to send: VES 630.00 (6 rows).');
    const { 'emp-0001': one, 'emp-0002': two } = await there.rows();
    expect([one?.['state'], two?.['state']]).toEqual(['failed', 'confirmed']);
  });

  it('says resume while anything is open, and retry only then', async () => {
    const tty = { stdout: true } as const;
    const shown = async (): Promise<string> =>
      stripVTControlCharacters((await there.svc('batches status pay', { tty })).stdout);
    const stop = new AbortController();
    there.shaky.onPost = () => there.shaky.posts.length === 2 && stop.abort(new Stopped('SIGINT', 130));
    const words = `--batch pay --concurrency 1 --first-here --confirm-total ${WHOLE}`;
    const result = await there.svc(`payouts batch ${there.file} ${words}`, { signal: stop.signal, tty });
    there.shaky.onPost = () => undefined;
    expect(result.exitCode).toBe(130);
    expect(result.stdout).not.toContain('retry');
    expect(await shown()).toMatch(/svc batches resume --live --insecure-loopback pay/);
    expect(await shown()).not.toContain('retry');
    await there.svc('batches resume pay');
    expect(await shown()).not.toContain('resume');
    expect(await shown()).toMatch(/svc batches retry --live --insecure-loopback pay$/m);
  });
});
