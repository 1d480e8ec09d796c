/** What every store of batches does, held to the one in memory and to the SQLite file alike. */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { renewRows } from '../../../src/bulk/run/renewal.js';
import { deriveKey } from '../../../src/bulk/key.js';
import { SENDABLE } from '../../../src/bulk/row-state.js';
import type { Batch, BatchStore, RowResult } from '../../../src/bulk/store/batch-store.js';
import { openBatchStore } from '../../../src/bulk/store/sqlite-store.js';
import { inThread } from '../../../src/bulk/store/threaded-store.js';
import { assertBalanced, counts, moneyOf } from '../../../src/bulk/tally.js';
import { threadsOf } from '../../../src/runtime/thread.js';
import { ROOT } from '../../house/source.js';
import { FACTS, planned, plannedRow, totalsOf } from '../given.js';
import { MemoryStore } from '../memory-store.js';

const folder = mkdtempSync(join(tmpdir(), 'svc-batches-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const newFile = (): string => join(folder, `batches-${(files += 1)}.db`);

const result = (number: number, changes: Partial<RowResult>): RowResult => ({
  number,
  state: 'confirmed',
  sentAtMs: 5,
  operation: `op-${number}`,
  code: null,
  detail: null,
  ...changes,
});
const ROWS = [100n, 250n, 1_000_000_000_000_000_000n - 1n, 7n, 50n].map((minor, number) =>
  plannedRow(number, minor),
);

const startThread = threadsOf({ folder: join(ROOT, 'dist'), extension: '.js' });

function openInThread(file: string): BatchStore {
  return inThread(openBatchStore(file), file, startThread);
}

describe.each<[string, () => BatchStore]>([
  ['in memory', () => new MemoryStore()],
  ['in SQLite', () => openBatchStore(newFile())],
  ['in SQLite, with its exchanges in a thread', () => openInThread(newFile())],
])('a store %s', (_name, open) => {
  let store: BatchStore;
  let batch: Batch;
  beforeEach(async () => {
    store = open();
    batch = await planned(store, ROWS);
  });
  const claim = { after: -1, count: 2, states: SENDABLE, nowMs: 7 };

  it('keeps what was planned', async () => {
    expect(batch).toMatchObject({ ...FACTS, rows: 5, confirmedAtMs: null });
    expect(batch.currencies.get('VES')).toEqual({ decimals: 2, rows: 5, minor: 1_000_000_000_000_000_406n });
    expect(await store.find('other')).toBeNull();
    await store.confirm(batch.id, 9);
    expect(await store.list()).toMatchObject([{ name: 'pay', confirmedAtMs: 9 }]);
  });

  it('takes rows in their order, each once, with their bytes', async () => {
    const first = [...(await store.exchange(batch.id, [], claim))];
    expect(first.map(({ number, before, sentAtMs }) => [number, before, sentAtMs])).toEqual([
      [0, 'planned', 7],
      [1, 'planned', 7],
    ]);
    expect(Buffer.from(first[1]!.body).toString()).toBe('{"amount":"2.50","reference":"r-1"}');
    expect((await store.rows(batch.id, -1, 9)).map(({ state }) => state)).toEqual([
      'intent',
      'intent',
      'planned',
      'planned',
      'planned',
    ]);
    const next = await store.exchange(batch.id, [result(0, {}), result(1, { state: 'unknown' })], {
      ...claim,
      after: 1,
      count: 9,
    });
    expect([...next].map(({ number }) => number)).toEqual([2, 3, 4]);
  });

  it('keeps when a row first left, whoever takes it again', async () => {
    await store.exchange(batch.id, [], claim);
    await store.exchange(batch.id, [result(1, { state: 'unavailable', sentAtMs: null })], null);
    const again = [...(await store.exchange(batch.id, [], { ...claim, nowMs: 99 }))];
    expect(again.map(({ before, sentAtMs }) => [before, sentAtMs])).toEqual([
      ['intent', 7],
      ['unavailable', 99],
    ]);
  });

  it('counts rows and money exactly, however large', async () => {
    await store.exchange(batch.id, [result(2, {}), result(3, { state: 'failed', code: 'rejected' })], null);
    const tally = await store.tally(batch.id);
    assertBalanced(batch, tally);
    expect(counts(tally)).toMatchObject({ confirmed: 1, failed: 1, not_sent: 3, unknown: 0 });
    expect(moneyOf(batch, tally)).toMatchObject({
      VES: {
        total: '10000000000000004.06',
        confirmed: '9999999999999999.99',
        failed: '0.07',
        not_sent: '4.00',
      },
    });
    expect((await store.largest(batch.id, 2)).map(({ number }) => number)).toEqual([2, 1]);
    const unbalanced = { ...batch, ...totalsOf(ROWS.slice(1)) };
    expect(() => assertBalanced(unbalanced, tally)).toThrow('do not balance');
  });

  it('starts failed rows anew with another key, and rejected ones with their own', async () => {
    await store.exchange(
      batch.id,
      [result(0, { state: 'failed' }), result(1, { state: 'rejected' }), result(2, {})],
      null,
    );
    expect(await renewRows(batch, store)).toBe(2);
    const rows = [...(await store.exchange(batch.id, [], { ...claim, count: 9 }))];
    expect(rows.map(({ number, generation, key }) => [number, generation, key])).toEqual([
      [0, 1, deriveKey(FACTS, 'r-0', 1)],
      [1, 0, deriveKey(FACTS, 'r-1', 0)],
      [3, 0, deriveKey(FACTS, 'r-3', 0)],
      [4, 0, deriveKey(FACTS, 'r-4', 0)],
    ]);
  });

  it('finds equal references, and equal people and amounts', async () => {
    const twin = { ...plannedRow(1, 100n, FACTS, 'other'), twinMark: ROWS[0]!.twinMark };
    const id = await store.begin({ ...FACTS, name: 'pairs' });
    await store.add(id, [ROWS[0]!, twin, { ...plannedRow(2, 5n, FACTS, 'R - 0'), line: 9 }]);
    expect(await store.pairs(id, 'reference', 9)).toEqual([
      { line: 9, reference: 'R - 0', otherLine: 2, otherReference: 'r-0', otherBatch: '' },
    ]);
    expect(await store.pairs(id, 'twin', 9)).toEqual([
      { line: 3, reference: 'other', otherLine: 2, otherReference: 'r-0', otherBatch: '' },
    ]);
  });

  it('finds rows of other batches that were or will be paid, and none that were refused', async () => {
    const second = await store.begin({ ...FACTS, name: 'again' });
    await store.add(second, ROWS);
    await store.exchange(batch.id, [result(0, { state: 'rejected' }), result(1, {})], null);
    expect(
      (await store.repeats(second, 9)).map(({ otherLine, otherBatch }) => [otherLine, otherBatch]),
    ).toEqual([
      [3, 'pay'],
      [4, 'pay'],
      [5, 'pay'],
      [6, 'pay'],
    ]);
    const elsewhere = await store.begin({ ...FACTS, name: 'elsewhere', environment: 'live' });
    await store.add(elsewhere, ROWS);
    expect(await store.repeats(elsewhere, 9)).toEqual([]);
  });

  it('forgets a plan that was not finished', async () => {
    const id = await store.begin({ ...FACTS, name: 'half' });
    await store.add(id, ROWS);
    expect(await store.find('half')).toBeNull();
    const again = await store.begin({ ...FACTS, name: 'half' });
    await store.add(again, ROWS.slice(0, 2));
    await store.finish(again, totalsOf(ROWS.slice(0, 2)));
    expect(await store.find('half')).toMatchObject({ rows: 2 });
    await store.discard(again);
    expect(await store.find('half')).toBeNull();
  });
});

it('keeps the file from everybody else, and what was acknowledged when it is opened again', async () => {
  const file = newFile();
  const store = openBatchStore(file);
  const batch = await planned(store, ROWS);
  await store.exchange(batch.id, [result(0, { code: 'x', detail: 'y' })], null);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const other = openBatchStore(file);
  expect((await other.rows(batch.id, -1, 1))[0]).toMatchObject({
    state: 'confirmed',
    operation: 'op-0',
    code: 'x',
    detail: 'y',
  });
  await store.close();
  await other.close();
});
