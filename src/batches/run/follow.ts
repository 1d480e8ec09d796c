import type { Clock } from '../../runtime/clock.js';
import { differenceOf, type OperationFacts } from '../../contract/operation-facts.js';
import type { Batch, BatchStore } from '../../storage/batches/batch-store.js';
import type { RowResult, ShownRow } from '../../storage/batches/row.js';
import { rowStatusAfter, mismatchedStatus } from '../../payments/known/row-outcome.js';

interface FollowWorld {
  readonly store: Pick<BatchStore, 'pendingRows' | 'exchange'>;
  readonly read: (operation: string) => Promise<OperationFacts | null>;
  readonly clock: Clock;
}

export interface BatchFollowOptions {
  readonly concurrency: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly onRow?: (row: ShownRow, result: RowResult) => void;
}

const BLOCK_ROWS = 256;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 15_000;
const PAUSE_GROWTH = 1.5;

export async function followBatch(batch: Batch, options: BatchFollowOptions, world: FollowWorld) {
  const { clock } = world;
  const endsAtMs = clock.monotonic() + options.timeoutMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * PAUSE_GROWTH)) {
    const pendingCount = await readOnce(batch, options, world);
    if (pendingCount === 0) return !options.signal.aborted;
    const remainingMs = endsAtMs - clock.monotonic();
    if (remainingMs <= 0 || options.signal.aborted) return false;
    await clock.sleep(Math.min(pauseMs, remainingMs), options.signal).catch(() => undefined);
  }
}

async function readOnce(
  batch: Batch,
  { concurrency, signal, onRow }: BatchFollowOptions,
  world: FollowWorld,
): Promise<number> {
  const { store, read } = world;
  let pendingCount = 0;
  for (let after = -1; ;) {
    const rows = await store.pendingRows(batch.id, after, BLOCK_ROWS);
    const results: RowResult[] = [];
    const queue = [...rows];
    const work = async (): Promise<void> => {
      for (let row = queue.shift(); row !== undefined && !signal.aborted; row = queue.shift()) {
        const operation = row.operation === null ? null : await read(row.operation);
        const result = operation === null ? null : resultOf(batch, row, operation);
        if (result === null) pendingCount += 1;
        else {
          results.push(result);
          onRow?.(row, result);
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(concurrency, rows.length) }, work));
    if (results.length > 0) await store.exchange(batch.id, results, null);
    const last = rows.at(-1);
    if (last === undefined || signal.aborted) return pendingCount + queue.length;
    after = last.number;
  }
}

function resultOf({ direction }: Batch, row: ShownRow, operation: OperationFacts): RowResult | null {
  const { number, sentAtMs, amount, currency } = row;
  const payment = { direction, amount, currency };
  const difference = row.state === 'accepted' ? differenceOf(payment, operation) : null;
  const rowStatus =
    difference === null ? rowStatusAfter(row, operation) : mismatchedStatus(operation, difference);
  if (rowStatus === null) return null;
  return { number, sentAtMs, stateBefore: row.state, ...rowStatus, operation: row.operation };
}
