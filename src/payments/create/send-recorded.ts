import type { Conclusion } from '../../client/conclusion.js';
import type { PreparedRequest } from '../../client/request.js';
import { isSameId, momentText } from '../../contract/notation.js';
import { CONTRADICTED } from '../../contract/operation.js';
import type { OperationFacts } from '../../contract/operation-facts.js';
import type { Journal, LearntTimes, RecordedRequest } from '../../storage/journal/journal.js';
import type { AgeOf, SettledRequest, JournalRequest } from '../../storage/journal/request.js';
import { Failure, toFailure } from '../../runtime/failure.js';
import {
  concludeCall,
  durableEnding,
  type Ending,
  type CallResult,
  repeatLine,
  type TypedLine,
} from '../../command/ending.js';
import type { Where } from '../../session/place-flags.js';
import type { Session } from '../../session/session.js';
import { holdersFor } from '../known/holders.js';
import type { SessionRun } from '../../command/command.js';
import { type PreparedCreate, type UnrecordedCreate, unrecordedCreateOf } from './prepared-create.js';
import { KEY_REUSED } from '../../contract/attempt.js';
import { isDatabaseCode } from '../../runtime/database-unusable.js';
import { Stopped } from '../../runtime/ports.js';
import { ReaderGone } from '../../runtime/streams.js';

export async function judgeCreate(preparedCreate: PreparedCreate, journal: Journal): Promise<void> {
  const { run, prepared, options } = preparedCreate;
  const { guard } = run.session;
  if (!(await guard.hasRules())) return;
  const { idempotencyKey: key, request } = prepared;
  const mayBeRepeat = options.keySource !== 'payment' && key !== null;
  const isAdmitted = mayBeRepeat && (await journal.hasLeft(key));
  await guard.judge(request, { isAdmitted }).catch(async (refusal: unknown) => {
    const isUnapproved = refusal instanceof Failure && refusal.facts.code === 'approvals_missing';
    throw isUnapproved ? (await import('./row-instead.js')).addBatchAdvice(refusal, preparedCreate) : refusal;
  });
}

export async function admitCreate(
  preparedCreate: PreparedCreate,
  journal: Journal,
): Promise<UnrecordedCreate> {
  await judgeCreate(preparedCreate, journal);
  return unrecordedCreateOf(preparedCreate, journal);
}

interface RecordedSending {
  readonly journal: Journal;
  readonly recorded: RecordedRequest;
  readonly prepared: PreparedRequest;
}

export type SendEnd =
  | ({ readonly kind: 'answered' } & CreateEnd)
  | ({ readonly kind: 'older_payment'; readonly operation: OperationFacts } & CreateEnd)
  | ({ readonly kind: 'key_reused' } & CreateEnd);

export async function sendRecorded(
  { journal, recorded, prepared }: RecordedSending,
  run: SessionRun<Where>,
): Promise<SendEnd> {
  const { request, settlement, isNew } = recorded;
  const { idempotencyKey: key, isOwnKey, generation } = request;
  const { session, ports } = run;
  const permit = await session.guard
    .permit(prepared.request, { isAdmitted: !isNew || settlement !== null })
    .catch(async (refusal: unknown) => {
      await journal.withdraw(request);
      throw refusal;
    });
  await ports.errors.write(`Idempotency-Key: ${key}\n`);
  const create = {
    isOwnKey: isOwnKey || settlement !== null || generation !== null,
    firstLeftMs: isNew || settlement !== null ? null : request.firstLeftMs,
  };
  const answerTimes = timesAfterAnswer(session, recorded);
  const result = await session.client
    .send(prepared, {
      signal: ports.signal,
      create,
      firstSentAt: request.left ?? undefined,
      permit,
      findHolder: holdersFor(
        { ...request, place: request.row, wasSentBefore: !isNew },
        { journal, holders: async (operations) => (await run.app.stores()).holders(operations) },
        run,
      ),
    })
    .then(concludeCall)
    .catch((error: unknown) => {
      throw interruptedFailure(error, 'unknown', key, run);
    });
  const { conversation, conclusion } = result;
  const { operation } = conclusion;
  const lastAttempt = conversation.attempts.at(-1);
  if (operation !== null && lastAttempt?.kind === 'success' && lastAttempt.isContradicted === true) {
    await tryToNote(session, async () => {
      await settleRequest(journal, request, conclusion, answerTimes());
      await journal.setStatus(operation.id, CONTRADICTED);
    });
    const { olderPaymentFailure } = await import('../refusals.js');
    throw olderPaymentFailure({ ...operation, status: CONTRADICTED }, conclusion, request, run);
  }
  const end = { result, request, learntTimes: answerTimes, wasSent: true };
  if (generation !== null && settlement === null) {
    if (operation !== null && conclusion.isOlder && conclusion.exitCode !== 12)
      return { kind: 'older_payment', operation, ...end };
    const isReused = conversation.attempts.some(
      (attempt) => attempt.kind === 'refused' && attempt.error?.code === KEY_REUSED,
    );
    if (isReused) return { kind: 'key_reused', ...end };
  }
  await noteOlderOperation(conclusion, settlement, session);
  return { kind: 'answered', ...end };
}

export function ageReader({ clock }: Session): AgeOf {
  return (then, sharedMs) => clock.ageOf(then, sharedMs);
}

function timesAfterAnswer({ clock }: Session, { isNew }: Pick<RecordedRequest, 'isNew'>): () => LearntTimes {
  const isSendTimeUnknown = isNew && !clock.isTimeProved();
  const startedAtMs = clock.monotonic();
  return () => ({
    ...(isSendTimeUnknown && clock.isTimeProved() ? { leftServiceMs: clock.at(startedAtMs) } : {}),
    anchor: clock.anchor,
  });
}

export async function noteOlderOperation(
  { exitCode, operation, isOlder }: Conclusion,
  settlement: SettledRequest | null,
  session: Session,
): Promise<void> {
  if (operation === null || exitCode === 12 || (settlement === null && !isOlder)) return;
  if (settlement !== null && !isSameId(settlement.operation, operation.id)) {
    await session.note(
      `This key made operation ${settlement.operation} before, but the service answered with another one: both may be paid.`,
    );
    return;
  }
  const when = operation.createdAtMs === null ? 'before' : `at ${momentText(operation.createdAtMs)}`;
  await session.note(`This key made operation ${operation.id} ${when}. Nothing new was paid.`);
}

export interface CreateEnd {
  readonly result: CallResult;
  readonly request: JournalRequest;
  readonly learntTimes: () => LearntTimes;
  readonly wasSent: boolean;
}

/** The request is settled only after its result is printed, so that a repeat can recover a lost result. */
export async function closeRequest(
  { result: { conversation, conclusion }, request, learntTimes, wasSent }: CreateEnd,
  printing: Promise<Ending>,
  journal: Journal,
  run: SessionRun<Where>,
): Promise<void> {
  const failureWithKey = (error: unknown): unknown =>
    wasSent ? interruptedFailure(error, conclusion.outcome, request.idempotencyKey, run) : error;
  const { error, isShown, lastSeen } = await printing
    .then((ending) => durableEnding(ending, conversation, run.ports))
    .catch((reason: unknown) => {
      throw failureWithKey(reason);
    });
  await tryToNote(run.session, async () => {
    if (isShown) await settleRequest(journal, request, conclusion, learntTimes(), lastSeen);
    else if (wasSent) await journal.keepOpen(request, learntTimes());
  });
  if (!isShown) throw failureWithKey(error);
  if (error !== null) throw error;
}

export function interruptedFailure(
  error: unknown,
  outcome: Conclusion['outcome'],
  idempotencyKey: string,
  run: TypedLine,
): unknown {
  if (error instanceof ReaderGone || error instanceof Stopped || !(error instanceof Error)) return error;
  const originalFailure = error instanceof Failure ? error : toFailure(error);
  const failure = new Failure(originalFailure.kind, originalFailure.head, {
    ...originalFailure.facts,
    outcome,
    idempotencyKey,
    nextCommand: repeatLine(idempotencyKey, run),
    cause: error,
  });
  failure.stack = error.stack ?? '';
  return failure;
}

export async function settleRequest(
  journal: Journal,
  request: JournalRequest,
  { operation, outcome }: Conclusion,
  times: LearntTimes,
  lastSeen: Ending['lastSeen'] = null,
): Promise<void> {
  if (outcome === 'unknown') await journal.keepOpen(request, times);
  else if (operation !== null) await journal.settle(request, settlementOf(operation), times);
  else await journal.withdraw(request);
  if (lastSeen !== null && lastSeen.id === operation?.id && lastSeen.status !== operation.status)
    await journal.noteStatus(lastSeen.id, lastSeen.status);
}

export function settlementOf({ id, status, createdAtMs }: OperationFacts): SettledRequest {
  return { operation: id, status, createdAtMs };
}

/** A failure of the database is only noted, because the open request can be repeated without harm. */
export async function tryToNote(session: Session, note: () => Promise<void>): Promise<void> {
  try {
    await note();
  } catch (reason) {
    if (!(reason instanceof Failure) || !isDatabaseCode(reason.facts.code)) throw reason;
    await session.note(`${reason.message} This request stays in "svc requests list".`);
  }
}
