/** Sends the rows of a batch: many at a time, each durable before it leaves, each answered row recorded, until none is left or it must stop. */
import type { Clock } from '../../runtime/clock.js';
import type { Random } from '../../runtime/random.js';
import { isUncertain } from '../row-state.js';
import type { BatchStore } from '../store/batch-store.js';
import type { Batch } from '../store/batch.js';
import type { ClaimedRow, Standing } from '../store/row.js';
import { assertBalanced } from '../tally.js';
import { Brake, type Stop } from './brake.js';
import type { Delivery } from './delivery.js';
import { Gate } from './gate.js';
import { countedOf, isRepeated } from './repetition.js';
import { RowsInHand } from './rows-in-hand.js';
import { judge, PUT_BACK, questionOf, TOO_OLD, type Question } from './verdict.js';

/** Everything a run knows of the world; a simulation passes its own. */
export interface Collaborators {
  readonly store: Pick<BatchStore, 'exchange' | 'tally'>;
  /** Sends these bytes with this key once. Never rejects for anything that happens on the wire. */
  readonly deliver: (row: ClaimedRow) => Promise<Delivery>;
  /** The service's time, by which rows are stamped. */
  readonly clock: Clock;
  readonly random: Pick<Random, 'fraction'>;
  /** The wait after so many attempts, in milliseconds; the fraction is where in its jitter it falls. */
  readonly backoffMs: (attempts: number, fraction: number) => number;
  /** True where bytes that first left then, in the service's time, may be sent again with the same key. */
  readonly isRepeatable: (sentAtMs: number) => boolean;
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

/** A longer wait is a matter for a person. */
const RETRY_AFTER_MAX_MS = 60_000;

/**
 * Runs until every row that can be sent was, or the run stopped; says why it did, null where it did not.
 * @throws what the store throws, once what was under way has ended: nothing leaves after that, and nothing is tried again
 */
export async function runBatch(
  batch: Batch,
  options: RunOptions,
  world: Collaborators,
): Promise<Stop | null> {
  const { store, clock } = world;
  const { concurrency, ratePerSecond, signal } = options;
  assertBalanced(batch, await store.tally(batch.id));
  const gate = new Gate({ clock, ratePerSecond, signal });
  const brake = new Brake();
  const countMax = ratePerSecond === null ? Infinity : Math.max(concurrency, Math.ceil(ratePerSecond));
  const inHand = new RowsInHand({ batch, store, clock, firstCount: concurrency, countMax });
  const work = async (): Promise<void> => {
    try {
      while (!gate.isClosed) {
        const row = await inHand.next();
        if (row === null) return;
        const { standing, last } = await sendRow(batch, row, gate, world);
        const stop = last === null ? null : brake.note(last, standing.state);
        if (stop !== null) gate.close(stop);
        await inHand.done(row, standing);
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
  { direction }: Batch,
  row: ClaimedRow,
  gate: Gate,
  world: Collaborators,
): Promise<{ standing: Standing; last: Delivery | null }> {
  const { deliver, random, backoffMs, isRepeatable } = world;
  const deliveries: Delivery[] = [];
  let question: Question | null = null;
  // Read only where an answer is held against it.
  const asks = (): Question => (question ??= questionOf(row, direction));
  let isOpen = isUncertain(row.before);
  do {
    if (!(await gate.pass())) break;
    // Looked at before each sending: a machine may have slept between two of them.
    if (isOpen && !isRepeatable(row.sentAtMs)) return { standing: TOO_OLD, last: null };
    const delivery = await deliver(row);
    deliveries.push(delivery);
    isOpen ||= delivery.kind === 'unknown';
    if (!isRepeated(() => asks().asked, deliveries)) break;
    const askedMs =
      delivery.kind === 'unavailable' ? Math.min(delivery.retryAfterMs ?? 0, RETRY_AFTER_MAX_MS) : 0;
    const waitMs = Math.max(askedMs, backoffMs(Math.max(1, countedOf(deliveries)), random.fraction()));
    if (delivery.kind === 'unavailable' && delivery.isLimit) gate.pause(waitMs);
    else await gate.wait(waitMs);
  } while (!gate.isClosed);
  return { standing: judge(asks(), row.before, deliveries), last: deliveries.at(-1) ?? null };
}
