/** Looks for rows that were never answered and may no longer be repeated: by their reference, in the events. A person decides then. */
import type { Batch, BatchStore, RowResult, ShownRow } from '../store/batch-store.js';
import type { OperationClaims } from './delivery.js';

/** The operations of the whole feed, page by page. */
export type Feed = AsyncIterable<readonly OperationClaims[]>;

const BLOCK_ROWS = 1000;

/** Notes what the feed says about rows that need review; their state stays. Answers how many of them it knows. */
export async function searchFeed(
  batch: Batch,
  store: Pick<BatchStore, 'rows' | 'exchange'>,
  feed: Feed,
): Promise<number> {
  const wanted = await wantedRows(batch, store);
  if (wanted.size === 0) return 0;
  const results: RowResult[] = [];
  for await (const page of feed) {
    for (const operation of page) {
      const row = operation.reference === undefined ? undefined : wanted.get(operation.reference);
      if (row === undefined) continue;
      wanted.delete(row.reference);
      results.push({ ...resultOf(row), operation: operation.id, detail: foundText(operation) });
    }
  }
  for (const row of wanted.values()) {
    results.push({ ...resultOf(row), detail: 'No event names its reference. It may still be under way.' });
  }
  await store.exchange(batch.id, results, null);
  return results.length - wanted.size;
}

async function wantedRows(batch: Batch, store: Pick<BatchStore, 'rows'>): Promise<Map<string, ShownRow>> {
  const wanted = new Map<string, ShownRow>();
  for (let after = -1; ;) {
    const rows = await store.rows(batch.id, after, BLOCK_ROWS, ['needs_review']);
    for (const row of rows) if (row.code === 'too_old') wanted.set(row.reference, row);
    const last = rows.at(-1);
    if (last === undefined) return wanted;
    after = last.number;
  }
}

function resultOf({ number, state, sentAtMs, operation, code, detail }: ShownRow): RowResult {
  return { number, state, sentAtMs, operation, code, detail };
}

function foundText({ id, status, amount = '?', currency = '?' }: OperationClaims): string {
  return `The events hold an operation with its reference: ${id}, ${status}, ${amount} ${currency}. A person decides.`;
}
