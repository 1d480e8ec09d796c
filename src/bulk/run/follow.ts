/** Follows the operations of a batch to their final state, by reading each at growing intervals (`--wait`). */
import type { Clock } from '../../runtime/clock.js';
import type { Batch, BatchStore, RowResult, ShownRow } from '../store/batch-store.js';
import type { OperationClaims } from './delivery.js';
import { judgeOperation } from './verdict.js';

export interface FollowWorld {
  readonly store: Pick<BatchStore, 'rows' | 'exchange'>;
  /** Reads one operation once; null where it could not be read. */
  readonly read: (operation: string) => Promise<OperationClaims | null>;
  readonly clock: Clock;
}

export interface FollowOptions {
  readonly concurrency: number;
  /** For the whole wait. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

const BLOCK_ROWS = 256;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 15_000;
const GROWTH = 1.5;

/** True where every accepted row has become final; false where time ran out or the signal came first. */
export async function followBatch(
  batch: Batch,
  options: FollowOptions,
  world: FollowWorld,
): Promise<boolean> {
  const { clock } = world;
  const endsAtMs = clock.monotonic() + options.timeoutMs;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * GROWTH)) {
    const left = await readOnce(batch, options, world);
    if (left === 0) return !options.signal.aborted;
    const leftMs = endsAtMs - clock.monotonic();
    if (leftMs <= 0 || options.signal.aborted) return false;
    // An abort ends the pause, and the loop after one more look.
    await clock.sleep(Math.min(pauseMs, leftMs), options.signal).catch(() => undefined);
  }
}

/** Reads every accepted row once, and answers how many still are. */
async function readOnce(
  batch: Batch,
  { concurrency, signal }: FollowOptions,
  world: FollowWorld,
): Promise<number> {
  const { store, read } = world;
  let left = 0;
  for (let after = -1; ;) {
    const rows = await store.rows(batch.id, after, BLOCK_ROWS, ['accepted']);
    const results: RowResult[] = [];
    const queue = [...rows];
    const work = async (): Promise<void> => {
      for (let row = queue.shift(); row !== undefined && !signal.aborted; row = queue.shift()) {
        const operation = row.operation === null ? null : await read(row.operation);
        const result = operation === null ? null : resultOf(row, operation);
        if (result === null || result.state === 'accepted') left += 1;
        if (result !== null) results.push(result);
      }
    };
    await Promise.all(Array.from({ length: Math.min(concurrency, rows.length) }, work));
    if (results.length > 0) await store.exchange(batch.id, results, null);
    const last = rows.at(-1);
    if (last === undefined || signal.aborted) return left + queue.length;
    after = last.number;
  }
}

function resultOf(row: ShownRow, operation: OperationClaims): RowResult {
  return { number: row.number, sentAtMs: row.sentAtMs, ...judgeOperation(row, operation) };
}
