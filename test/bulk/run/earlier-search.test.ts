/** What the events hold about rows of a batch that nobody remembers, and what of it is no reason to stop. */
import { expect, it } from 'vitest';
import { findEarlier } from '../../../src/bulk/run/earlier-search.js';
import type { OperationClaims } from '../../../src/bulk/run/delivery.js';
import { FACTS, planned, plannedRow } from '../given.js';
import { MemoryStore } from '../memory-store.js';

const OLD = '2026-09-20T12:00:00Z';
const operation = (
  reference: string | undefined,
  changes: Partial<OperationClaims> = {},
): OperationClaims => ({
  id: `op-${String(reference)}`,
  status: 'confirmed',
  code: null,
  reference,
  createdAt: OLD,
  ...changes,
});

const YOUNG = '2026-09-22T12:00:00Z';
const isYoung = (createdAtMs: number): boolean => createdAtMs === Date.parse(YOUNG);

async function search(count: number, pages: OperationClaims[][]) {
  const store = new MemoryStore();
  const rows = Array.from({ length: count }, (_, number) => plannedRow(number, 100n));
  const batch = await planned(store, rows);
  return { store, batch, earlier: await findEarlier(batch, store, feedOf(pages), isYoung) };
}

async function* feedOf(pages: OperationClaims[][]) {
  await Promise.resolve();
  yield* pages;
}

it('names each row whose reference an operation has, in the order of the file', async () => {
  const { earlier } = await search(2500, [
    [operation('r-2499'), operation(undefined), operation('R-5'), operation('r-7', { status: 'failed' })],
    [operation('r-0', { status: 'pending' }), operation('r-9', { createdAt: YOUNG }), operation('nobody')],
  ]);
  expect(earlier.first.map(({ line, reference, operation: { id } }) => [line, reference, id])).toEqual([
    [2, 'r-0', 'op-r-0'],
    [2501, 'r-2499', 'op-r-2499'],
  ]);
  expect(earlier.rows).toBe(2);
});

it('counts all, and keeps the first', async () => {
  const pages = Array.from({ length: 2500 }, (_, number) => [operation(`r-${2499 - number}`)]);
  const { earlier } = await search(2500, pages);
  expect(earlier.rows).toBe(2500);
  expect(earlier.first).toHaveLength(20);
  const [first] = earlier.first;
  expect(first).toMatchObject({ operation: { reference: first!.reference } });
});

it('counts a row as sent when the young operation was made, so that no later sending pays it again', async () => {
  const { store, batch, earlier } = await search(3, [[operation('r-1', { createdAt: YOUNG })]]);
  expect(earlier.rows).toBe(0);
  const rows = await store.rows(batch.id, -1, 9);
  expect(rows.map(({ state, sentAtMs }) => [state, sentAtMs])).toEqual([
    ['planned', null],
    ['unknown', Date.parse(YOUNG)],
    ['planned', null],
  ]);
});

it('passes over what other batches of this store are settled with, and not over what they only name', async () => {
  const store = new MemoryStore();
  const other = await planned(store, [plannedRow(0, 100n), plannedRow(1, 100n)], { ...FACTS, name: 'other' });
  const settled = { sentAtMs: 1, code: null, detail: null } as const;
  await store.exchange(
    other.id,
    [
      { ...settled, number: 0, state: 'confirmed', operation: 'op-r-0' },
      { ...settled, number: 1, state: 'needs_review', operation: 'op-r-1' },
    ],
    null,
  );
  const batch = await planned(store, [plannedRow(0, 100n), plannedRow(1, 100n)]);
  const { first } = await findEarlier(batch, store, feedOf([[operation('r-0'), operation('r-1')]]), isYoung);
  expect(first.map(({ reference }) => reference)).toEqual(['r-1']);
});
