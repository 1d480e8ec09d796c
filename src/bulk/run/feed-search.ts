/** Looks for rows that were never answered and may no longer be repeated: by their reference, in the events. A person decides then. */
import type { Batch, BatchStore, RowResult, ShownRow } from '../store/batch-store.js';
import { Candidates, candidateText, isEarlier } from './candidates.js';
import type { OperationClaims } from './delivery.js';

/** The operations of the whole feed, page by page. */
export type Feed = AsyncIterable<readonly OperationClaims[]>;

/** Rows of one commit. */
const BLOCK_ROWS = 1000;

interface Wanted {
  readonly row: ShownRow;
  readonly candidates: Candidates;
}

/**
 * Notes what the feed says about rows that need review; their state stays. What was there before a row left is not it: an operation
 * of an earlier generation has the same reference, and failed. Answers how many of them it knows.
 */
export async function searchFeed(
  batch: Batch,
  store: Pick<BatchStore, 'rows' | 'exchange'>,
  feed: Feed,
): Promise<number> {
  const wanted = await wantedRows(batch, store);
  if (wanted.size === 0) return 0;
  for await (const page of feed) {
    for (const operation of page) {
      const found = operation.reference === undefined ? undefined : wanted.get(operation.reference);
      if (found !== undefined && !isEarlier(operation, found.row.sentAtMs)) found.candidates.add(operation);
    }
  }
  let known = 0;
  let results: RowResult[] = [];
  for (const { row, candidates } of wanted.values()) {
    const all = candidates.all();
    if (all.length > 0) known += 1;
    results.push(resultOf(row, all));
    if (results.length < BLOCK_ROWS) continue;
    await store.exchange(batch.id, results, null);
    results = [];
  }
  await store.exchange(batch.id, results, null);
  return known;
}

async function wantedRows(batch: Batch, store: Pick<BatchStore, 'rows'>): Promise<Map<string, Wanted>> {
  const wanted = new Map<string, Wanted>();
  for (let after = -1; ;) {
    const rows = await store.rows(batch.id, after, BLOCK_ROWS, ['needs_review']);
    for (const row of rows)
      if (row.code === 'too_old') wanted.set(row.reference, { row, candidates: new Candidates() });
    const last = rows.at(-1);
    if (last === undefined) return wanted;
    after = last.number;
  }
}

function resultOf(row: ShownRow, all: readonly OperationClaims[]): RowResult {
  const { number, state, sentAtMs, operation, code } = row;
  const [first] = all;
  if (first === undefined) {
    const detail = 'No event names its reference since it left. It may still be under way.';
    return { number, state, sentAtMs, operation, code, detail };
  }
  const detail = `The events hold, with its reference: ${all.map(candidateText).join('; ')}. A person decides.`;
  return { number, state, sentAtMs, operation: first.id, code, detail };
}
