import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NO_FACTS } from '../../../src/contract/operation-facts.js';
import type { Knowledge } from '../../../src/payments/known/evidence.js';
import type { KnownPayment } from '../../../src/payments/known/payments.js';
import { resultAfterTakeover, settleTakeover } from '../../../src/batches/check/takeover.js';
import { ROW_STATES } from '../../../src/storage/batches/row-state.js';
import type { Batch, BatchStore } from '../../../src/storage/batches/batch-store.js';
import type { ShownRow } from '../../../src/storage/batches/row.js';
import { openBatchStore } from '../../../src/storage/batches/sqlite-store.js';
import { testFolder } from '../../support/test-folder.js';
import { NOTHING_KNOWN, planned, plannedRow } from '../../storage/batches/given.js';

const MINUTE_MS = 60_000;
const PLANNED_MS = Date.parse('2026-10-28T09:00:00Z');
const BATCH = { direction: 'payout', createdAtMs: PLANNED_MS, sinceMs: null } as const;
const NOTHING = { operation: null, status: null, operationAtMs: null, code: null, detail: null } as const;
const ROW: ShownRow = {
  ...{ number: 3, line: 4, reference: 'emp-3', currency: 'VES', amount: '1.50', follows: null },
  ...{ generation: 1, key: 'k', twinMark: 'aa', state: 'planned', sentAtMs: null },
  ...NOTHING,
};
const PAID: KnownPayment = {
  ...{ operation: 'op', status: 'confirmed', direction: 'payout', amount: '1.5', currency: 'VES' },
  ...{ atMs: PLANNED_MS + MINUTE_MS, source: { kind: 'feed' }, isOurs: true, row: null, accountTail: null },
  twinMark: null,
};
const young = (): boolean => true;
const old = (): boolean => false;

describe('a payment of the feed that a row may have made', () => {
  it.each(['planned', 'unavailable'] as const)('is answered again for a row that is %s', (state) => {
    expect(resultAfterTakeover(BATCH, { ...ROW, state }, [PAID], young)).toEqual({
      ...NOTHING,
      ...{ number: 3, stateBefore: state, state: 'unknown', sentAtMs: PAID.atMs, code: 'taken_over' },
    });
  });

  it.each([
    ['is too old for that', ROW, PAID, old],
    ['does not say when it was made', ROW, { ...PAID, atMs: null }, young],
    ['is of a row that failed', { ...ROW, state: 'failed', operation: 'op-1' }, PAID, young],
    ['is of a row that was rejected', { ...ROW, state: 'rejected' }, PAID, young],
  ] as const)('waits for a person where it %s', (_why, row, payment, isRepeatable) => {
    expect(resultAfterTakeover(BATCH, row, [payment], isRepeatable)).toMatchObject({
      ...{ number: 3, stateBefore: row.state, state: 'needs_review', operation: 'op', status: 'confirmed' },
      sentAtMs: payment.atMs ?? PLANNED_MS,
    });
  });

  it('is as old as the service says, from its very moment', () => {
    const asked: number[] = [];
    resultAfterTakeover(BATCH, ROW, [PAID], (sentAtMs) => asked.push(sentAtMs) > 0);
    expect(asked).toEqual([PAID.atMs]);
  });

  it.each([
    ['there is none', []],
    ['there are two', [PAID, { ...PAID, operation: 'op-2' }]],
    ['it is of another amount', [{ ...PAID, amount: '1.51' }]],
    ['another batch holds it', [{ ...PAID, source: { kind: 'batch', batch: 'april', line: 1 } }]],
    ['a single create made it', [{ ...PAID, source: { kind: 'request', key: 'k' } }]],
    ['it was there before the batch', [{ ...PAID, atMs: PLANNED_MS - 11 * MINUTE_MS }]],
  ] as const)('is left to the rules for every batch where %s', (_why, payments) => {
    expect(resultAfterTakeover(BATCH, ROW, payments, young)).toBeNull();
  });

  it('is another one where the batch says since when', () => {
    const batch = { ...BATCH, sinceMs: PLANNED_MS + 2 * MINUTE_MS };
    expect(resultAfterTakeover(batch, ROW, [PAID], young)).toBeNull();
    const later = { ...PAID, operation: 'op-2', atMs: PLANNED_MS + 3 * MINUTE_MS };
    expect(resultAfterTakeover(batch, ROW, [PAID, later], young)).toMatchObject({ sentAtMs: later.atMs });
  });

  it('may be a few minutes older than the batch: clocks differ', () => {
    const row = resultAfterTakeover(BATCH, ROW, [{ ...PAID, atMs: PLANNED_MS - 9 * MINUTE_MS }], young);
    expect(row).toMatchObject({ state: 'unknown' });
  });

  it('is no news to a row that knows that it left', () => {
    const others = ROW_STATES.filter(
      (state) => !['planned', 'unavailable', 'failed', 'rejected'].includes(state),
    );
    for (const state of others)
      expect(resultAfterTakeover(BATCH, { ...ROW, state, sentAtMs: PLANNED_MS }, [PAID], young)).toBeNull();
  });
});

describe('a batch', () => {
  const SERVER = { cluster: 'c', timeline: 2 };
  let store: BatchStore;
  let batch: Batch;
  let done: unknown[];
  beforeEach(async () => {
    store = openBatchStore(join(testFolder(), 'batches.db'));
    batch = await planned(store, [plannedRow(0, 100n), plannedRow(1, 100n)]);
    done = [];
  });
  afterEach(() => store.close());
  const settle = (isInDoubt: boolean, changes: Partial<Knowledge> = {}): ReturnType<typeof settleTakeover> =>
    settleTakeover(batch, {
      store: {
        ...store,
        findChangedServer: () => Promise.resolve(isInDoubt ? SERVER : null),
        trustServer: (id, server) => Promise.resolve(void done.push([id, server])),
      },
      knowledge: {
        ...NOTHING_KNOWN,
        bringUpToDate: (again) => Promise.resolve(void done.push(again ?? 'once')),
        ...changes,
      },
      signal: new AbortController().signal,
      note: (text) => Promise.resolve(void done.push(text)),
      isRepeatable: young,
    });

  it('that is in no doubt is not asked about', async () => {
    await settle(false);
    expect(done).toEqual([]);
  });

  it('in doubt reads the feed whatever was skipped, and is in none once all its rows were looked at', async () => {
    const made = { id: 'op', status: 'confirmed', createdAtMs: batch.createdAtMs + MINUTE_MS };
    const operation = { ...NO_FACTS, ...made, direction: 'payout' as const };
    const feed = new Map([['r-1', [{ ...operation, amount: '1.00', currency: 'VES' }]]]);
    await settle(true, { findByReferences: () => Promise.resolve(feed) });
    const note = 'Another database server took over: 1 row counts as sent, 0 wait for a person.';
    expect(done).toEqual(['always', 'once', [batch.id, SERVER], note]);
    const states = (await store.rows(batch.id, -1, 9)).map(({ state }) => state);
    expect(states).toEqual(['planned', 'unknown']);
  });

  it('stays in doubt where the feed cannot be read', async () => {
    const unreadable = new Error('unreadable');
    await expect(settle(true, { bringUpToDate: () => Promise.reject(unreadable) })).rejects.toBe(unreadable);
    expect(done).toEqual([]);
  });
});
