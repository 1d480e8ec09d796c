/** Sends the rows of a batch: many at a time, each durable before it leaves, each answered row recorded, until none is left or it must stop. */
import type { Attempt } from '../../contract/attempt.js';
import type { Age, Moment } from '../../contract/moment.js';
import type { Clock } from '../../runtime/clock.js';
import type { Random } from '../../runtime/random.js';
import type { BatchStore } from '../store/batch-store.js';
import type { Batch } from '../store/batch.js';
import type { ClaimedRow, Standing } from '../store/row.js';
import { assertBalanced } from '../tally.js';
import type { Worker } from '../store/worker.js';
import { Brake, isOfAll, type Stop } from './brake.js';
import { clocksApart } from './clocks.js';
import { Gate } from './gate.js';
import { BLOCK_MS, RowsInHand } from './rows-in-hand.js';
import { sendRow } from './send-row.js';
import { PUT_BACK } from './verdict.js';

/** Everything a run knows of the world; a simulation passes its own. */
export interface Collaborators {
  readonly store: Pick<BatchStore, 'exchange' | 'tally'>;
  /** Sends these bytes with this key once. Never rejects for anything that happens on the wire. */
  readonly attempt: (row: ClaimedRow) => Promise<Attempt>;
  /** The service's time, by which rows are stamped. */
  readonly clock: Clock;
  readonly random: Pick<Random, 'fraction'>;
  readonly ages: RowAges;
  /** What time it is for the service, as its last answer says; null where none did. */
  readonly serviceMs?: () => number | null;
  /** Who this run is among those that work at the batch; null, or nobody, where it is alone. */
  readonly worker?: Worker | null;
}

/** How long ago rows left. */
export interface RowAges {
  /** Now, to be kept with what leaves. */
  readonly moment: () => Moment;
  /** Of what left in an earlier run, or on another machine. */
  readonly ageOf: (left: Moment) => Age;
  /** True where what left in this run may leave again. */
  readonly mayGoOn: (left: Moment) => boolean;
}

export interface RunOptions {
  /** Rows under way at a time. */
  readonly concurrency: number;
  /** Sendings a second; null for no limit. Where several work at the batch, that of the batch counts. */
  readonly ratePerSecond: number | null;
  /** Asks the run to stop: what is under way ends, nothing new leaves. */
  readonly signal: AbortSignal;
  /** Called for each row as it ends; not for one that a stop put back. */
  readonly onRow?: (row: ClaimedRow, standing: Standing) => void;
}

/**
 * Runs until every row that can be sent was, or the run stopped; says why it did, null where it did not.
 * @throws what the store throws, once what was under way has ended: nothing leaves after that, and nothing is tried again; Failure
 *   `local_state` (`clocks_differ`) where the ages of rows cannot be told
 */
export async function runBatch(
  batch: Batch,
  options: RunOptions,
  world: Collaborators,
): Promise<Stop | null> {
  const { store, clock, ages, worker = null } = world;
  const { concurrency, signal } = options;
  const apart = clocksApart(world);
  if (apart !== null) throw apart;
  assertBalanced(batch, await store.tally(batch.id));
  // Where several work, each row has its moment from what they share.
  const gate = new Gate({ clock, ratePerSecond: worker === null ? options.ratePerSecond : null, signal });
  const brake = new Brake();
  const inHand = new RowsInHand({
    batch,
    store,
    clock,
    moment: ages.moment,
    gate,
    ...countsOf(options, worker),
  });
  let said: Promise<void> = Promise.resolve();
  worker?.listen(({ pauseMs, stopped, silentRows }) => {
    if (pauseMs > 0) gate.pause(pauseMs);
    const silence = gate.isClosed || stopped !== null ? null : brake.noteAll(silentRows);
    if (stopped !== null) gate.close(stopped);
    if (silence === null) return;
    gate.close(silence);
    // Where it cannot be said, each of the others counts the same.
    said = worker.stop(silence).catch(() => undefined);
  });
  const work = async (): Promise<void> => {
    try {
      while (!gate.isClosed) {
        const row = await inHand.next();
        if (row === null) return;
        const { standing, last } = await sendRow(row, gate, world);
        const stop = last === null ? null : brake.note(last, standing.state);
        if (stop !== null) gate.close(stop);
        worker?.silent(brake.silent);
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
  const [recorded] = await Promise.allSettled([inHand.end(), said]);
  if (broken !== undefined) throw broken.reason;
  if (recorded.status === 'rejected') throw recorded.reason;
  if (gate.failure !== null) throw gate.failure;
  assertBalanced(batch, await store.tally(batch.id));
  return stop;
}

/** Rows that are taken at first, and at the most. What is taken at a rate that is shared has its moments, which must not be missed. */
function countsOf(
  { concurrency, ratePerSecond: own }: RunOptions,
  worker: Worker | null,
): { readonly firstCount: number; readonly countMax: number } {
  const rate = worker === null ? own : worker.ratePerSecond;
  if (rate === null) return { firstCount: concurrency, countMax: Infinity };
  if (worker === null) return { firstCount: concurrency, countMax: Math.max(concurrency, Math.ceil(rate)) };
  const count = Math.ceil((rate * BLOCK_MS) / 1000);
  return { firstCount: count, countMax: count };
}
