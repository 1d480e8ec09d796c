/** Looks in the events for operations that rows of a batch may have become before: a store that was lost knows nothing of them. */
import type { Batch, BatchStore, RowResult, ShownRow } from '../store/batch-store.js';
import { isMoney } from './candidates.js';
import type { OperationClaims } from './delivery.js';
import type { Feed } from './feed-search.js';
import { Marks } from './marks.js';

/** A row, and what the events hold under its reference. */
export interface EarlierRow {
  readonly line: number;
  readonly reference: string;
  readonly operation: OperationClaims;
}

export interface Earlier {
  /** Rows with an operation that is too old to be known by its key. */
  readonly rows: number;
  /** The first of them in the order of the file. */
  readonly first: readonly EarlierRow[];
}

const BLOCK_ROWS = 1000;
/** Operations that are kept while the feed is read; what is behind them is only counted. */
const KEPT_OPERATIONS = 1000;
const SHOWN_ROWS = 20;

/**
 * Rows whose reference an operation has that did not fail and that no row of the store is settled with. Where the operation is young
 * enough to be answered by the row's key, the row counts as sent when that was made (`unknown`): it is repeated while that is safe, and
 * never later, however long the run takes. A million rows take 20 MB, whatever the feed holds.
 * @param isYoung true for what sending the row would only repeat
 */
export async function findEarlier(
  batch: Batch,
  store: Pick<BatchStore, 'rows' | 'list' | 'exchange'>,
  feed: Feed,
  isYoung: (createdAtMs: number) => boolean,
): Promise<Earlier> {
  const references = await Marks.of(referencesOf(batch, store), batch.rows);
  const settled = await settledOperations(batch, store);
  const isOld = new Uint8Array(batch.rows);
  const youngMs = new Float64Array(batch.rows).fill(Infinity);
  const kept = new Map<string, OperationClaims>();
  for await (const page of feed) {
    for (const operation of page) {
      const { id, reference, createdAt = '' } = operation;
      const place = reference === undefined || !isMoney(operation) ? -1 : references.placeOf(reference);
      if (reference === undefined || place === -1 || settled.placeOf(id) !== -1) continue;
      const createdAtMs = Date.parse(createdAt);
      if (isYoung(createdAtMs)) {
        youngMs[place] = Math.min(youngMs[place] ?? Infinity, createdAtMs);
        continue;
      }
      isOld[place] = 1;
      if (kept.size < KEPT_OPERATIONS || kept.has(reference)) kept.set(reference, operation);
    }
  }
  await markSent(batch, store, ({ reference }) => youngMs[references.placeOf(reference)] ?? Infinity);
  const first: EarlierRow[] = [];
  let rows = 0;
  for await (const { line, reference } of rowsOf(batch, store)) {
    const operation = kept.get(reference);
    const isCounted = kept.size === KEPT_OPERATIONS && isOld[references.placeOf(reference)] === 1;
    if (operation !== undefined || isCounted) rows += 1;
    if (operation !== undefined && first.length < SHOWN_ROWS) first.push({ line, reference, operation });
  }
  return { rows, first };
}

/** What rows of the other batches of the same address are settled with. */
async function settledOperations(batch: Batch, store: Pick<BatchStore, 'rows' | 'list'>): Promise<Marks> {
  const others = (await store.list()).filter(
    ({ id, environment, address }) =>
      id !== batch.id && environment === batch.environment && address === batch.address,
  );
  const count = others.reduce((sum, { rows }) => sum + rows, 0);
  const operations = async function* () {
    for (const other of others)
      for await (const { state, operation } of rowsOf(other, store))
        if (operation !== null && state !== 'needs_review') yield operation;
  };
  return Marks.of(operations(), count);
}

async function markSent(
  batch: Batch,
  store: Pick<BatchStore, 'rows' | 'exchange'>,
  sentAt: (row: ShownRow) => number,
): Promise<void> {
  let results: RowResult[] = [];
  for await (const row of rowsOf(batch, store)) {
    const sentAtMs = sentAt(row);
    if (sentAtMs === Infinity) continue;
    const detail = 'The events hold an operation with its reference that this store does not know.';
    const known = { number: row.number, sentAtMs, operation: null, code: 'seen_in_events', detail };
    results.push({ ...known, state: 'unknown' });
    if (results.length < BLOCK_ROWS) continue;
    await store.exchange(batch.id, results, null);
    results = [];
  }
  if (results.length > 0) await store.exchange(batch.id, results, null);
}

async function* referencesOf(batch: Batch, store: Pick<BatchStore, 'rows'>) {
  for await (const { reference } of rowsOf(batch, store)) yield reference;
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
