import { describe, expect, it } from 'vitest';
import { FAILING, people, person } from '../support/payroll.js';
import { refusal, type Fate } from '../support/shaky-sandbox.js';
import { batchHome } from '../support/batch-home.js';
import type { Result } from '../support/svc.js';

const NOBODY = '00000000-0000-4000-8000-000000000000';
const here = batchHome(people(2));
const { svc } = here;
const resolve = (flags: string): Promise<Result> => svc(`batches resolve pay ${flags} --json`);
const first = async (): Promise<Readonly<Record<string, string>>> => (await here.rows())['emp-0000']!;

const mismatched = async (): Promise<string> => {
  const other: Fate = { status: 201, body: { id: NOBODY, status: 'confirmed', amount: '1.00' } };
  const result = await here.begin(other, other);
  expect(result.json()).toMatchObject({ states: { needs_review: 1, confirmed: 1 } });
  const { body } = await here.shaky.transport(here.shaky.posts[0]!, { timeoutMs: 1000 });
  return (JSON.parse(Buffer.from(body).toString('utf8')) as { id: string }).id;
};
const reused = async (changes = {}): Promise<string> => {
  await here.pay([person(0, changes)], 'before', '', { env: here.machine('b') });
  const result = await svc(`payouts batch ${here.file} --skip-feed-check --concurrency 1 --json`);
  expect(result.json()).toMatchObject({ states: { needs_review: 1, confirmed: 1 } });
  expect(result.stderr).not.toContain('nothing of them was paid');
  expect(await first()).toMatchObject({ code: 'idempotency_key_reused', operation_id: '' });
  return (await here.rows('before', here.machine('b')))['emp-0000']!['operation_id']!;
};

it('a batch that waits for a person only is not finished: typed again, it says once more what leads on', async () => {
  const operation = await mismatched();
  const posts = here.shaky.posts.length;
  const again = await svc(`payouts batch ${here.file} --concurrency 1 --json`);
  expect(again.json()).toMatchObject({ states: { needs_review: 1, confirmed: 1 } });
  expect(again.failure()).toBe('12 needs_review');
  expect(again.error()['next_command']).toBe('svc batches export --state needs_review pay');
  await resolve(`--reference emp-0000 --operation ${operation}`);
  const paid = await svc(`payouts batch ${here.file} --concurrency 1 --json`);
  expect(paid.failure()).toBe('13 batch_finished');
  expect(here.shaky.posts).toHaveLength(posts);
});

it('is asked for by the status of a batch at a terminal, with the line that shows what is known', async () => {
  await mismatched();
  const tty = { stdout: true, stderr: true };
  const { stdout, stderr } = await svc('batches status pay', { tty, env: { NO_COLOR: '1' } });
  expect(stdout).toMatch(/✗ unknown +1 +\d+\.\d+\n +needs_review +1\n/);
  expect(stderr).toContain('Next: svc batches export --state needs_review');
});

describe('a row whose answer was about another payment', () => {
  it('is named by its operation, and the service says that it is so', async () => {
    const id = await mismatched();
    const posts = here.shaky.posts.length;
    const result = await resolve(`--reference emp-0000 --operation ${id}`);
    expect(result.exitCode, result.stderr).toBe(0);
    const totals = { VES: { confirmed: '202.00' } };
    expect(result.json()).toMatchObject({ confirmed: 2, unknown: 0, totals });
    expect(here.shaky.posts).toHaveLength(posts);
    const { detail, ...row } = await first();
    expect(row).toMatchObject({ state: 'confirmed', operation_id: id });
    expect(detail).toMatch(/^A person decided at 2026-09-23T15:00:..Z: it is this operation[.]$/);
    expect((await resolve(`--reference emp-0000 --operation ${id}`)).failure()).toBe('13 not_decidable');
    expect((await resolve('--reference emp-0001 --not-paid')).failure()).toBe('13 not_decidable');
  });

  it('is not another row’s payment, nor one that is not there', async () => {
    await mismatched();
    const { operation_id: taken } = (await here.rows())['emp-0001']!;
    const another = await resolve(`--reference emp-0000 --operation ${taken!}`);
    expect(another.failure()).toBe('13 operation_differs');
    expect((await resolve(`--reference emp-0000 --operation ${NOBODY}`)).failure()).toBe('5 not_found');
    expect((await resolve('--reference emp-0000 --operation x')).exitCode).toBe(2);
    expect(await first()).toMatchObject({ state: 'needs_review' });
  });

  it('is not taken for unpaid: the events hold what may be its payment, and it is named', async () => {
    const id = await mismatched();
    const result = await resolve('--reference emp-0000 --not-paid');
    expect(result.failure()).toBe('13 operation_found');
    expect(result.error()['message']).toMatch(
      new RegExp(`If this is its payment: svc batches resolve --reference emp-0000 --operation ${id} \\S+$`),
    );
    expect(await first()).toMatchObject({ state: 'needs_review' });
  });
});

describe('a row that was answered 409', () => {
  it.each([
    ['another amount', { amount: '7.00' }],
    ['the same amount', { 'beneficiary.name': 'Otra Persona' }],
  ])('because a payment with %s has its key is never confirmed by it', async (_name, changes) => {
    const id = await reused(changes);
    const result = await resolve(`--reference emp-0000 --operation ${id}`);
    expect(result.json()).toMatchObject({ confirmed: 1, earlier: 1, unknown: 0 });
    expect(await first()).toMatchObject({ state: 'earlier', code: 'decided', operation_id: id });
    expect(Object.values(await here.shaky.ledger())).toEqual([1, 1]);
  });

  it('is never called unpaid, whatever a person says', async () => {
    await reused({ amount: '7.00' });
    for (const more of ['', '--yes', '--skip-feed-check'])
      expect((await resolve(`--reference emp-0000 --not-paid ${more}`)).failure()).toBe('13 operation_found');
    expect(await first()).toMatchObject({ state: 'needs_review' });
  });
});

it('an operation that failed settles no row that was sent anew since: it is an earlier try', async () => {
  await here.pay([person(0, FAILING)], 'pay');
  const { operation_id: failed } = await first();
  here.home.clock.advance(3_600_000);
  const other: Fate = { status: 201, body: { id: NOBODY, status: 'confirmed', amount: '1.00' } };
  here.shaky.next(other, other);
  await svc('batches retry pay --failed');
  expect(await first()).toMatchObject({ state: 'needs_review' });
  const taken = await resolve(`--reference emp-0000 --operation ${failed!}`);
  expect(taken.failure()).toBe('13 operation_differs');
  expect(taken.stderr).toContain('belongs to an earlier try of this row');
});

it.each([
  ['--reference emp-0000', 2],
  ['--reference emp-0000 --operation x --not-paid', 2],
  ['--not-paid', 2],
  ['--reference nobody --not-paid', 5],
  ['--reference emp-0001 --not-paid', 13],
  ['--reference EMP-0001 --not-paid', 13],
])('%s ends with %i and changes nothing', async (flags, exitCode) => {
  await here.begin(refusal(302, 'moved'));
  const result = await resolve(flags);
  expect(result.exitCode, result.stderr).toBe(exitCode);
  expect((await svc('batches status pay')).json()).toMatchObject({ confirmed: 1, unknown: 1 });
});
