/** Sends the rows of a batch, many at a time, until none is left or it must stop. Each row is durable before it leaves, and each answer is recorded. */
import { type Attempt, isLimited } from '../../contract/attempt.js';
import { type Age, type Moment, mayLeaveAgain, unsureText } from '../../contract/moment.js';
import type { Clock, Random } from '../../runtime/clock.js';
import type { BatchStore } from '../store/batch-store.js';
import type { Batch } from '../store/batch.js';
import type { ClaimedRow, RenewedRow, Standing } from '../store/row.js';
import { assertBalanced } from '../tally.js';
import type { Worker } from '../store/worker.js';
import { Brake, isOfAll, type Stop } from './brake.js';
import { Gate, MISSED_MS } from './gate.js';
import { BLOCK_MS, type HandedRow, RowsInHand, type RowsInHandOptions } from './rows-in-hand.js';
import { isOpen, isReused, judgeRow, NO_OPERATION, PUT_BACK, TOO_OLD } from './verdict.js';
import { attemptsOf, ROW_PATIENCE } from '../../contract/retry.js';
import { isOneOf, isUncertain, type RowState, SENDABLE } from '../row-state.js';
import { isOlder, type OperationFacts } from '../../contract/operation-facts.js';
import { Failure } from '../../runtime/failure.js';

/** Everything a run knows of the world; a simulation passes its own. */
interface Collaborators {
  readonly store: Pick<BatchStore, 'exchange' | 'renew' | 'tally'>;
  /** Sends these bytes with this key once. Never rejects for anything that happens on the wire. */
  readonly attempt: (row: ClaimedRow) => Promise<Attempt>;
  /** Why a row may not leave now; null where it may. Asked in its turn before each sending, and absent where nobody has to be asked. */
  readonly refusal?: (row: ClaimedRow) => Promise<Failure | null>;
  /** What a row does after its key was found to be used: by a payment from before, or by other data (null). Null where that is its end. */
  readonly moveOn?: (
    row: ClaimedRow,
    made: OperationFacts | null,
    isOpen: boolean,
  ) => Promise<RenewedRow | Standing | null>;
  /** What else is known here to have become the operation that a row was answered with: absent where nobody else makes any. */
  readonly holders?: {
    /** Those of rows that left for the first time whose operation something else has become. */
    readonly among: NonNullable<RowsInHandOptions['heldAmong']>;
    /** What such an answer counts as. */
    readonly believe: (row: ClaimedRow, answer: Attempt) => Promise<Attempt>;
  };
  /** Keeps the bytes of a row that was rejected: they explain the key once the row is corrected. */
  readonly onRejected?: (row: ClaimedRow) => Promise<void>;
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
  /** Which rows leave; all that can be sent unless given. */
  readonly states?: readonly RowState[];
  /** Their numbers, in their order, where not all of them leave. */
  readonly only?: readonly number[] | undefined;
  /** Called for each row as it ends; not for one that a stop put back. */
  readonly onRow?: (row: ClaimedRow, standing: Standing) => void;
}

/**
 * Runs until every row that can be sent was, or the run stopped; says why it did, null where it did not.
 * @throws what the store throws, once what was under way has ended: nothing leaves after that, and nothing is tried again; Failure
 *   `local_state` (`clocks_differ`) when the ages of rows are unknown; what refuses a row, once all is recorded
 */
export async function runBatch(
  batch: Batch,
  options: RunOptions,
  world: Collaborators,
): Promise<Stop | null> {
  let left = options;
  for (let pass = 1; ; pass += 1) {
    // Of the last one an old failure is the answer: where all look old, by a clock that stands behind, the row ends all the same.
    const { moveOn: _, ...asLast } = world;
    const { stop, moved } = await runOnce(batch, left, pass === TRIES_MAX ? asLast : world);
    const { states = SENDABLE } = options;
    if (stop !== null || moved === 0 || !isOneOf(states, 'planned')) return stop;
    left = { ...options, states: ['planned'] };
  }
}

/** So many keys of one payment are tried in a run. */
const TRIES_MAX = 12;

/** @returns why it stopped, and how many rows are planned again under another key */
async function runOnce(
  batch: Batch,
  options: RunOptions,
  world: Collaborators,
): Promise<{ readonly stop: Stop | null; readonly moved: number }> {
  const { store, clock, ages, holders, worker = null } = world;
  const { concurrency, signal, states = SENDABLE, only } = options;
  const apart = clocksApart(world);
  if (apart !== null) throw apart;
  assertBalanced(batch, await store.tally(batch.id));
  // Where several work, each row has its moment from what they share.
  const gate = new Gate(clock, worker === null ? options.ratePerSecond : null, signal);
  const brake = new Brake();
  const taking = { moment: ages.moment, heldAmong: holders?.among, ...countsOf(options, worker) };
  const inHand = new RowsInHand({ batch, store, clock, gate, states, only, ...taking });
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
        const handed = await inHand.next();
        if (handed === null) return;
        const { row, doubted } = handed;
        const sent = await sendRow(handed, gate, world);
        if ('next' in sent) {
          await inHand.moved(sent.next);
          continue;
        }
        const { standing, last } = sent;
        if (standing.state === 'rejected') await world.onRejected?.(row);
        const stop = last === null ? null : brake.note(last, standing.state);
        if (stop !== null) gate.close(stop);
        worker?.silent(brake.silent);
        const isNew = doubted === null && !isUncertain(row.before);
        await inHand.done(row, standing, isNew && last?.kind === 'success' ? last.operation : null);
        if (stop !== null && isOfAll(stop)) await worker?.stop(stop);
        if (doubted === null && standing.code !== PUT_BACK) options.onRow?.(row, standing);
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
  return { stop, moved: inHand.movedCount };
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

const NONE: readonly Attempt[] = [];

type SentRow = { readonly standing: Standing; readonly last: Attempt | null } | { readonly next: RenewedRow };

/** Sends a row until something settles it or its attempts are spent. An answer that is doubted is its first attempt. */
async function sendRow({ row, doubted }: HandedRow, gate: Gate, world: Collaborators): Promise<SentRow> {
  const { attempt, holders, random, ages, worker = null } = world;
  const turn = turnOf(row, gate, world);
  // Looked at before each sending: a machine may have slept between two of them.
  let kept = null as Standing | null;
  const mayLeave = async (attempts: readonly Attempt[]): Promise<boolean> => {
    if (!(await turn())) return false;
    const apart = clocksApart(world);
    if (apart !== null) gate.fail(apart);
    if (gate.isClosed) return false;
    kept = keptBack(row, attempts, ages);
    if (kept !== null) return false;
    const refused = (await world.refusal?.(row)) ?? null;
    if (refused !== null) gate.fail(refused);
    return refused === null && !gate.isClosed;
  };
  const believed = async (answer: Attempt): Promise<Attempt> =>
    doubted === null || holders === undefined ? answer : holders.believe(row, answer);
  const attempts =
    doubted === null && !(await mayLeave(NONE))
      ? NONE
      : await attemptsOf({
          retry: 'keyed',
          patience: ROW_PATIENCE,
          fraction: () => random.fraction(),
          attempt: async (count) =>
            believed(count === 1 && doubted !== null ? answeredWith(doubted) : await attempt(row)),
          wait: async (waitMs, last, made) => {
            if (!isLimited(last)) await gate.wait(waitMs);
            else {
              gate.pause(waitMs);
              await worker?.pause(waitMs);
            }
            return mayLeave(made);
          },
        });
  if (kept !== null) return { standing: kept, last: null };
  const last = attempts.at(-1) ?? null;
  const made = last?.kind === 'success' ? last.operation : null;
  const isHeld = last?.kind === 'success' && last.isHeld === true;
  const isFromBefore = made !== null && (isHeld || isOlder(made, row.sentAtMs));
  const isUsed = last !== null && isReused(last);
  const mayMove = isFromBefore || isUsed;
  const next = mayMove ? ((await world.moveOn?.(row, made, isUncertain(row.before))) ?? null) : null;
  if (next !== null && 'key' in next) return { next };
  return { standing: next ?? judgeRow(row, attempts), last };
}

/** An answer of which its operation was kept. */
function answeredWith(operation: OperationFacts): Attempt {
  const answer = { status: 201, headers: [], body: new Uint8Array() };
  return { kind: 'success', operation, value: undefined, answer, retryAfterMs: null };
}

/** Why an open row does not leave again; null where it does. What left in an earlier run needs an age that is known. */
function keptBack(
  { before, left }: ClaimedRow,
  attempts: readonly Attempt[],
  { ageOf, mayGoOn }: RowAges,
): Standing | null {
  if (!isOpen(before, attempts)) return null;
  if (!isUncertain(before)) return mayGoOn(left) ? null : TOO_OLD;
  const age = ageOf(left);
  // Nobody knows how long ago the row left: it waits for a person, or for clocks that say it.
  if (age.kind !== 'known')
    return { ...NO_OPERATION, state: 'needs_review', code: age.kind, detail: unsureText(age) };
  return mayLeaveAgain(age) ? null : TOO_OLD;
}

/**
 * Waits for the turn of each sending; false where the run is over. Alone, that is the gate's; among others each sending has a moment that
 * nobody else has, and one that was missed is no one's: there is another one.
 */
function turnOf(
  { leavesAtMs = null }: ClaimedRow,
  gate: Gate,
  { clock, worker = null }: Collaborators,
): () => Promise<boolean> {
  if (worker === null) return () => gate.pass();
  let slotMs = leavesAtMs;
  const hasRate = slotMs !== null;
  return async () => {
    for (;;) {
      if (!(await gate.pass())) return false;
      const leftMs = slotMs === null ? 0 : slotMs - clock.monotonic();
      if (hasRate && (slotMs === null || leftMs < -MISSED_MS)) {
        // A worker that was away has missed its slots, and may have lost its rows: others may now send without a rate.
        await worker.mayLeave();
        slotMs = await worker.slot();
      }
      // A timer knows no parts of a millisecond.
      else if (leftMs > 0) await gate.wait(Math.ceil(leftMs));
      else {
        await worker.mayLeave();
        if (gate.isClosed) return false;
        if (slotMs !== null && clock.monotonic() - slotMs > MISSED_MS) continue;
        slotMs = null;
        return true;
      }
    }
  };
}

/** The 23 hours for which a key is trusted have one to spare. */
const APART_MS = 5 * 60_000;

/** Null where they agree, or where only one of them is known. */
function clocksApart({ serviceMs = () => null, worker = null }: Collaborators): Failure | null {
  const database = worker?.timeMs ?? null;
  const service = database === null ? null : serviceMs();
  if (service === null || database === null) return null;
  const aheadMs = database - service;
  if (Math.abs(aheadMs) <= APART_MS) return null;
  const minutes = Math.round(Math.abs(aheadMs) / 60_000);
  const apart = minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`;
  const text =
    `The clock of the database of the shared state is ${apart} ${aheadMs > 0 ? 'ahead of' : 'behind'} that of the service: ` +
    'the age of a row is unknown. Nothing leaves until they agree.';
  return new Failure('local_state', text, { code: 'clocks_differ', outcome: 'not_sent' });
}
