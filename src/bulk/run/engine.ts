/** Sends the rows of a batch, many at a time, until none remains or the run must stop. Each row is durable before it leaves, and each answer is recorded. */
import { type Attempt, isLimited } from '../../contract/attempt.js';
import { type Age, type Moment, maySendAgain, unsureText } from '../../contract/moment.js';
import type { Clock, Random } from '../../runtime/clock.js';
import type { BatchStore } from '../store/batch-store.js';
import type { Batch } from '../store/batch.js';
import type { ClaimedRow, RenewedRow, RowStatus } from '../store/row.js';
import { assertBalanced } from '../tally.js';
import type { Worker } from '../store/worker.js';
import { Brake, isOfAll, type Stop } from './brake.js';
import { Gate, MISSED_MS } from './gate.js';
import { BLOCK_MS, type HandedRow, RowsInHand, type RowsInHandOptions } from './rows-in-hand.js';
import { isOpen, isReused, judgeRow, NO_OPERATION, PUT_BACK, TOO_OLD } from './verdict.js';
import { runAttempts, ROW_PATIENCE } from '../../contract/retry.js';
import { isOneOf, isUncertain, type RowState, SENDABLE } from '../row-state.js';
import { isOlder, type OperationFacts } from '../../contract/operation-facts.js';
import { Failure } from '../../runtime/failure.js';

/** The ports of a run. A simulation passes its own. */
interface RunWorld {
  readonly store: Pick<BatchStore, 'exchange' | 'renew' | 'tally'>;
  /** Sends the bytes with the key once. Never rejects because of the network or the answer. */
  readonly attempt: (row: ClaimedRow) => Promise<Attempt>;
  /** Returns why a row may not leave now; null if it may. Called before each sending. Absent if nothing can refuse. */
  readonly refusal?: (row: ClaimedRow) => Promise<Failure | null>;
  /** Decides about a row whose key was used before, by an older payment or by other data (null). Null: the row has come to its end. */
  readonly moveOn?: (
    row: ClaimedRow,
    made: OperationFacts | null,
    isOpen: boolean,
  ) => Promise<RenewedRow | RowStatus | null>;
  /** Knows which operations belong to something else. Absent if nothing else makes operations. */
  readonly holders?: {
    /** Of rows that were sent for the first time, returns those whose operation belongs to something else. */
    readonly among: NonNullable<RowsInHandOptions['heldAmong']>;
    /** Returns the attempt that an answer with an operation of something else counts as. */
    readonly believe: (row: ClaimedRow, answer: Attempt) => Promise<Attempt>;
  };
  /** Notes the bytes of a rejected row: they explain why its key was used when the row is corrected. */
  readonly onRejected?: (row: ClaimedRow) => Promise<void>;
  /** A clock of the service's time, with which rows note when they are sent. */
  readonly clock: Clock;
  readonly random: Pick<Random, 'fraction'>;
  readonly ages: RowAges;
  /** The service's time by its last answer; null before the first answer. */
  readonly serviceMs?: () => number | null;
  /** This run's worker among those of the batch; null if it is alone. */
  readonly worker?: Worker | null;
}

/** Measures how long ago rows left. */
export interface RowAges {
  /** Returns the present time by every clock, which is stored with a row that leaves. */
  readonly moment: () => Moment;
  /** Returns the age of a row that left in an earlier run, or on another machine. */
  readonly ageOf: (left: Moment) => Age;
  /** True if a row that left in this run may leave again. */
  readonly mayGoOn: (left: Moment) => boolean;
}

export interface RunOptions {
  /** The number of rows under way at the same time. */
  readonly concurrency: number;
  /** Requests a second; null: no limit. With several workers the batch's rate counts instead. */
  readonly ratePerSecond: number | null;
  /** Stops the run: requests under way end, and nothing new leaves. */
  readonly signal: AbortSignal;
  /** The states of the rows to send. Default: all that can be sent. */
  readonly states?: readonly RowState[];
  /** The numbers of the rows to send in their order, if not all are sent. */
  readonly only?: readonly number[] | undefined;
  /** Called for each row that ends, but not for rows put back by a stop. */
  readonly onRow?: (row: ClaimedRow, rowStatus: RowStatus) => void;
}

/**
 * Runs until all rows were sent or the run had to stop. Returns why it stopped; null if it did not.
 * @throws anything that the store throws, after requests under way have ended: then nothing leaves and nothing is repeated; Failure `local_state`
 * (`clocks_differ`) if the ages of rows are unknown; the refusal of a row, after everything is recorded
 */
export async function runBatch(batch: Batch, options: RunOptions, world: RunWorld): Promise<Stop | null> {
  let remaining = options;
  for (let pass = 1; ; pass += 1) {
    // In the last pass an old failure is the row's end: with a clock that is behind, every operation looks old.
    const { moveOn: _, ...asLast } = world;
    const { stop, moved } = await runOnce(batch, remaining, pass === TRIES_MAX ? asLast : world);
    const { states = SENDABLE } = options;
    if (stop !== null || moved === 0 || !isOneOf(states, 'planned')) return stop;
    remaining = { ...options, states: ['planned'] };
  }
}

/** The number of keys that one run tries for a payment. */
const TRIES_MAX = 12;

/** Makes one pass through the rows. @returns why the run stopped, and how many rows were planned again with another key */
async function runOnce(
  batch: Batch,
  options: RunOptions,
  world: RunWorld,
): Promise<{ readonly stop: Stop | null; readonly moved: number }> {
  const { store, clock, ages, holders, worker = null } = world;
  const { concurrency, signal, states = SENDABLE, only } = options;
  const clockFailure = clockDifference(world);
  if (clockFailure !== null) throw clockFailure;
  assertBalanced(batch, await store.tally(batch.id));
  // With several workers, each row brings its slot of the shared rate.
  const gate = new Gate(clock, worker === null ? options.ratePerSecond : null, signal);
  const brake = new Brake();
  const claimOptions = { moment: ages.moment, heldAmong: holders?.among, ...countsOf(options, worker) };
  const inHand = new RowsInHand({ batch, store, clock, gate, states, only, ...claimOptions });
  let stopNoted: Promise<void> = Promise.resolve();
  worker?.listen(({ pauseMs, stopped, silentRows }) => {
    if (pauseMs > 0) gate.pause(pauseMs);
    const silence = gate.isClosed || stopped !== null ? null : brake.noteAll(silentRows);
    if (stopped !== null) gate.close(stopped);
    if (silence === null) return;
    gate.close(silence);
    // If this note fails, every other worker comes to the same result by its own count.
    stopNoted = worker.stop(silence).catch(() => undefined);
  });
  const work = async (): Promise<void> => {
    try {
      while (!gate.isClosed) {
        const handedRow = await inHand.next();
        if (handedRow === null) return;
        const { row, doubted } = handedRow;
        const sent = await sendRow(handedRow, gate, world);
        if ('next' in sent) {
          await inHand.planAgain(sent.next);
          continue;
        }
        const { standing, last } = sent;
        if (standing.state === 'rejected') await world.onRejected?.(row);
        const stop = last === null ? null : brake.note(last, standing.state);
        if (stop !== null) gate.close(stop);
        worker?.reportSilentRows(brake.silent);
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
  // Whatever broke one loop, the results of the others are recorded, unless the store itself failed.
  const [recorded] = await Promise.allSettled([inHand.end(), stopNoted]);
  if (broken !== undefined) throw broken.reason;
  if (recorded.status === 'rejected') throw recorded.reason;
  if (gate.failure !== null) throw gate.failure;
  assertBalanced(batch, await store.tally(batch.id));
  return { stop, moved: inHand.replannedCount };
}

/** Returns how many rows to take at first, and at most. Only few at a shared rate, because each taken row has a slot that must not be missed. */
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

const NO_ATTEMPTS: readonly Attempt[] = [];

type SentRow =
  { readonly standing: RowStatus; readonly last: Attempt | null } | { readonly next: RenewedRow };

/** Sends a row until an answer settles it or its attempts are spent. A doubted answer counts as the first attempt. */
async function sendRow({ row, doubted }: HandedRow, gate: Gate, world: RunWorld): Promise<SentRow> {
  const { attempt, holders, random, ages, worker = null } = world;
  const turn = turnOf(row, gate, world);
  // Checked before each sending, because the machine may have slept in between.
  let reasonKept = null as RowStatus | null;
  const mayLeave = async (attempts: readonly Attempt[]): Promise<boolean> => {
    if (!(await turn())) return false;
    const apart = clockDifference(world);
    if (apart !== null) gate.fail(apart);
    if (gate.isClosed) return false;
    reasonKept = reasonToKeep(row, attempts, ages);
    if (reasonKept !== null) return false;
    const refused = (await world.refusal?.(row)) ?? null;
    if (refused !== null) gate.fail(refused);
    return refused === null && !gate.isClosed;
  };
  const believed = async (answer: Attempt): Promise<Attempt> =>
    doubted === null || holders === undefined ? answer : holders.believe(row, answer);
  const attempts =
    doubted === null && !(await mayLeave(NO_ATTEMPTS))
      ? NO_ATTEMPTS
      : await runAttempts({
          retry: 'keyed',
          patience: ROW_PATIENCE,
          fraction: () => random.fraction(),
          attempt: async (count) =>
            believed(count === 1 && doubted !== null ? answerWith(doubted) : await attempt(row)),
          wait: async (waitMs, last, operation) => {
            if (!isLimited(last)) await gate.wait(waitMs);
            else {
              gate.pause(waitMs);
              await worker?.pause(waitMs);
            }
            return mayLeave(operation);
          },
        });
  if (reasonKept !== null) return { standing: reasonKept, last: null };
  const last = attempts.at(-1) ?? null;
  const operation = last?.kind === 'success' ? last.operation : null;
  const isHeld = last?.kind === 'success' && last.isHeldElsewhere === true;
  const isFromBefore = operation !== null && (isHeld || isOlder(operation, row.sentAtMs));
  const isUsed = last !== null && isReused(last);
  const mayMove = isFromBefore || isUsed;
  const next = mayMove ? ((await world.moveOn?.(row, operation, isUncertain(row.before))) ?? null) : null;
  if (next !== null && 'key' in next) return { next };
  return { standing: next ?? judgeRow(row, attempts), last };
}

/** Rebuilds an answer, of which only the operation was kept. */
function answerWith(operation: OperationFacts): Attempt {
  const answer = { status: 201, headers: [], body: new Uint8Array() };
  return { kind: 'success', operation, value: undefined, answer, retryAfterMs: null };
}

/** Returns why an open row may not leave again; null if it may. A row from an earlier run needs a known age. */
function reasonToKeep(
  { before, left }: ClaimedRow,
  attempts: readonly Attempt[],
  { ageOf, mayGoOn }: RowAges,
): RowStatus | null {
  if (!isOpen(before, attempts)) return null;
  if (!isUncertain(before)) return mayGoOn(left) ? null : TOO_OLD;
  const age = ageOf(left);
  // The age is unknown: the row waits for a person, or for clocks that give its age.
  if (age.kind !== 'known')
    return { ...NO_OPERATION, state: 'needs_review', code: age.kind, detail: unsureText(age) };
  return maySendAgain(age) ? null : TOO_OLD;
}

/**
 * Returns a function that waits for the turn of a sending; false if the run is over. A run that is alone uses the gate's rate. With other workers
 * each sending has its own slot of the shared rate, and reserves another slot if it missed the first.
 */
function turnOf(
  { leavesAtMs = null }: ClaimedRow,
  gate: Gate,
  { clock, worker = null }: RunWorld,
): () => Promise<boolean> {
  if (worker === null) return () => gate.pass();
  let slotMs = leavesAtMs;
  const hasRate = slotMs !== null;
  return async () => {
    for (;;) {
      if (!(await gate.pass())) return false;
      const leftMs = slotMs === null ? 0 : slotMs - clock.monotonic();
      if (hasRate && (slotMs === null || leftMs < -MISSED_MS)) {
        // A worker that was away has missed its slots and may have lost its rows. By now others may send without a rate.
        await worker.mayLeave();
        slotMs = await worker.slot();
      }
      // Timers have whole milliseconds.
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

/** Clocks may differ by this much, because a key is trusted for 23 of its 24 hours. */
const APART_MS = 5 * 60_000;

/** Returns null if the clocks agree, or if only one is known. */
function clockDifference({ serviceMs = () => null, worker = null }: RunWorld): Failure | null {
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
