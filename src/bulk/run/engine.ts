/** Sends the rows of a batch: many at a time, each durable before it leaves, each answered row recorded, until none is left or it must stop. */
import { isLimited, type Attempt } from '../../contract/attempt.js';
import { attemptsOf, ROW_PATIENCE } from '../../contract/retry.js';
import type { Clock } from '../../runtime/clock.js';
import type { Random } from '../../runtime/random.js';
import type { BatchStore } from '../store/batch-store.js';
import type { Batch } from '../store/batch.js';
import type { ClaimedRow, Standing } from '../store/row.js';
import { assertBalanced } from '../tally.js';
import type { Worker } from '../store/worker.js';
import { Brake, Gate, isOfAll, type Stop } from './gate.js';
import { RowsInHand } from './rows-in-hand.js';
import { isOpen, judge, PUT_BACK, TOO_OLD } from './verdict.js';

/** Everything a run knows of the world; a simulation passes its own. */
export interface Collaborators {
  readonly store: Pick<BatchStore, 'exchange' | 'tally'>;
  /** Sends these bytes with this key once. Never rejects for anything that happens on the wire. */
  readonly attempt: (row: ClaimedRow) => Promise<Attempt>;
  /** The service's time, by which rows are stamped. */
  readonly clock: Clock;
  readonly random: Pick<Random, 'fraction'>;
  /** True where bytes that first left then, in the service's time, may be sent again with the same key. */
  readonly isRepeatable: (sentAtMs: number) => boolean;
  /** Who this run is among those that work at the batch; null, or nobody, where it is alone. */
  readonly worker?: Worker | null;
}

export interface RunOptions {
  /** Rows under way at a time. */
  readonly concurrency: number;
  /** Sendings a second; null for no limit. */
  readonly ratePerSecond: number | null;
  /** Asks the run to stop: what is under way ends, nothing new leaves. */
  readonly signal: AbortSignal;
  /** Called for each row as it ends; not for one that a stop put back. */
  readonly onRow?: (row: ClaimedRow, standing: Standing) => void;
}

const NONE: readonly Attempt[] = [];

/**
 * Runs until every row that can be sent was, or the run stopped; says why it did, null where it did not.
 * @throws what the store throws, once what was under way has ended: nothing leaves after that, and nothing is tried again
 */
export async function runBatch(
  batch: Batch,
  options: RunOptions,
  world: Collaborators,
): Promise<Stop | null> {
  const { store, clock, worker = null } = world;
  const { concurrency, ratePerSecond, signal } = options;
  assertBalanced(batch, await store.tally(batch.id));
  const gate = new Gate({ clock, ratePerSecond, signal });
  const brake = new Brake();
  const countMax = ratePerSecond === null ? Infinity : Math.max(concurrency, Math.ceil(ratePerSecond));
  const inHand = new RowsInHand({ batch, store, clock, gate, firstCount: concurrency, countMax });
  worker?.listen(({ pauseMs, stopped }) => {
    if (pauseMs > 0) gate.pause(pauseMs);
    if (stopped !== null) gate.close(stopped);
  });
  const work = async (): Promise<void> => {
    try {
      while (!gate.isClosed) {
        const row = await inHand.next();
        if (row === null) return;
        const { standing, last } = await sendRow(row, gate, world);
        const stop = last === null ? null : brake.note(last, standing.state);
        if (stop !== null) gate.close(stop);
        await inHand.done(row, standing);
        if (stop !== null && isOfAll(stop)) await worker?.stop(stop);
        if (standing.code !== PUT_BACK) options.onRow?.(row, standing);
      }
    } catch (error) {
      gate.close(null);
      throw error;
    }
  };
  const ends = await Promise.allSettled(Array.from({ length: concurrency }, work));
  const { stop } = gate;
  gate.close(null);
  const broken = ends.find((end) => end.status === 'rejected');
  // Whatever broke a worker, what the others know is recorded, unless it was the store that failed.
  const [recorded] = await Promise.allSettled([inHand.end()]);
  if (broken !== undefined) throw broken.reason;
  if (recorded.status === 'rejected') throw recorded.reason;
  assertBalanced(batch, await store.tally(batch.id));
  return stop;
}

/** Sends a row until something settles it or its attempts are spent. */
async function sendRow(
  row: ClaimedRow,
  gate: Gate,
  { attempt, random, isRepeatable, worker = null }: Collaborators,
): Promise<{ standing: Standing; last: Attempt | null }> {
  // Looked at before each sending: a machine may have slept between two of them.
  let tooOld = null as Standing | null;
  const mayLeave = async (attempts: readonly Attempt[]): Promise<boolean> => {
    if (!(await gate.pass())) return false;
    if (worker !== null) {
      await worker.mayLeave();
      if (gate.isClosed) return false;
    }
    if (isOpen(row.before, attempts) && !isRepeatable(row.sentAtMs)) tooOld = TOO_OLD;
    return tooOld === null;
  };
  const attempts = !(await mayLeave(NONE))
    ? NONE
    : await attemptsOf({
        retry: 'keyed',
        patience: ROW_PATIENCE,
        fraction: () => random.fraction(),
        attempt: () => attempt(row),
        wait: async (waitMs, last, made) => {
          if (!isLimited(last)) await gate.wait(waitMs);
          else {
            gate.pause(waitMs);
            await worker?.pause(waitMs);
          }
          return mayLeave(made);
        },
      });
  if (tooOld !== null) return { standing: tooOld, last: null };
  return { standing: judge(row, attempts), last: attempts.at(-1) ?? null };
}
