import { beforeEach, describe, expect, it } from 'vitest';
import { batchHome } from '../support/batch-home.js';
import { PENDING, person } from '../support/payroll.js';
import { payout } from '../support/requests.js';
import type { Result, RunOptions } from '../support/svc.js';

const here = batchHome([], 'live');
const { rows, paste } = here;
const HOUR_MS = 3_600_000;
const A = 'emp-0001';
let reads: 'failed' | 'gone' | 'page' | 'there';
beforeEach(() => void (reads = 'there'));

const options = (): RunOptions => ({
  transport: async (request, more) => {
    const answer = await here.shaky.transport(request, more);
    if (request.url.includes('/v2/events'))
      return { ...answer, body: Buffer.from('{"events":[],"next_cursor":null}') };
    const isRead = /\/v2\/(transactions|payouts)\/[0-9a-f-]{36}$/.test(request.url);
    if (reads === 'there' || !isRead || answer.status !== 200) return answer;
    if (reads === 'failed') {
      const failure = { code: 'counterparty_rejected', reason: 'invalid_account', message: 'Closed.' };
      const operation = JSON.parse(answer.body.toString()) as object;
      const failed = { ...operation, status: 'failed', pending_reason: null, failure };
      return { ...answer, body: Buffer.from(JSON.stringify(failed)) };
    }
    const error = { error: { code: 'not_found', message: 'Said by the service.' } };
    const body = Buffer.from(reads === 'gone' ? JSON.stringify(error) : '<html>Not found</html>');
    return { ...answer, status: 404, body };
  },
});
const svc = (line: string | readonly string[]): Promise<Result> => here.svc(line, options());
const SLOW = person(1, PENDING);
const pay = (batch: string, words = '--confirm-total VES:101.50'): Promise<Result> =>
  here.pay([SLOW], batch, `--first-here ${words}`, options());
const keys = () => new Set(here.shaky.posts.map(({ headers }) => headers['idempotency-key']));
const rowOf = async (batch = 'pay') => (await rows(batch))[A];
const follow = (): Promise<Result> => svc('batches resume pay --wait --json');
const resume = (): Promise<Result> => svc('batches resume pay --json');

describe('a row', () => {
  beforeEach(() => pay('pay'));

  it('is asked for again with its key, and keeps its operation until it is answered', async () => {
    const id = (await rowOf())?.['operation_id'];
    reads = 'gone';
    expect((await follow()).failure()).toBe('12 outcome_unknown');
    expect(await rowOf()).toMatchObject({ state: 'unknown', code: 'gone', operation_id: id });
    here.shaky.next('lost-before', 'lost-before', 'lost-before');
    const lost = await resume();
    expect(lost.exitCode, lost.stdout).toBe(12);
    expect(await rowOf()).toMatchObject({ state: 'unknown', code: 'no_answer', operation_id: id });
    expect((await resume()).json()).toMatchObject({ confirmed: 1 });
    expect(await rowOf()).toMatchObject({ operation_id: id });
    expect(keys().size).toBe(1);
  });

  it.each(['gone', 'page'] as const)('is followed on where it is only a %s for a while', async (how) => {
    reads = how;
    const waited = await svc('batches resume pay --wait-timeout 5s --json');
    expect(waited.exitCode, waited.stderr).toBe(how === 'gone' ? 12 : 8);
    reads = 'there';
    here.shaky.posts.length = 0;
    expect((await resume()).exitCode).toBe(0);
    expect((await follow()).json()).toMatchObject({ confirmed: 1 });
    expect(here.shaky.posts).toEqual([]);
  });

  it('that is older is read each time, and is for a person who is held to what the service has', async () => {
    const id = (await rowOf())?.['operation_id'];
    here.home.clock.advance(30 * HOUR_MS);
    reads = 'gone';
    here.shaky.posts.length = 0;
    expect((await svc('batches resume pay --wait --skip-feed-check --yes --json')).exitCode).toBe(12);
    expect((await svc('batches resume pay --json')).error()).toMatchObject({ code: 'needs_review' });
    expect(await rowOf()).toMatchObject({ state: 'needs_review', code: 'too_old', operation_id: id });
    reads = 'there';
    const refused = await svc(`batches resolve pay --reference ${A} --not-paid --yes --json`);
    expect(refused.failure()).toBe('13 operation_found');
    expect(refused.error()['message']).toContain(String(id));
    expect((await svc('batches resume pay --json')).json()).toMatchObject({ confirmed: 1 });
    expect(await rowOf()).toMatchObject({ operation_id: id });
    expect(here.shaky.posts).toEqual([]);
  });

  it('that stands behind another payment is for a person, and is sent once that never was', async () => {
    expect((await pay('next', '--skip-paid')).json()).toMatchObject({ pending: 1 });
    reads = 'gone';
    expect((await svc('batches resume next --wait --json')).failure()).toBe('12 needs_review');
    expect(await rowOf('next')).toMatchObject({ state: 'needs_review', code: 'gone' });
    reads = 'there';
    expect((await svc('batches resume next --json')).exitCode).toBe(0);
    expect(await rowOf('next')).toMatchObject({ state: 'earlier' });
    expect(keys().size).toBe(1);
  });
});

describe('a payment that another batch waits for as well', () => {
  const word = (batch: string) => svc(`batches resolve ${batch} --reference ${A} --not-paid --yes --json`);
  const until = async (batch: string): Promise<void> => {
    await svc(`batches resume ${batch} --wait --json`);
    await svc(`batches resume ${batch} --json`);
    expect(await rowOf(batch)).toMatchObject({ state: 'needs_review' });
  };
  const refused = async (said: Result, other: string): Promise<void> => {
    expect(said.failure(), said.stderr).toBe('13 reference_pending');
    const { next_command: next, message } = said.error();
    expect(next).toMatch(new RegExp(`^svc batches resume --wait .* ${other}$`));
    expect(message).toContain(`: ${String(next)}`);
    const followed = await paste(`${String(next)} --json`.replace(/(\S+) --json$/, '--json $1'), options());
    expect(followed.exitCode, followed.stderr).toBe(12);
    await until(other);
    expect((await word(other)).exitCode).toBe(0);
  };

  it.each([
    ['pay', 'next'],
    ['next', 'pay'],
  ])('as %s is followed in %s first, and is paid once by a retry', async (one, other) => {
    await pay('pay');
    await pay('next', '--skip-paid');
    here.home.clock.advance(30 * HOUR_MS);
    reads = 'gone';
    await until(one);
    await refused(await word(one), other);
    expect((await word(one)).exitCode).toBe(0);
    reads = 'there';
    const retried = await svc('batches retry pay --confirm-total VES:101.50 --json');
    expect(retried.json(), retried.stderr).toMatchObject({ failed: 0 });
    expect(keys().size).toBe(1);
  });

  it('as a single create is followed there first', async () => {
    await svc([...payout('00000002', '101.50'), '--reference', A]);
    await pay('next', '--skip-paid');
    here.home.clock.advance(30 * HOUR_MS);
    reads = 'gone';
    const { operation_id: id } = (await rowOf('next'))!;
    await svc(['transactions', 'get', id!]);
    const key = here.shaky.posts[0]?.headers['idempotency-key'] ?? '';
    const resolve = ['requests', 'resolve', key, '--not-paid', '--yes', '--json'];
    await refused(await svc(resolve), 'next');
    const said = await svc(resolve);
    expect(said.exitCode, said.stderr).toBe(0);
  });
});

describe('a single create', () => {
  const create = (...words: string[]) => svc([...payout('00000002'), '--reference', 'invoice-7', ...words]);

  it('is asked for again with its key by the same line', async () => {
    const id = (await create()).json()['id'];
    reads = 'gone';
    expect((await create()).json()).toMatchObject({ id });
    expect(keys().size).toBe(1);
    expect(here.shaky.posts).toHaveLength(2);
  });

  it('whose operation is gone while it is waited for leads to its own line', async () => {
    reads = 'gone';
    const waited = await create('--wait');
    expect(waited.exitCode, waited.stderr).toBe(8);
    const again = await paste(waited.error()['next_command'], options());
    expect(again.exitCode, again.stderr).toBe(0);
    expect(here.shaky.posts).toHaveLength(2);
    expect(keys().size).toBe(1);
  });

  it('that is older is read each time, and is for a person who is held to what the service has', async () => {
    const id = (await create()).json()['id'];
    here.home.clock.advance(30 * HOUR_MS);
    reads = 'gone';
    const old = await create();
    expect(old.error(), old.stderr).toMatchObject({ exit_code: 13, code: 'too_old', outcome: 'unknown' });
    reads = 'there';
    const word = ['requests', 'resolve', String(old.error()['idempotency_key']), '--not-paid', '--yes'];
    expect((await svc(word)).failure()).toBe('13 operation_found');
    expect((await create()).json()).toMatchObject({ id });
    expect(here.shaky.posts).toHaveLength(1);
  });

  it('that is there again and has failed may be called not paid', async () => {
    await create();
    here.home.clock.advance(30 * HOUR_MS);
    reads = 'gone';
    const key = String((await create()).error()['idempotency_key']);
    reads = 'failed';
    const said = await svc(['requests', 'resolve', key, '--not-paid', '--yes']);
    expect(said.exitCode, said.stderr).toBe(0);
    expect(here.shaky.posts).toHaveLength(1);
  });
});

describe('a batch that follows a pending payment', () => {
  const since = (): string => {
    here.home.clock.advance(600 * HOUR_MS);
    const at = new Date(here.home.clock.now()).toISOString().replace(/[.]\d+Z$/, 'Z');
    here.home.clock.advance(1000);
    return at;
  };

  it('of a single create leads on where that is gone, and pays nothing on a false word', async () => {
    await svc([...payout('00000002'), '--reference', A]);
    const line = `--confirm-total VES:101.50 --new-since ${since()}`;
    reads = 'gone';
    const waits = await pay('pay', line);
    expect(waits.failure(), waits.stderr).toBe('13 reference_pending');
    expect((await paste(waits.error()['next_command'], options())).exitCode).toBe(5);
    const open = await pay('pay', line);
    expect(open.failure(), open.stderr).toBe('13 references_paid');
    const [, resolve] = /(svc requests resolve .*), or --not-paid/.exec(open.error()['message'] as string)!;
    const said = await paste(resolve!.replace('--operation ID', '--not-paid --yes'), options());
    expect(said.exitCode, said.stderr).toBe(0);
    reads = 'there';
    expect((await pay('pay', line)).exitCode).toBe(12);
    expect(await rowOf()).toMatchObject({ code: 'idempotency_key_reused' });
    expect(keys().size).toBe(1);
  });

  it('of another batch names the line that follows it', async () => {
    await pay('before');
    const waits = await pay('pay', `--confirm-total VES:101.50 --new-since ${since()}`);
    expect(waits.failure(), waits.stderr).toBe('13 reference_pending');
    const [, follow] = /To follow it: (svc .*)/.exec(waits.error()['message'] as string)!;
    expect(follow).toMatch(/^svc batches resume --wait .*before$/);
    reads = 'gone';
    expect((await paste(follow, options())).exitCode).toBe(12);
    expect(await rowOf('before')).toMatchObject({ state: 'unknown', code: 'gone' });
  });
});
