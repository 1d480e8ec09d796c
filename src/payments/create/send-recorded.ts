import type { PaymentTry } from '../known/key.js';
import type { Conclusion } from '../../client/conclusion.js';
import type { PreparedRequest } from '../../client/request.js';
import { isSameId, momentText } from '../../contract/notation.js';
import { CONTRADICTED } from '../../contract/operation.js';
import type { OperationFacts } from '../../contract/operation-facts.js';
import type { Journal, LearntTimes, RecordedRequest } from '../../storage/journal/journal.js';
import type { AgeOf, SettledRequest } from '../../storage/journal/request.js';
import { Failure, toFailure } from '../../runtime/failure.js';
import { Stopped } from '../../runtime/ports.js';
import { ReaderGone } from '../../runtime/streams.js';
import {
  durableEnding,
  type CallResult,
  concludeCall,
  nextCommand,
  type TypedLine,
} from '../../command/ending.js';
import type { Where } from '../../session/place-flags.js';
import type { Session } from '../../session/session.js';
import { holdersFor } from '../known/holders.js';
import type { SessionRun } from '../../command/command.js';
import type { PreparedCreate } from './prepared-create.js';
import { type PresentResult, settleRequest, tryToNote } from './settle.js';
import { KEY_REUSED } from '../../contract/attempt.js';

/**
 * A create whose key is in the journal is a repeat, and counts as admitted by the guard.
 * @throws Failure `unsafe`; DatabaseUnusable
 */
export async function judgeCreate(preparedCreate: PreparedCreate, journal: Journal): Promise<void> {
  const { run, prepared, options } = preparedCreate;
  const { guard } = run.session;
  if (!(await guard.hasRules())) return;
  const { idempotencyKey: key, request } = prepared;
  const mayBeRepeat = options.keySource !== 'payment' && key !== null;
  const isAdmitted = mayBeRepeat && (await journal.hasLeft(key));
  await guard.judge(request, { isAdmitted }).catch(async (refusal: unknown) => {
    const isUnapproved = refusal instanceof Failure && refusal.facts.code === 'approvals_missing';
    throw isUnapproved ? (await import('./row-instead.js')).addBatchLine(refusal, preparedCreate) : refusal;
  });
}

export interface DerivedKeyHandlers {
  readonly onOlder: (operation: OperationFacts, conclusion: Conclusion) => Promise<PaymentTry>;
  /** The key was used with other data, so this body was never carried out. @param openSinceMs when an unanswered attempt was sent */
  readonly onReused: (openSinceMs: number | null) => Promise<PaymentTry>;
  readonly triesNextKey: boolean;
  readonly onRefused: () => Promise<void>;
}

interface RecordedSending {
  readonly journal: Journal;
  readonly recorded: RecordedRequest;
  readonly prepared: PreparedRequest;
  readonly present: PresentResult;
  readonly handlers: DerivedKeyHandlers | null;
  readonly explain?: (failure: Failure) => Promise<Failure>;
}

/**
 * @returns the try to send next if this key made an older payment; null at the end
 * @throws Failure by the table of exit codes; the error of `present`; Stopped
 */
export async function sendRecorded(
  sending: RecordedSending,
  run: SessionRun<Where>,
): Promise<PaymentTry | null> {
  const { journal, recorded, prepared, present } = sending;
  const { request, known, isNew } = recorded;
  const { idempotencyKey: key, isOwnKey, generation } = request;
  const { session, ports } = run;
  const failureWithKey = (error: unknown, outcome: Conclusion['outcome']): unknown =>
    interruptedFailure(error, outcome, key, run);
  const permit = await session.guard
    .permit(prepared.request, { isAdmitted: !isNew || known !== null })
    .catch(async (refusal: unknown) => {
      // The policy may have changed since `judgeCreate`. Nothing was sent.
      await journal.withdraw(request);
      throw refusal;
    });
  await ports.errors.write(`Idempotency-Key: ${key}\n`);
  // The answer may be an older operation, if the key is known to have made one, or is derived from the payment.
  const create = {
    isOwnKey: isOwnKey || known !== null || generation !== null,
    firstLeftMs: isNew || known !== null ? null : request.firstLeftMs,
  };
  const answerTimes = timesAfterAnswer(session, recorded);
  const result = await session.client
    .send(prepared, {
      signal: ports.signal,
      create,
      firstSent: request.left ?? undefined,
      permit,
      findHolder: holdersFor(
        { ...request, place: request.row, wasSentBefore: !isNew },
        { journal, holders: async (operations) => (await run.app.stores()).holders(operations) },
        run,
      ),
    })
    .then(concludeCall)
    .catch((error: unknown) => {
      throw failureWithKey(error, 'unknown');
    });
  const { conversation, conclusion } = result;
  const { operation } = conclusion;
  const lastAttempt = conversation.attempts.at(-1);
  if (operation !== null && lastAttempt?.kind === 'success' && lastAttempt.isContradicted === true) {
    await tryToNote(session, async () => {
      await settleRequest(journal, request, conclusion, answerTimes());
      await journal.setStatus(operation.id, CONTRADICTED);
    });
    const contradictedEnd = { ...conclusion, operation: { ...operation, status: CONTRADICTED } };
    throw (await import('./reused-key.js')).olderPaymentFailure(contradictedEnd, request, run);
  }
  if (generation !== null && known === null && sending.handlers !== null) {
    const nextTry = await handleDerivedEnd(result, sending, sending.handlers, {
      session,
      learnt: answerTimes,
    });
    if (nextTry !== 'own') return nextTry;
  }
  await noteOlderOperation(conclusion, known, session);
  const { error, isShown, lastSeen } = await present(result)
    .then((ending) => durableEnding(ending, conversation, ports))
    .catch((reason: unknown) => {
      throw failureWithKey(reason, conclusion.outcome);
    });
  await tryToNote(session, () => {
    if (!isShown) return journal.keepOpen(request, answerTimes());
    return settleRequest(journal, request, conclusion, answerTimes(), lastSeen);
  });
  if (!isShown) throw failureWithKey(error, conclusion.outcome);
  if (error === null) return null;
  const isReused = error instanceof Failure && error.facts.code === KEY_REUSED;
  throw isReused && isOwnKey && sending.explain !== undefined ? await sending.explain(error) : error;
}

async function handleDerivedEnd(
  { conclusion, conversation }: CallResult,
  { journal, recorded: { request, isNew } }: RecordedSending,
  handlers: DerivedKeyHandlers,
  { session, learnt: answerTimes }: { readonly session: Session; readonly learnt: () => LearntTimes },
): Promise<PaymentTry | 'own'> {
  const { operation, isOlder, exitCode } = conclusion;
  if (operation !== null && isOlder && exitCode !== 12) {
    if (operation.status === 'failed' && !handlers.triesNextKey) return 'own';
    await tryToNote(session, () => settleRequest(journal, request, conclusion, answerTimes()));
    return handlers.onOlder(operation, conclusion);
  }
  // The service carried out another request under this key, so no attempt with these bytes was carried out, even if its answer was lost.
  const isKeyReused = conversation.attempts.some(
    (attempt) => attempt.kind === 'refused' && attempt.error?.code === KEY_REUSED,
  );
  if (!isKeyReused) {
    if (exitCode === 6) await tryToNote(session, handlers.onRefused);
    return 'own';
  }
  // If the request is new, the service knew the other request before the first attempt, so it carried out no attempt of this one.
  const isOpen = !isNew;
  if (!isOpen) await journal.refute(request);
  const nextTry = await handlers
    .onReused(isOpen ? request.firstLeftMs : null)
    .catch(async (error: unknown) => {
      if (isOpen) await tryToNote(session, () => journal.keepOpen(request, answerTimes()));
      throw error;
    });
  if (isOpen) await journal.refute(request);
  return nextTry;
}

export function ageReader({ clock }: Session): AgeOf {
  return (then, sharedMs) => clock.ageOf(then, sharedMs);
}

function timesAfterAnswer({ clock }: Session, { isNew }: Pick<RecordedRequest, 'isNew'>): () => LearntTimes {
  // A time from an earlier process may be behind: this machine may have been suspended since, or a sandbox moved its clock.
  const isSendTimeUnknown = isNew && !clock.isTimeProved();
  const startedMs = clock.monotonic();
  return () => ({
    ...(isSendTimeUnknown && clock.isTimeProved() ? { leftServiceMs: clock.at(startedMs) } : {}),
    anchor: clock.anchor,
  });
}

async function noteOlderOperation(
  { exitCode, operation, isOlder }: Conclusion,
  earlier: SettledRequest | null,
  session: Session,
): Promise<void> {
  if (operation === null || exitCode === 12 || (earlier === null && !isOlder)) return;
  if (earlier !== null && !isSameId(earlier.operation, operation.id)) {
    await session.note(
      `This key made operation ${earlier.operation} before, but the service answered with another one: both may be paid.`,
    );
    return;
  }
  const when = operation.createdAtMs === null ? 'before' : `at ${momentText(operation.createdAtMs)}`;
  await session.note(`This key made operation ${operation.id} ${when}. Nothing new was paid.`);
}

/** The failure says how to repeat the request. A signal's error, and that of a closed output, are returned unchanged. */
export function interruptedFailure(
  error: unknown,
  outcome: Conclusion['outcome'],
  idempotencyKey: string,
  run: TypedLine,
): unknown {
  if (error instanceof ReaderGone || error instanceof Stopped || !(error instanceof Error)) return error;
  const original = error instanceof Failure ? error : toFailure(error);
  const failure = new Failure(original.kind, original.head, {
    ...original.facts,
    outcome,
    idempotencyKey,
    nextCommand: nextCommand({ kind: 'repeat', key: idempotencyKey }, run) ?? undefined,
    cause: error,
  });
  failure.stack = error.stack ?? '';
  return failure;
}
