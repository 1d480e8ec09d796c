/** What the events say about rows that a person has to decide about: every operation that may be theirs, and none of an earlier try. */
import { beforeEach, expect, it } from 'vitest';
import { searchFeed } from '../../../src/bulk/run/feed-search.js';
import type { OperationClaims } from '../../../src/bulk/run/delivery.js';
import type { Batch, RowResult } from '../../../src/bulk/store/batch-store.js';
import { planned, plannedRow } from '../given.js';
import { MemoryStore } from '../memory-store.js';

const SENT_MS = Date.parse('2026-09-22T12:00:00Z');
const ROWS = 2500;
const blocks: number[] = [];

class CountingStore extends MemoryStore {
  override exchange(...args: Parameters<MemoryStore['exchange']>): ReturnType<MemoryStore['exchange']> {
    blocks.push(args[1].length);
    return super.exchange(...args);
  }
}

let store: MemoryStore;
let batch: Batch;
beforeEach(async () => {
  store = new CountingStore();
  batch = await planned(
    store,
    Array.from({ length: ROWS }, (_, number) => plannedRow(number, 100n)),
  );
  const old = (number: number): RowResult => {
    const known = { sentAtMs: SENT_MS, operation: null, detail: null };
    return { ...known, number, state: 'needs_review', code: number === 9 ? 'answer_mismatch' : 'too_old' };
  };
  await store.exchange(
    batch.id,
    Array.from({ length: ROWS }, (_, number) => old(number)),
    null,
  );
  blocks.length = 0;
});

const operation = (id: string, status: string, createdAt: string, reference = 'r-1'): OperationClaims => ({
  ...{ id, status, code: null, amount: '1.00', currency: 'VES', reference, createdAt },
});
const search = (...pages: OperationClaims[][]): Promise<number> =>
  searchFeed(
    batch,
    store,
    (async function* () {
      await Promise.resolve();
      yield* pages;
    })(),
  );
const rowAt = async (number: number) => (await store.rows(batch.id, number - 1, 1))[0]!;

it('never points at an operation of an earlier try, even where no other is there', async () => {
  const early = operation('op-a', 'failed', '2026-09-22T11:00:00Z');
  expect(await search([early])).toBe(0);
  expect(await rowAt(1)).toMatchObject({
    operation: null,
    detail: expect.stringMatching(/^No event/) as string,
  });
  expect(await search([early], [operation('op-b', 'confirmed', '2026-09-22T12:00:01Z')])).toBe(1);
  expect(await rowAt(1)).toMatchObject({ operation: 'op-b', state: 'needs_review', code: 'too_old' });
  expect((await rowAt(1)).detail).not.toContain('op-a');
});

it('names all that may be its own, and first what did not fail', async () => {
  await search([
    operation('op-a', 'pending', '2026-09-22T12:00:01Z'),
    operation('op-b', 'pending', '2026-09-22T12:00:01Z'),
    operation('op-a', 'failed', '2026-09-22T12:00:01Z'),
  ]);
  const row = await rowAt(1);
  expect(row.operation).toBe('op-b');
  expect(row.detail).toContain('op-b, pending, 1.00 VES; op-a, failed, 1.00 VES');
});

it('leaves alone what waits for another reason, and writes so many rows at a time', async () => {
  await search([operation('op-a', 'confirmed', '2026-09-22T12:00:01Z', 'r-9')]);
  expect(await rowAt(9)).toMatchObject({ operation: null, detail: null });
  expect(Math.max(...blocks)).toBe(1000);
  expect(blocks.reduce((sum, count) => sum + count, 0)).toBe(ROWS - 1);
});
