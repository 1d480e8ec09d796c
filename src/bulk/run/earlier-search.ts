/** Looks in the events for operations that rows of a batch may have become before: a store that was lost knows nothing of them. */
import { hash } from 'node:crypto';
import type { Batch, BatchStore } from '../store/batch-store.js';
import type { OperationClaims } from './delivery.js';
import type { Feed } from './feed-search.js';

/** A row, and what the events hold under its reference. */
export interface Earlier {
  readonly line: number;
  readonly reference: string;
  readonly operation: OperationClaims;
}

const BLOCK_ROWS = 1000;
const MARK_BYTES = 6;

/**
 * Rows whose reference an operation has that did not fail. A million references take 8 MB, whatever the feed holds.
 * @param isRelevant false for what sending it again would only repeat
 */
export async function findEarlier(
  batch: Batch,
  store: Pick<BatchStore, 'rows'>,
  feed: Feed,
  isRelevant: (operation: OperationClaims) => boolean,
): Promise<Earlier[]> {
  const marks = new Float64Array(batch.rows);
  let count = 0;
  for await (const { reference } of rowsOf(batch, store)) marks[count++] = markOf(reference);
  marks.sort();
  const found = new Map<string, OperationClaims>();
  for await (const page of feed) {
    for (const operation of page) {
      const { reference, status } = operation;
      if (reference === undefined || status === 'failed' || !isRelevant(operation)) continue;
      if (holds(marks, markOf(reference))) found.set(reference, operation);
    }
  }
  const earlier: Earlier[] = [];
  if (found.size === 0) return earlier;
  for await (const { line, reference } of rowsOf(batch, store)) {
    const operation = found.get(reference);
    if (operation !== undefined) earlier.push({ line, reference, operation });
  }
  return earlier;
}

async function* rowsOf(batch: Batch, store: Pick<BatchStore, 'rows'>) {
  for (let after = -1; ;) {
    const rows = await store.rows(batch.id, after, BLOCK_ROWS);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.number;
  }
}

/** 48 bits of its hash. Two references may share them, so what is found is compared as a whole. */
function markOf(reference: string): number {
  return hash('sha256', reference, 'buffer').readUIntBE(0, MARK_BYTES);
}

function holds(sorted: Float64Array, mark: number): boolean {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? Infinity) < mark) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === mark;
}
