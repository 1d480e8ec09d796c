import { runBatch } from './run/engine.js';
import { followBatch, type BatchFollowOptions } from './run/follow.js';
import type { Batch } from '../storage/batches/batch-store.js';
import { type FindHolder, markHolder } from '../client/client.js';
import { referenceMark } from '../contract/marks.js';
import { rowsHeldElsewhere, holdersFor, type HoldingStores, placeOf } from '../payments/known/holders.js';
import { isOneOf, isUncertain, SKIPPED_PENDING } from '../storage/batches/row-state.js';
import type { ClaimedRow } from '../storage/batches/row.js';
import { countOf } from '../storage/batches/tally.js';
import { isFinal } from '../contract/operation.js';
import { hasExpired } from './approval/refusals.js';
import { isDatabaseCode } from '../runtime/database-unusable.js';
import { Failure } from '../runtime/failure.js';
import { Stopped } from '../runtime/ports.js';
import { maskOfKey } from '../session/address.js';
import { askServiceTime } from '../session/session.js';
import { expiryFailure, statesToSend } from './approval/check-approval.js';
import { operationReader, rowSender } from './run/attempts.js';
import {
  batchCommand,
  failureOfEnd,
  planHeadOf,
  failureAfterRefusal,
  type SkippedPayment,
  stopFacts,
  type Summary,
  summaryOf,
} from './ending.js';
import type { SendingFlags } from './flags.js';
import { usedKeyRule } from './check/clearance.js';
import { type ApprovedPlan, type BulkJob, clearanceWorld } from './batch-run.js';
import { printNextCommand, printSummary } from './print-summary.js';
import { reportProgress } from './progress.js';

export async function sendBatch(
  batch: Batch,
  job: BulkJob,
  retriedNumbers?: readonly number[],
): Promise<void> {
  const { ports, flags, sending, session, store, printer, approvedPlan, sources } = job;
  const { random, signal } = ports;
  const { clock } = session;
  if (batch.keyMask !== maskOfKey(session.key))
    await session.note(`This API key is not the one that planned the batch (${batch.keyMask}).`);
  const tally = await store.tally(batch.id);
  const expiry = expiryGuard(approvedPlan, () => clock.sinceMs(0));
  const states = statesToSend(approvedPlan);
  const openGroups = tally.filter(({ state }) => isOneOf(states, state));
  const rowsToSend = retriedNumbers?.length ?? openGroups.reduce((sum, { rows }) => sum + rows, 0);
  const { concurrency, ratePerSecond } = sending;
  const worker = await store.join(batch.id, 'send', sending);
  await askServiceTime(job);
  if (ratePerSecond === null && worker !== null && worker.ratePerSecond !== null)
    await session.note(`All machines together send this batch at ${worker.ratePerSecond}/s.`);
  const countAll = worker === null ? null : () => store.tally(batch.id);
  const progress = await reportProgress(ports, flags, batch, rowsToSend, false, countAll);
  const onStop = (): void => {
    if (ports.errors.isTTY && !flags.quiet) void ports.errors.write('\n');
    const resume = batchCommand('resume', batch.name, flags);
    void session.note(
      `Finishing requests in progress. Press Ctrl-C again to stop now; this is safe. Then: ${resume}`,
    );
  };
  signal.addEventListener('abort', onStop, { once: true });
  const mayLeave = (): boolean => worker?.isGood ?? true;
  const stores: HoldingStores = { journal: sources.journal, holders: (ids) => store.holders(ids) };
  const holderOf = ({ line, reference, stateBefore }: ClaimedRow): FindHolder => {
    const create = { place: placeOf(batch.name, line), referenceMark: referenceMark(reference) };
    return holdersFor({ ...create, wasSentBefore: isUncertain(stateBefore) }, stores, job);
  };
  const { findRefusal, attempt } = rowSender(session, batch.direction, mayLeave, holderOf);
  let hasSent = false as boolean;
  let firstRefusal = null as Failure | null;
  const stop = await runBatch(
    batch,
    { concurrency, ratePerSecond, signal, states, rowNumbers: retriedNumbers, onRow: progress.onRow },
    {
      store,
      clock,
      random,
      worker,
      handleUsedKey: usedKeyRule(batch, clearanceWorld(job)),
      holders: {
        findHeldRows: (answeredRows) => rowsHeldElsewhere(answeredRows, batch.name, stores),
        judgeAnswer: (row, answer) => markHolder(answer, holderOf(row)),
      },
      onRejected: ({ key, body }) => job.sources.knowledge.keyNotes.note(key, 'refused', body),
      serviceMs: () => clock.sinceMs(0),
      ages: {
        moment: () => clock.moment(),
        ageOf: (sentMoment) => clock.ageOf(sentMoment, worker?.databaseMs ?? undefined),
        mayResend: (sentMoment) => clock.maySendAgain(sentMoment, worker?.databaseMs ?? undefined),
      },
      findRefusal: async (row) => {
        if (expiry.keepsBack(row)) return EXPIRY_FAILURE;
        const rowRefusal = await findRefusal(row);
        firstRefusal ??= rowRefusal;
        return rowRefusal;
      },
      attempt: (row) => {
        hasSent = true;
        return attempt(row);
      },
    },
  )
    .catch((error: unknown) => {
      // Returns null, because the run must print the summary of the sent rows before it fails.
      if (error === EXPIRY_FAILURE || (hasSent && error === firstRefusal)) return null;
      throw hasSent ? storeFailure(error, batch, flags) : error;
    })
    .finally(async () => {
      signal.removeEventListener('abort', onStop);
      await progress.end();
      await worker?.end();
      if (worker !== null && worker.lateResults > 0)
        await session.note(
          `Others continued ${worker.lateResults} ${worker.lateResults === 1 ? 'row' : 'rows'} before this run recorded the outcome.`,
        );
    });
  const isStopped = stop !== null || firstRefusal !== null;
  const endsAtMs = ports.clock.monotonic() + (sending.waitMs ?? 0);
  const isFollowed = isStopped || (await followPending(batch, job));
  const skippedPayments = isStopped ? [] : await followSkipped(batch, job, endsAtMs);
  const isSkippedPending = sending.waitMs !== null && !isStopped && !skippedPayments.every(hasEnded);
  const finalTally = await store.tally(batch.id);
  const sharedStop = stop === null ? null : ((await store.sharing(batch.id))?.stopped ?? null);
  const summary: Summary = {
    ...summaryOf(batch.name, batch, finalTally, flags),
    ...(skippedPayments.length === 0 ? {} : { skipped_pending: skippedPayments }),
    ...(sharedStop === null ? {} : { stopped: stopFacts(sharedStop) }),
  };
  const isStillPending = !isFollowed || isSkippedPending;
  const isRetry = retriedNumbers !== undefined;
  const end = { batch, summary, tally: finalTally, stop, isStillPending, isRetry, where: flags };
  const endFailure = firstRefusal === null ? failureOfEnd(end) : failureAfterRefusal(end, firstRefusal);
  const isUndecided = endFailure?.kind === 'unknown_outcome' || endFailure?.kind === 'no_access';
  const outcome = hasSent ? 'sent' : 'not_sent';
  const expiredFailure =
    approvedPlan === undefined || isUndecided
      ? null
      : expiryFailure({ ...approvedPlan, hasExpired: expiry.isOver }, batch, finalTally, outcome);
  const failure = expiredFailure ?? endFailure;
  const reason: unknown = signal.reason;
  const isResumeShownBelow = printer.mode === 'table' && (failure !== null || reason instanceof Stopped);
  const printedSummary =
    isResumeShownBelow || expiredFailure !== null ? { ...summary, resume_command: null } : summary;
  await printSummary(printedSummary, { batch, store, where: flags }, printer);
  if (reason instanceof Stopped) {
    const savedFailure = new Failure(
      'defect',
      'The requests in progress have ended, and the state is saved.',
      { outcome: failure?.facts.outcome ?? 'sent', nextCommand: summary.resume_command ?? undefined },
    );
    throw new Stopped(reason.signalName, reason.exitCode, savedFailure);
  }
  if (failure !== null) throw failure;
  await printNextCommand(summary, printer, ports, flags);
}

async function followPending(batch: Batch, { ports, flags, sending, session, store }: BulkJob) {
  const { clock, signal } = ports;
  if (sending.waitMs === null) return true;
  const read = operationReader(session, batch.direction);
  const pendingGroups = (await store.tally(batch.id)).filter((entry) => countOf(entry) === 'pending');
  const rows = pendingGroups.reduce((sum, one) => sum + one.rows, 0);
  const progress = await reportProgress(ports, flags, batch, rows, true);
  const onRow: BatchFollowOptions['onRow'] = (row, result) => {
    if (row.state === 'accepted' || row.code === SKIPPED_PENDING) progress.onRow(row, result);
  };
  const options = { concurrency: sending.concurrency, timeoutMs: sending.waitMs, signal, onRow };
  return followBatch(batch, options, { store, clock, read }).finally(progress.end);
}

const READ_EVERY_MS = 5000;

async function followSkipped(batch: Batch, { ports: { clock, signal }, session }: BulkJob, endsAtMs: number) {
  const read = operationReader(session, batch.direction);
  const skippedPayments = (planHeadOf(batch)?.skipped_pending ?? []).map((one) => ({
    ...one,
    status: 'pending',
  }));
  for (;;) {
    for (const one of skippedPayments)
      if (!hasEnded(one)) one.status = (await read(one.operation))?.status ?? one.status;
    const remainingMs = endsAtMs - clock.monotonic();
    if (remainingMs <= 0 || signal.aborted || skippedPayments.every(hasEnded)) return skippedPayments;
    await clock.sleep(Math.min(READ_EVERY_MS, remainingMs), signal).catch(() => undefined);
  }
}

const hasEnded = ({ status }: SkippedPayment): boolean => isFinal(status);

function storeFailure(error: unknown, { name }: Batch, where: SendingFlags): unknown {
  if (!(error instanceof Failure)) return error;
  const nextCommand = batchCommand('resume', name, where);
  const isLost = error.facts.code === 'lease_lost';
  if (!isLost && !isDatabaseCode(error.facts.code)) return error;
  const repair = `Batch ${name} stopped at once, with requests in progress. Repair that, then resume it: the same keys pay nothing twice.`;
  const text = isLost ? error.head : `${error.head} ${repair}`;
  return new Failure(error.kind, text, { ...error.facts, outcome: 'unknown', nextCommand, cause: error });
}

const EXPIRY_FAILURE = new Failure('unsafe', 'The approval has ended.', { code: 'approval_expired' });

function expiryGuard(
  approvedPlan: ApprovedPlan | undefined,
  serviceMs: () => number | null,
): { readonly isOver: boolean; readonly keepsBack: (row: Pick<ClaimedRow, 'stateBefore'>) => boolean } {
  let isOver = approvedPlan?.hasExpired === true;
  return {
    get isOver() {
      return isOver;
    },
    keepsBack: ({ stateBefore }) => {
      if (approvedPlan === undefined || isUncertain(stateBefore)) return false;
      const nowMs = serviceMs();
      isOver ||= nowMs === null || hasExpired(approvedPlan.head, nowMs);
      return isOver;
    },
  };
}
