/** What the events hold about rows of a batch that nobody remembers, and what of it is no reason to stop. */
import { expect, it } from 'vitest';
import { findEarlier } from '../../../src/bulk/run/earlier-search.js';
import type { OperationClaims } from '../../../src/bulk/run/delivery.js';
import { planned, plannedRow } from '../given.js';
import { MemoryStore } from '../memory-store.js';

const operation = (
  reference: string | undefined,
  changes: Partial<OperationClaims> = {},
): OperationClaims => ({
  id: `op-${String(reference)}`,
  status: 'confirmed',
  code: null,
  reference,
  ...changes,
});

it('names each row whose reference an operation has, in the order of the file', async () => {
  const store = new MemoryStore();
  const rows = Array.from({ length: 2500 }, (_, number) => plannedRow(number, 100n));
  const batch = await planned(store, rows);
  const pages = [
    [operation('r-2499'), operation(undefined), operation('R-5'), operation('r-7', { status: 'failed' })],
    [operation('r-0', { status: 'pending' }), operation('r-9', { createdAt: 'young' }), operation('nobody')],
  ];
  const feed = (async function* () {
    await Promise.resolve();
    yield* pages;
  })();
  const earlier = await findEarlier(batch, store, feed, ({ createdAt }) => createdAt !== 'young');
  expect(earlier.map(({ line, reference, operation: { id } }) => [line, reference, id])).toEqual([
    [2, 'r-0', 'op-r-0'],
    [2501, 'r-2499', 'op-r-2499'],
  ]);
});
