import { describe, expect, it } from 'vitest';
import { twoEnds } from '../support/altered.js';
import { batchHome } from '../support/batch-home.js';
import { person } from '../support/payroll.js';
import { payout } from '../support/requests.js';
import { LOST } from '../support/shaky-sandbox.js';
import type { Result } from '../support/svc.js';

const here = batchHome([], 'live');
const { rows, paste } = here;
const { ends, said, options } = twoEnds(() => here.shaky.transport);
const svc = (line: string | readonly string[]): Promise<Result> => here.svc(line, options());
const A = 'emp-0001';
const B = 'emp-0002';
const OF_A = 'VES:101.50';
const OF_B = 'VES:102.50';

function pay(batch: string, total: string, numbers: number[], words = '', document = ''): Promise<Result> {
  const cells = document === '' ? {} : { 'beneficiary.document.number': document };
  const people = numbers.map((at) => person(at, at === 1 ? cells : {}));
  return here.pay(people, batch, `--first-here --confirm-total ${total} ${words}`, options());
}

async function contradicted(how: 'also' | 'instead' = 'also', document = ''): Promise<string> {
  await pay('first', OF_A, [1], '', document);
  const id = (await rows('first'))[A]?.['operation_id'] ?? '';
  ends.set(id, how);
  return id;
}

const posts = () => here.shaky.posts.map(({ body }) => /"reference":"([^"]*)"/.exec(String(body))?.[1]);
const stateOf = async (batch: string) => (await rows(batch))[A]?.['state'];

const WAYS = [
  ['confirmed by its answer and an event, and then failed', 'also', ''],
  ['confirmed by its answer, and failed by an event', 'instead', ''],
  ['failed by its answer and an event, and then confirmed', 'also', '00000001'],
  ['failed by its answer, and confirmed by an event', 'instead', '00000001'],
] as const;

describe.each(WAYS)('an operation that is %s', (_name, how, document) => {
  it.each([
    ['a new batch', ''],
    ['one that leaves out what was paid', '--skip-paid'],
    ['one that follows it', '--new-since 2026-09-24'],
  ])('keeps its row of %s back, and no other one', async (_what, words) => {
    const id = await contradicted(how, document);
    here.home.clock.advance(48 * 3_600_000);
    const next = await pay('next', OF_B, [1, 2], words);
    expect(next.exitCode, next.stderr).toBe(12);
    expect(next.json()).toMatchObject({ confirmed: 1, unknown: 1 });
    const { [A]: waits } = await rows('next');
    expect(waits).toMatchObject({ state: 'needs_review', code: 'contradicted', operation_id: id });
    expect(waits?.['detail']).toContain(`Operation ${id} was said to be confirmed, and to have failed.`);
    expect(posts()).toEqual([A, B]);
    expect((await svc('batches resume next --json')).exitCode).toBe(12);
    expect(posts()).toEqual([A, B]);
  });

  it('is told in its own batch, which no retry pays again', async () => {
    await contradicted(how, document);
    const line = document === '' ? 'batches resume first' : 'batches retry first';
    expect((await svc(`${line} --json`)).json()).toMatchObject({ unknown: 1, confirmed: 0, failed: 0 });
    expect(await stateOf('first')).toBe('needs_review');
    expect(posts()).toEqual([A]);
  });

  it.each(['confirmed', 'failed'])('is what a person is told: %s', async (status) => {
    const id = await contradicted(how, document);
    await pay('next', OF_B, [1, 2]);
    await svc('batches resume first --json');
    said.status = status;
    const refused = await svc([...payout(), '--reference', A]);
    const told = await paste(refused.error()['next_command'], options());
    expect(told.json(), told.stderr).toEqual({ idempotency_key: null, operation: id, status });
    expect(await stateOf('first')).toBe(status);
    expect(await stateOf('next')).toBe(status === 'failed' ? 'planned' : 'earlier');
    here.shaky.posts.length = 0;
    const [total, paid] = status === 'failed' ? [`--confirm-total ${OF_A}`, 2] : ['', 1];
    const resumed = await svc(`batches resume next --json ${total}`);
    expect(resumed.json(), resumed.stderr).toMatchObject({ unknown: 0, confirmed: paid });
    expect((await svc([...payout(), '--reference', A])).error()).toMatchObject({ code: 'reference_paid' });
    expect(posts()).toEqual(status === 'failed' ? [A] : []);
    expect((await paste(refused.error()['next_command'], options())).failure()).toBe('13 not_decidable');
  });

  it('is told in the batch that it belongs to, and in the one that it stands in the way of', async () => {
    const id = await contradicted(how, document);
    await pay('next', OF_B, [1, 2]);
    said.status = 'failed';
    const told = await svc(`batches resolve next --reference ${A} --operation ${id} --json`);
    expect(told.json(), told.stderr).toMatchObject({ not_sent: 1, confirmed: 1 });
    expect([await stateOf('first'), await stateOf('next')]).toEqual(['failed', 'planned']);
  });
});

it('is found by the answer to an open row, after an event that it failed', async () => {
  here.shaky.next(...LOST);
  await pay('first', OF_A, [1]);
  const made = (await svc(['events', 'list', '--all', '--jq', '.data.id'])).stdout.trim();
  ends.set(made, 'instead');
  const resumed = await svc('batches resume first --json');
  expect(resumed.exitCode, resumed.stderr).toBe(12);
  expect((await rows('first'))[A]).toMatchObject({ state: 'needs_review', code: 'contradicted' });
  said.status = 'confirmed';
  const told = await svc(`batches resolve first --reference ${A} --operation ${made} --json`);
  expect(told.json()).toMatchObject({ confirmed: 1, unknown: 0 });
  expect((await svc('batches resume first --json')).exitCode).toBe(0);
});

it('settles no row where nothing contradicts it, or it is pending', async () => {
  await pay('first', OF_A, [1]);
  const id = (await rows('first'))[A]?.['operation_id'] ?? '';
  for (const line of [
    `batches resolve first --reference ${A} --operation ${id}`,
    `requests resolve --operation ${id}`,
  ])
    expect((await svc(`${line} --json`)).failure()).toBe('13 not_decidable');
  ends.set(id, 'also');
  said.status = 'pending';
  await svc('batches resume first --json');
  const line = `batches resolve first --reference ${A} --operation ${id} --json`;
  expect((await svc(line)).failure()).toBe('13 operation_pending');
  expect(await stateOf('first')).toBe('needs_review');
});
