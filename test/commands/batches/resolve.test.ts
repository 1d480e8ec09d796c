/** `svc batches resolve`: a person settles what nothing else can, and the service is asked whether that is so. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Stopped } from '../../../src/runtime/ports.js';
import { csv, fileIn, people } from '../../support/payroll.js';
import { ADDRESS, liveKey, shakySandbox, type Fate, type ShakySandbox } from '../../support/shaky-sandbox.js';
import { world, type Result, type RunOptions, type World } from '../../support/svc.js';

const NOBODY = '00000000-0000-4000-8000-000000000000';
let home: World;
let shaky: ShakySandbox;
let file: string;
let where: { readonly flags: string; readonly env: Readonly<Record<string, string>> };
beforeEach(() => {
  home = world();
  shaky = shakySandbox(home.clock);
  file = fileIn(home.home, 'pay.csv', csv(people(4)));
  where = { flags: '--json', env: shaky.env };
});
afterEach(() => {
  shaky.sandbox.close();
  home.remove();
});

const svc = (line: string, options: RunOptions = {}): Promise<Result> =>
  home.svc(`${line} ${where.flags}`, { transport: shaky.transport, ...options, env: where.env });
const resolve = (flags: string, options?: RunOptions): Promise<Result> =>
  svc(`batches resolve pay ${flags}`, options);
const thrice = (fate: Fate): Fate[] => [fate, fate, fate];
const rowOf = async (reference: string): Promise<Record<string, string>> => {
  const { rows } = (await svc('batches export pay')).json() as { rows: Record<string, string>[] };
  return rows.find((row) => row['reference'] === reference)!;
};

/** The first row was paid and nobody heard of it, the third was not; both are too old to be sent again. */
async function twoOldRows(confirmed = ''): Promise<void> {
  shaky.next(...thrice('lost-after'), 'answered', ...thrice('lost-before'));
  await svc(`payouts batch ${file} --batch pay --concurrency 1 ${confirmed}`);
  home.clock.advance(23.5 * 3_600_000);
  const result = await svc('batches resume pay');
  expect(result.exitCode, result.stderr).toBe(12);
  expect(result.error()).toMatchObject({
    next_command: expect.stringContaining('--state needs_review') as string,
  });
}

describe('a row that was paid', () => {
  beforeEach(() => twoOldRows());

  it('is named by its operation, and the service says that it is so', async () => {
    const { operation_id: id } = await rowOf('emp-0000');
    const posts = shaky.posts.length;
    const result = await resolve(`--reference emp-0000 --operation ${id!}`);
    expect(result.exitCode, result.stderr).toBe(0);
    expect(result.json()).toMatchObject({
      rows: 4,
      confirmed: 3,
      unknown: 1,
      totals: { VES: { total: '408.00' } },
    });
    expect(shaky.posts).toHaveLength(posts);
    expect(await rowOf('emp-0000')).toMatchObject({
      state: 'confirmed',
      operation_id: id,
      detail: expect.stringMatching(
        /^A person decided at 2026-09-24T14:30:0.Z: it is this operation[.]$/,
      ) as string,
    });
  });

  it('is not another row’s payment, nor one that is not there', async () => {
    const other = await rowOf('emp-0001');
    const taken = await resolve(`--reference emp-0000 --operation ${other['operation_id']!}`);
    expect(taken.error()).toMatchObject({ code: 'operation_differs', exit_code: 13 });
    const nobody = await resolve(`--reference emp-0000 --operation ${NOBODY}`);
    expect(nobody.error()).toMatchObject({ code: 'not_found', exit_code: 5 });
    expect((await resolve('--reference emp-0000 --operation x')).exitCode).toBe(2);
    expect((await resolve('--reference emp-0000 --not-paid --other-than x')).exitCode).toBe(2);
    expect(await rowOf('emp-0000')).toMatchObject({ state: 'needs_review' });
  });

  it('is not taken for unpaid: the events hold it, and the command that says so is named', async () => {
    const { operation_id: id } = await rowOf('emp-0000');
    const result = await resolve('--reference emp-0000 --not-paid');
    expect(result.error()).toMatchObject({
      code: 'operation_found',
      exit_code: 13,
      next_command: `svc batches resolve pay --reference emp-0000 --operation ${id!}`,
    });
    expect(await rowOf('emp-0000')).toMatchObject({ state: 'needs_review' });
    const other = await resolve(`--reference emp-0000 --not-paid --other-than ${NOBODY}`);
    expect(other.error()).toMatchObject({ code: 'operation_found' });
    expect((await resolve(`--reference emp-0000 --not-paid --other-than ${id!}`)).json()).toMatchObject({
      failed: 1,
    });
  });

  it('is not hidden by another payment with its reference, whoever has that', async () => {
    const { operation_id: id } = await rowOf('emp-0000');
    // The same reference in another batch: what its row is settled with stands before this one's in the events.
    const db = new DatabaseSync(join(home.home, '.local/state/svc/batches.db'));
    db.exec(`UPDATE rows SET operation = '${id!}' WHERE reference = 'emp-0003'`);
    db.close();
    const same = fileIn(home.home, 'same.csv', csv(people(1)));
    await svc(`payouts batch ${same} --batch other --allow-repeat`);
    const again = fileIn(home.home, 'again.csv', csv(people(1, () => ({ amount: '7.00' }))));
    shaky.next('lost-after', 'lost-after', 'lost-after');
    await svc(`payouts batch ${again} --batch third --allow-repeat`);
    const result = await resolve('--reference emp-0000 --not-paid');
    expect(result.error()).toMatchObject({
      code: 'operation_found',
      message: expect.stringMatching(/^[^]*, confirmed, 7.00 VES, of 2026/) as string,
    });
    expect(result.error()['message']).not.toContain(id);
  });

  it('is settled by one batch alone, whatever the reference', async () => {
    const { operation_id: id } = await rowOf('emp-0000');
    const store = join(home.home, '.local/state/svc/batches.db');
    const db = new DatabaseSync(store);
    db.exec(`UPDATE rows SET operation = '${id!}' WHERE reference = 'emp-0003'`);
    db.close();
    expect((await resolve(`--reference emp-0000 --operation ${id!}`)).error()).toMatchObject({
      code: 'operation_taken',
      message: expect.stringContaining('line 5 of batch pay') as string,
    });
  });
});

describe('a row that was not paid', () => {
  beforeEach(() => twoOldRows());

  it('counts as failed, and a retry pays it once, with another key', async () => {
    const { idempotency_key: before } = await rowOf('emp-0002');
    const result = await resolve('--reference emp-0002 --not-paid');
    expect(result.json()).toMatchObject({ confirmed: 2, failed: 1, unknown: 1 });
    await resolve(`--reference emp-0000 --operation ${(await rowOf('emp-0000'))['operation_id']!}`);
    expect((await svc('batches resume pay')).exitCode).toBe(3);
    const posts = shaky.posts.length;
    const retried = await svc('batches retry pay --failed');
    expect(retried.exitCode, retried.stderr).toBe(0);
    expect(retried.json()).toMatchObject({ confirmed: 4, unknown: 0 });
    expect(shaky.posts).toHaveLength(posts + 1);
    expect((await rowOf('emp-0002'))['idempotency_key']).not.toBe(before);
    expect(Object.values(await shaky.ledger())).toEqual([1, 1, 1, 1]);
  });

  it('stays in the books as decided, when and what', async () => {
    await resolve('--reference emp-0002 --not-paid');
    await svc('batches retry pay --failed');
    const db = new DatabaseSync(join(home.home, '.local/state/svc/batches.db'), { readOnly: true });
    const decisions = db
      .prepare('SELECT number, generation, decision, state, decided_at FROM decisions')
      .all();
    db.close();
    expect(decisions).toEqual([
      {
        number: 2,
        generation: 0,
        decision: 'not_paid',
        state: 'failed',
        decided_at: expect.any(Number) as number,
      },
    ]);
    const { decided_at: atMs } = decisions[0] as { decided_at: number };
    expect(new Date(atMs).toISOString()).toMatch(/^2026-09-24T14:30:0/);
  });
});

describe('a row that failed, was sent anew and was paid then', () => {
  /** The first row fails at the bank; its retry is carried out, and nobody hears of it. */
  it('is neither settled with what failed nor called unpaid', async () => {
    const failing = (at: number) => (at === 0 ? { 'beneficiary.document.number': '00000001' } : {});
    file = fileIn(home.home, 'pay.csv', csv(people(2, failing)));
    expect((await svc(`payouts batch ${file} --batch pay`)).json()).toMatchObject({ failed: 1 });
    const { operation_id: first } = await rowOf('emp-0000');
    const retryAfter = async (ms: number): Promise<void> => {
      home.clock.advance(ms);
      shaky.next(...thrice('lost-after'));
      await svc('batches retry pay --failed');
      home.clock.advance(23.5 * 3_600_000);
      await svc('batches resume pay');
    };
    await retryAfter(3_600_000);
    const { operation_id: second } = await rowOf('emp-0000');
    expect(second).not.toBe(first);
    expect(await rowOf('emp-0000')).toMatchObject({ state: 'needs_review' });
    const taken = await resolve(`--reference emp-0000 --operation ${first!}`);
    expect(taken.error()).toMatchObject({ code: 'operation_differs', exit_code: 13 });
    expect(taken.stderr).toContain('from before the row left');
  });
});

it('an operation that failed settles no row while the events hold a payment that may be the row’s', async () => {
  const failing = { amount: '100.50', 'beneficiary.document.number': '00000001' };
  const before = fileIn(home.home, 'before.csv', csv(people(1, () => failing)));
  await svc(`payouts batch ${before} --batch before`);
  const store = join(home.home, '.local/state/svc/batches.db');
  const db = new DatabaseSync(store);
  const [{ operation: failed }] = db.prepare('SELECT operation FROM rows').all() as [{ operation: string }];
  db.exec("UPDATE rows SET operation = 'nobody’s'");
  db.close();
  await twoOldRows();
  const { operation_id: id } = await rowOf('emp-0000');
  const result = await resolve(`--reference emp-0000 --operation ${failed}`);
  expect(result.error()).toMatchObject({
    code: 'operation_found',
    message: expect.stringContaining(id!) as string,
  });
  expect(
    (await resolve(`--reference emp-0000 --operation ${failed} --other-than ${id!}`)).json(),
  ).toMatchObject({ failed: 1 });
});

describe('the line of commands', () => {
  beforeEach(() => twoOldRows());

  it.each([
    ['--reference emp-0000', 2],
    ['--reference emp-0000 --operation x --not-paid', 2],
    ['--not-paid', 2],
    ['--reference nobody --not-paid', 5],
    ['--reference emp-0001 --not-paid', 13],
  ])('%s ends with %i and changes nothing', async (flags, exitCode) => {
    const result = await resolve(flags);
    expect(result.exitCode, result.stderr).toBe(exitCode);
    expect((await svc('batches status pay')).json()).toMatchObject({ confirmed: 2, unknown: 2 });
  });
});

describe('live', () => {
  const PERSON = { stdin: true, stderr: true } as const;
  beforeEach(async () => {
    where = {
      flags: '--json --live --insecure-loopback',
      env: { SVC_BASE_URL: ADDRESS, SVC_API_KEY: await liveKey(shaky) },
    };
    await twoOldRows('--confirm-total VES:408.00');
  });

  it('nobody says that a row was not paid without saying so twice, and its retry is confirmed by its total', async () => {
    expect((await resolve('--reference emp-0002 --not-paid')).error()).toMatchObject({
      code: 'not_confirmed',
      exit_code: 13,
    });
    const no = await resolve('--reference emp-0002 --not-paid', { tty: PERSON, stdin: 'no\n' });
    expect(no.exitCode).toBe(13);
    const yes = await resolve('--reference emp-0002 --not-paid', { tty: PERSON, stdin: 'yes\n' });
    expect(yes.exitCode, yes.stderr).toBe(0);
    expect(yes.stderr).toContain('emp-0002, VES 102.50');
    expect((await svc('batches retry pay --failed')).error()).toMatchObject({ code: 'not_confirmed' });
    const retried = await svc('batches retry pay --failed --confirm-total VES:102.50');
    expect(retried.json()).toMatchObject({ confirmed: 3, unknown: 1 });
  });

  it('a signal ends the question, and what is typed after it decides nothing', async () => {
    const stop = new AbortController();
    const onNote = (text: string): void => {
      if (text.includes('Type yes')) stop.abort(new Stopped('SIGINT', 130));
    };
    const asked = { tty: PERSON, stdin: 'yes\n', signal: stop.signal, onNote };
    const result = await resolve('--reference emp-0002 --not-paid', asked);
    expect(result.exitCode).toBe(130);
    expect(result.error()).toMatchObject({ code: 'stopped', outcome: 'not_sent' });
    expect(result.stderr).toContain('Nothing was changed.');
    expect(await rowOf('emp-0002')).toMatchObject({ state: 'needs_review' });
  });

  it('a script says --yes', async () => {
    expect((await resolve('--reference emp-0002 --not-paid --yes')).json()).toMatchObject({ failed: 1 });
  });
});
