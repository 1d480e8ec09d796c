import { type Attempt, isLimited, hasReusedKey } from '../../contract/attempt.js';
import { type Age, type Moment, maySendAgain, unsureText } from '../../contract/moment.js';
import type { Clock, Random } from '../../runtime/clock.js';
import type { Batch, BatchStore } from '../../storage/batches/batch-store.js';
import type { ClaimedRow, RenewedRow, RowStatus } from '../../storage/batches/row.js';
import { assertBalanced } from '../../storage/batches/tally.js';
import type { Worker, Stop } from '../../storage/batches/worker.js';
import { Brake, stopsAllWorkers } from './brake.js';
import { Gate, TIMER_DELAY_MAX_MS } from './gate.js';
import { BLOCK_MS, type HandedRow, RowsInHand, type RowsInHandOptions } from './taken-rows.js';
import {
  isOpen,
  judgeRow,
  NO_OPERATION,
  PUT_BACK_CODE,
  TOO_OLD_STATUS,
} from '../../payments/known/row-outcome.js';
import { runAttempts, ROW_PATIENCE } from '../../contract/retry.js';
import { isOneOf, isUncertain, type RowState, SENDABLE } from '../../storage/batches/row-state.js';
import { isOlder, type OperationFacts } from '../../contract/operation-facts.js';
import { Failure } from '../../runtime/failure.js';

/** `olderPayment` is null if a request with another body used the key. */
export type HandleUsedKey = (
  row: ClaimedRow,
  olderPayment: OperationFacts | null,
  isOpen: boolean,
) => Promise<RenewedRow | RowStatus | null>;

interface RunWorld {
  readonly store: Pick<BatchStore, 'exchange' | 'renew' | 'tally'>;
  readonly attempt: (row: ClaimedRow) => Promise<Attempt>;
  readonly findRefusal: (row: ClaimedRow) => Promise<Failure | null>;
  readonly handleUsedKey: HandleUsedKey;
  readonly holders: {
    readonly findHeldRows: RowsInHandOptions['findHeldRows'];
    readonly judgeAnswer: (row: ClaimedRow, answer: Attempt) => Promise<Attempt>;
  };
  readonly onRejected: (row: ClaimedRow) => Promise<void>;
  readonly clock: Clock;
  readonly random: Pick<Random, 'fraction'>;
  readonly ages: RowAges;
  readonly serviceMs: () => number | null;
  readonly worker: Worker | null;
}

export interface RowAges {
  readonly moment: () => Moment;
  readonly ageOf: (sentMoment: Moment) => Age;
  readonly mayResend: (sentMoment: Moment) => boolean;
}

export interface RunOptions {
  readonly concurrency: number;
  readonly ratePerSecond: number | null;
  readonly signal: AbortSignal;
  readonly states?: readonly RowState[];
  readonly rowNumbers?: readonly number[] | undefined;
  readonly onRow?: (row: ClaimedRow, rowStatus: RowStatus) => void;
}

export async function runBatch(batch: Batch, options: RunOptions, world: RunWorld): Promise<Stop | null> {
  let passOptions = options;
  for (let pass = 1; ; pass += 1) {
    const passWorld = pass === PASSES_MAX ? { ...world, handleUsedKey: () => Promise.resolve(null) } : world;
    const { stop, replannedCount } = await runOnce(batch, passOptions, passWorld);
    const { states = SENDABLE } = options;
    if (stop !== null || replannedCount === 0 || !isOneOf(states, 'planned')) return stop;
    passOptions = { ...options, states: ['planned'] };
  }
}

const PASSES_MAX = 12;

async function runOnce(batch: Batch, options: RunOptions, world: RunWorld) {
  const { store, clock, ages, holders, worker } = world;
  const { concurrency, signal, states = SENDABLE, rowNumbers } = options;
  const clockFailure = clocksDifferFailure(world);
  if (clockFailure !== null) throw clockFailure;
  assertBalanced(batch, await store.tally(batch.id));
  const gate = new Gate(clock, worker === null ? options.ratePerSecond : null, signal);
  const brake = new Brake();
  const claimOptions = { moment: ages.moment, findHeldRows: holders.findHeldRows, rowNumbers };
  const sizes = claimSizes(options, worker);
  const rowsInHand = new RowsInHand({ batch, store, clock, gate, states, ...claimOptions, ...sizes });
  let stopReport: Promise<void> = Promise.resolve();
  worker?.listen(({ pauseMs, stopped, silentRows }) => {
    if (pauseMs > 0) gate.pause(pauseMs);
    const silence = gate.isClosed || stopped !== null ? null : brake.noteSilenceOfAll(silentRows);
    if (stopped !== null) gate.close(stopped);
    if (silence === null) return;
    gate.close(silence);
    stopReport = worker.stop(silence).catch(() => undefined);
  });
  const sendRows = async (): Promise<void> => {
    try {
      while (!gate.isClosed) {
        const handedRow = await rowsInHand.next();
        if (handedRow === null) return;
        const { row, doubtedOperation } = handedRow;
        const sendEnd = await sendRow(handedRow, gate, world);
        if ('renewedRow' in sendEnd) {
          await rowsInHand.planAgain(sendEnd.renewedRow);
          continue;
        }
        const { rowStatus, lastAttempt } = sendEnd;
        if (rowStatus.state === 'rejected') await world.onRejected(row);
        const stop = lastAttempt === null ? null : brake.note(lastAttempt, rowStatus.state);
        if (stop !== null) gate.close(stop);
        worker?.reportSilentRows(brake.silentCount);
        const isNew = doubtedOperation === null && !isUncertain(row.stateBefore);
        await rowsInHand.addResult(
          row,
          rowStatus,
          isNew && lastAttempt?.kind === 'success' ? lastAttempt.operation : null,
        );
        if (stop !== null && stopsAllWorkers(stop)) await worker?.stop(stop);
        if (doubtedOperation === null && rowStatus.code !== PUT_BACK_CODE) options.onRow?.(row, rowStatus);
      }
    } catch (error) {
      gate.close(null);
      throw error;
    }
  };
  const loopEnds = await Promise.allSettled(Array.from({ length: concurrency }, sendRows));
  const { stop } = gate;
  gate.close(null);
  const failedLoop = loopEnds.find((end) => end.status === 'rejected');
  // Records the results even if one loop failed, because the others have sent rows.
  const [recording] = await Promise.allSettled([rowsInHand.end(), stopReport]);
  if (failedLoop !== undefined) throw failedLoop.reason;
  if (recording.status === 'rejected') throw recording.reason;
  if (gate.failure !== null) throw gate.failure;
  assertBalanced(batch, await store.tally(batch.id));
  return { stop, replannedCount: rowsInHand.replannedCount };
}

function claimSizes({ concurrency, ratePerSecond }: RunOptions, worker: Worker | null) {
  const rate = worker === null ? ratePerSecond : worker.ratePerSecond;
  if (rate === null) return { firstClaimSize: concurrency, claimSizeMax: Infinity };
  if (worker === null)
    return { firstClaimSize: concurrency, claimSizeMax: Math.max(concurrency, Math.ceil(rate)) };
  const size = Math.ceil((rate * BLOCK_MS) / 1000);
  return { firstClaimSize: size, claimSizeMax: size };
}

const NO_ATTEMPTS: readonly Attempt[] = [];

type SendEnd =
  | { readonly rowStatus: RowStatus; readonly lastAttempt: Attempt | null }
  | { readonly renewedRow: RenewedRow };

async function sendRow({ row, doubtedOperation }: HandedRow, gate: Gate, world: RunWorld): Promise<SendEnd> {
  const { attempt, holders, random, ages, worker } = world;
  const waitForTurn = turnWaiter(row, gate, world);
  let keptStatus = null as RowStatus | null;
  // Checks before each attempt, because the machine may have slept since the last check.
  const mayLeave = async (attempts: readonly Attempt[]): Promise<boolean> => {
    if (!(await waitForTurn())) return false;
    const clockFailure = clocksDifferFailure(world);
    if (clockFailure !== null) gate.fail(clockFailure);
    if (gate.isClosed) return false;
    keptStatus = reasonToKeep(row, attempts, ages);
    if (keptStatus !== null) return false;
    const refusal = await world.findRefusal(row);
    if (refusal !== null) gate.fail(refusal);
    return refusal === null && !gate.isClosed;
  };
  const judgeAnswer = async (answer: Attempt): Promise<Attempt> =>
    doubtedOperation === null ? answer : holders.judgeAnswer(row, answer);
  const attempts =
    doubtedOperation === null && !(await mayLeave(NO_ATTEMPTS))
      ? NO_ATTEMPTS
      : await runAttempts({
          retry: 'keyed',
          patience: ROW_PATIENCE,
          fraction: () => random.fraction(),
          attempt: async (count) =>
            judgeAnswer(
              count === 1 && doubtedOperation !== null ? answerWith(doubtedOperation) : await attempt(row),
            ),
          wait: async (waitMs, last, attemptsSoFar) => {
            if (!isLimited(last)) await gate.wait(waitMs);
            else {
              gate.pause(waitMs);
              await worker?.pause(waitMs);
            }
            return mayLeave(attemptsSoFar);
          },
        });
  if (keptStatus !== null) return { rowStatus: keptStatus, lastAttempt: null };
  const lastAttempt = attempts.at(-1) ?? null;
  const operation = lastAttempt?.kind === 'success' ? lastAttempt.operation : null;
  const isHeld = lastAttempt?.kind === 'success' && lastAttempt.isHeldElsewhere === true;
  const isOlderPayment = operation !== null && (isHeld || isOlder(operation, row.sentAtMs));
  const isKeyReused = lastAttempt !== null && hasReusedKey(lastAttempt);
  const wasKeyUsed = isOlderPayment || isKeyReused;
  const keyOutcome = wasKeyUsed
    ? await world.handleUsedKey(row, operation, isUncertain(row.stateBefore))
    : null;
  if (keyOutcome !== null && 'key' in keyOutcome) return { renewedRow: keyOutcome };
  return { rowStatus: keyOutcome ?? judgeRow(row, attempts), lastAttempt };
}

function answerWith(operation: OperationFacts): Attempt {
  const answer = { status: 201, headers: [], body: new Uint8Array() };
  return { kind: 'success', operation, value: undefined, answer, retryAfterMs: null };
}

function reasonToKeep(
  { stateBefore, sentMoment }: ClaimedRow,
  attempts: readonly Attempt[],
  { ageOf, mayResend }: RowAges,
): RowStatus | null {
  if (!isOpen(stateBefore, attempts)) return null;
  if (!isUncertain(stateBefore)) return mayResend(sentMoment) ? null : TOO_OLD_STATUS;
  const age = ageOf(sentMoment);
  if (age.kind !== 'known')
    return { ...NO_OPERATION, state: 'needs_review', code: age.kind, detail: unsureText(age) };
  return maySendAgain(age) ? null : TOO_OLD_STATUS;
}

function turnWaiter(
  { slotAtMs = null }: ClaimedRow,
  gate: Gate,
  { clock, worker }: RunWorld,
): () => Promise<boolean> {
  if (worker === null) return () => gate.pass();
  let slotMs = slotAtMs;
  const hasRate = slotMs !== null;
  return async () => {
    for (;;) {
      if (!(await gate.pass())) return false;
      const remainingMs = slotMs === null ? 0 : slotMs - clock.monotonic();
      if (hasRate && (slotMs === null || remainingMs < -TIMER_DELAY_MAX_MS)) {
        // The lease is checked before a slot is taken, because a late worker may have lost its rows.
        await worker.requireLease();
        slotMs = await worker.slot();
      } else if (remainingMs > 0) await gate.wait(Math.ceil(remainingMs));
      else {
        await worker.requireLease();
        if (gate.isClosed) return false;
        if (slotMs !== null && clock.monotonic() - slotMs > TIMER_DELAY_MAX_MS) continue;
        slotMs = null;
        return true;
      }
    }
  };
}

/** Refuses a larger difference, because the age of an idempotency key could not be trusted. */
const CLOCK_DIFFERENCE_MAX_MS = 5 * 60_000;

function clocksDifferFailure({ serviceMs, worker }: RunWorld): Failure | null {
  const databaseMs = worker?.databaseMs ?? null;
  const serviceTimeMs = databaseMs === null ? null : serviceMs();
  if (serviceTimeMs === null || databaseMs === null) return null;
  const databaseAheadMs = databaseMs - serviceTimeMs;
  if (Math.abs(databaseAheadMs) <= CLOCK_DIFFERENCE_MAX_MS) return null;
  const minutes = Math.round(Math.abs(databaseAheadMs) / 60_000);
  const difference = minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`;
  const text =
    `The clock of the database of the shared state is ${difference} ${databaseAheadMs > 0 ? 'ahead of' : 'behind'} that of the service: ` +
    'the age of a row is unknown. Nothing leaves until they agree.';
  return new Failure('local_state', text, { code: 'clocks_differ', outcome: 'not_sent' });
}
