import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  checkBatch,
  announceSending,
  type ClearanceQuestion,
  type ClearanceWorld,
} from '../../../src/batches/check/clearance.js';
import type { Knowledge } from '../../../src/payments/known/evidence.js';
import { RETRIABLE } from '../../../src/storage/batches/row-state.js';
import type { Batch, BatchStore } from '../../../src/storage/batches/batch-store.js';
import { openBatchStore } from '../../../src/storage/batches/sqlite-store.js';
import { type OperationFacts, NO_FACTS } from '../../../src/contract/operation-facts.js';
import { referenceMark } from '../../../src/contract/marks.js';
import { fakeClock, type FakeClock } from '../../support/fake-clock.js';
import { testFolder } from '../../support/test-folder.js';
import { ASKING, FACTS, NOTHING_KNOWN, planned, plannedRow } from '../../storage/batches/given.js';
import { claimedAt } from '../../support/moments.js';
import type { SingleCreate } from '../../../src/payments/known/payments.js';

const PAID: OperationFacts = {
  ...NO_FACTS,
  ...{ id: 'op', status: 'confirmed', code: null, direction: 'payout', amount: '1.00', currency: 'VES' },
  createdAtMs: Date.parse('2026-09-23T14:00:00Z'),
};
const SETTLED = { state: 'settled', operation: 'op-9', status: 'confirmed' } as const;
const MARK_OF_FIRST = Buffer.from(referenceMark('r-0')).toString('hex');

let store: BatchStore;
let clock: FakeClock;
let batch: Batch;
let reads: number;
let feed: ReadonlyMap<string, readonly OperationFacts[]>;
let singles: SingleCreate[];
const world = (changes: Partial<Knowledge> = {}): ClearanceWorld => ({
  ...{ store, clock, signal: new AbortController().signal },
  isRepeatable: () => true,
  read: () => Promise.resolve(null),
  note: () => Promise.reject(new Error('a file is never in doubt')),
  knowledge: {
    ...NOTHING_KNOWN,
    bringUpToDate: (again) => {
      if (reads === 0 || again !== undefined) reads += 1;
      return Promise.resolve();
    },
    findByReferences: () => Promise.resolve(feed),
    newSingles: () => Promise.resolve(singles),
    ...changes,
  },
});
const leave = async (
  pauseMs = 0,
  meanwhile: () => unknown = () => undefined,
  { changes = {}, asking = ASKING }: { changes?: Partial<Knowledge>; asking?: ClearanceQuestion } = {},
): Promise<readonly number[]> => {
  const clearance = await checkBatch(batch, asking, world(changes));
  clock.advance(pauseMs);
  await meanwhile();
  return announceSending(batch, clearance, asking, world(changes));
};
const single = (changes: Partial<SingleCreate> = {}): SingleCreate => ({
  ...{ state: 'open', mayNotRepeat: false, follows: null, generation: null, sinceMs: null },
  ...{ key: 'k', operation: null, status: null, amount: '1.00', currency: 'VES' },
  ...{ referenceMark: Buffer.from(referenceMark('r-1')).toString('hex'), row: 1, accountTail: null },
  ...{ atMs: clock.now(), company: 'same' },
  ...changes,
});

const claim = (count: number) =>
  store.exchange(batch.id, [], { after: -1, count, states: ['planned'], ...claimedAt(clock.now()) });
const end = (ended: Parameters<BatchStore['exchange']>[1]) => store.exchange(batch.id, ended, null);

beforeEach(async () => {
  store = openBatchStore(join(testFolder(), 'batches.db'));
  clock = fakeClock(Date.parse('2026-09-23T15:00:00Z'));
  batch = await planned(
    store,
    [0, 1, 2].map((number) => plannedRow(number, 100n)),
  );
  [reads, feed, singles] = [0, new Map(), []];
});
afterEach(() => store.close());

it('nothing in the way: the batch leaves, and others see it', async () => {
  const before = await store.changes();
  await expect(leave()).resolves.toEqual([]);
  expect(await store.changes()).toBe(before + 1);
  expect(reads).toBe(1);
});

describe('what was found out', () => {
  it('is found out anew after a minute: a payment of meanwhile stands in the way', async () => {
    const paid = (): void => void (feed = new Map([['r-1', [PAID]]]));
    await expect(leave(60_001, paid)).rejects.toMatchObject({ facts: { code: 'references_paid' } });
    expect(reads).toBe(2);
  });

  it('holds for a minute, and the feed is not read again', async () => {
    await leave(60_000);
    expect(reads).toBe(1);
  });

  it('is found out anew where another batch was planned or began to send meanwhile', async () => {
    const other = async (): Promise<void> => {
      const facts = { ...FACTS, name: 'other' };
      const { id } = await planned(store, [plannedRow(0, 100n, facts, 'r-1')], facts);
      await store.exchange(id, [], { after: -1, count: 1, states: ['planned'], ...claimedAt(clock.now()) });
    };
    const facts = { code: 'references_paid', nextCommand: 'svc resume' };
    await expect(leave(0, other)).rejects.toMatchObject({ facts });
  });

  it('does not change by another batch that has none of these references', async () => {
    const facts = { ...FACTS, name: 'other' };
    const left = leave(0, () => planned(store, [plannedRow(0, 100n, facts, 'x')], facts));
    await expect(left).resolves.toEqual([]);
  });
});

describe('a single create that was put into the book while the batch took its leave', () => {
  it('comes first', async () => {
    const facts = { code: 'references_paid', nextCommand: 'svc repeat k', outcome: 'not_sent' };
    await expect(leave(0, () => singles.push(single()))).rejects.toMatchObject({ facts });
  });

  it('comes first too where what was paid is to be skipped: it was not asked about', async () => {
    const asking = { ...ASKING, skipsPaid: true };
    const skipping = leave(0, () => singles.push(single(SETTLED)), { asking });
    await expect(skipping).rejects.toMatchObject({ facts: { code: 'references_paid' } });
  });

  it.each<[string, Partial<SingleCreate>]>([
    ['has another reference', { referenceMark: Buffer.from(referenceMark('r-9')).toString('hex') }],
    ['has failed', { state: 'settled', operation: 'op', status: 'failed' }],
    ['is another company’s', { company: 'other' }],
  ])('does not where it %s', async (_name, changes) => {
    await expect(leave(0, () => singles.push(single(changes)))).resolves.toEqual([]);
  });

  it('does where a process that lives is about to send it', async () => {
    const left = leave(0, () => singles.push(single({ state: 'recorded' })));
    await expect(left).rejects.toMatchObject({ facts: { code: 'references_paid' } });
  });
});

describe('a retry', () => {
  const RETRY: ClearanceQuestion = { ...ASKING, states: RETRIABLE };
  const FAILED = { ...PAID, id: 'op-1', status: 'failed' } as const;
  const worked = async (): Promise<void> => {
    await claim(3);
    const at = { code: null, detail: null, sentAtMs: clock.now(), operationAtMs: clock.now() };
    await end([
      { ...at, number: 0, state: 'failed', operation: 'op-0', status: 'failed' },
      { ...at, number: 1, state: 'accepted', operation: 'op-1', status: 'pending' },
      { ...at, number: 2, state: 'confirmed', operation: 'op-2', status: 'confirmed' },
    ]);
  };
  const states = async (): Promise<string[]> => (await store.rows(batch.id, -1, 9)).map(({ state }) => state);

  it('starts what was confirmed and no more: what has failed meanwhile stays as it is', async () => {
    await worked();
    let hasFailed = false;
    const findByIds: Knowledge['findByIds'] = () =>
      Promise.resolve(new Map(hasFailed ? [['op-1', FAILED]] : []));
    const left = leave(60_001, () => (hasFailed = true), { changes: { findByIds }, asking: RETRY });
    await expect(left).resolves.toEqual([0]);
    expect(await states()).toEqual(['planned', 'failed', 'confirmed']);
  });

  it('gives what failed the next key and what was rejected its own, which nothing takes back', async () => {
    await claim(2);
    const at = { code: null, detail: null, sentAtMs: clock.now(), operationAtMs: null };
    await end([
      { ...at, number: 0, state: 'failed', operation: 'op-0', status: 'failed' },
      { ...at, number: 1, state: 'rejected', operation: null, status: null },
    ]);
    const generations = async () => (await store.rows(batch.id, -1, 2)).map(({ generation }) => generation);
    await expect(leave(0, () => undefined, { asking: RETRY })).resolves.toEqual([0, 1]);
    expect(await generations()).toEqual([2, 1]);
    await checkBatch(batch, ASKING, world());
    expect(await generations()).toEqual([2, 1]);
  });

  it('whose rows were put back to planned is gone on with by a resume', async () => {
    await worked();
    const paid = single({ ...SETTLED, referenceMark: MARK_OF_FIRST });
    const refused = leave(0, () => singles.push(paid), { asking: RETRY });
    await expect(refused).rejects.toMatchObject({ facts: { nextCommand: 'svc resume --skip-paid' } });
    expect(await states()).toEqual(['planned', 'accepted', 'confirmed']);
  });
});

it('asks again what may have changed: the clocks, and an open row of another batch', async () => {
  await claim(3);
  const none = { operation: null, status: null, operationAtMs: null, detail: 'x', sentAtMs: clock.now() };
  const codes = ['clocks_disagree', 'too_old', 'open_elsewhere'];
  await end(codes.map((code, number) => ({ ...none, number, state: 'needs_review', code })));
  await checkBatch(batch, ASKING, world());
  const rows = await store.rows(batch.id, -1, 3);
  expect(rows.map(({ state, sentAtMs }) => [state, sentAtMs])).toEqual([
    ['unknown', clock.now()],
    ['needs_review', clock.now()],
    ['unknown', clock.now()],
  ]);
});
