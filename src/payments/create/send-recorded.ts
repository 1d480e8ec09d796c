/** Prepares a create for the journal, sends a recorded one, and settles it once its result was printed. */
import type { PaymentTry } from '../known/key.js';
import type { Conclusion } from '../../client/conclusion.js';
import type { PreparedRequest } from '../../client/request.js';
import { isSameId, momentText } from '../../contract/notation.js';
import { CONTRADICTED } from '../../contract/operation.js';
import type { OperationFacts } from '../../contract/operation-facts.js';
import type { Journal, LearntTimes, RecordedRequest } from '../../storage/journal/journal.js';
import {
  type AgeOf,
  type JournalRequest,
  type SettledRequest,
  subjectOf,
  type UnsentRequest,
} from '../../storage/journal/request.js';
import { isDatabaseCode } from '../../runtime/database-unusable.js';
import { Failure, toFailure, usageFailure } from '../../runtime/failure.js';
import { Stopped } from '../../runtime/ports.js';
import { ReaderGone } from '../../runtime/streams.js';
import {
  durableEnding,
  type Ending,
  type CallResult,
  concludeCall,
  nextCommand,
  type TypedLine,
} from '../../command/ending.js';
import { requireYes } from '../confirm.js';
import type { Where } from '../../session/place-flags.js';
import { refuseFutureTime, type Session, type SessionRun } from '../../session/session.js';
import { readSince, type SinceMoment } from '../../runtime/typed-time.js';
import { maskOfKey, senderOf } from '../../session/address.js';
import { storesOf } from '../../command/stores.js';
import { holdersFor } from './holders.js';

export interface PreparedCreate {
  readonly run: SessionRun;
  readonly prepared: PreparedRequest;
  readonly options: CreateOptions;
}

export interface UnrecordedCreate extends PreparedCreate {
  readonly journal: Journal;
  readonly unsent: UnsentRequest;
}

/** The options of a create that are not part of its body. */
export interface CreateOptions {
  /** Where the key comes from: `--idempotency-key`, the payment (derived), or a request that the dialogue sent before. */
  readonly keySource: 'caller' | 'payment' | 'request';
  /** The operation or key that `--new-payment` names; null without the flag. */
  readonly newPayment: string | null;
  /** `--new-since`, as typed and as a moment of the service's time; null without the flag. */
  readonly since: (SinceMoment & { readonly typed: string }) | null;
  /** `--as-live`: the sandbox refuses what live would refuse. */
  readonly isAsLive: boolean;
  /** `--skip-feed-check`: the create may be sent although the events cannot be read. */
  readonly skipsFeed: boolean;
  /** True with `--yes` or `--no-input`: no question at the terminal. */
  readonly asksNobody: boolean;
}

export interface CreateRuleFlags {
  readonly 'idempotency-key'?: string | undefined;
  readonly 'new-payment'?: string | undefined;
  readonly 'new-since'?: string | undefined;
  readonly 'as-live'?: boolean | undefined;
  readonly 'skip-feed-check'?: boolean | undefined;
  readonly yes: boolean;
  readonly 'no-input': boolean;
}

/** Reads the flags about a create that are not part of its body. @throws Failure `usage`; the signal's reason */
export async function createOptions(
  flags: CreateRuleFlags,
  run: Pick<SessionRun, 'session' | 'ports' | 'flags'>,
): Promise<CreateOptions> {
  const { 'new-payment': newPayment = null, 'new-since': typedSince } = flags;
  if (newPayment !== null && typedSince !== undefined)
    throw usageFailure('Give either --new-payment or --new-since, not both.');
  const skipsFeed = flags['skip-feed-check'] === true;
  if (skipsFeed && (newPayment !== null || typedSince !== undefined))
    throw usageFailure('Which payment comes before a new one is in the events: leave --skip-feed-check out.');
  if (skipsFeed) requireYes('skip-feed-check', run);
  const since = readSince(typedSince, run.ports.zone);
  await refuseFutureTime(since?.ms ?? null, run);
  return {
    keySource: flags['idempotency-key'] === undefined ? 'payment' : 'caller',
    newPayment,
    since: typedSince === undefined || since === null ? null : { ...since, typed: typedSince },
    isAsLive: flags['as-live'] === true,
    skipsFeed,
    asksNobody: flags.yes || flags['no-input'],
  };
}

/**
 * Refuses early what the guard would refuse. A create whose key is in the journal is a repeat, and counts as admitted.
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

/** Adds what the journal records of a create. @throws TypeError for a request that is no create; Failure `local_state` */
export async function unrecordedCreateOf(
  preparedCreate: PreparedCreate,
  journal: Journal,
): Promise<UnrecordedCreate> {
  const { run, prepared, options } = preparedCreate;
  const { session, ports } = run;
  const { endpointId: endpoint, idempotencyKey, request, members } = prepared;
  const { body, url } = request;
  if (endpoint === null || idempotencyKey === null || body === null)
    throw new TypeError('only a create is kept in the journal');
  const unsent = {
    idempotencyKey,
    isOwnKey: options.keySource === 'caller',
    endpoint,
    body,
    follows: null,
    generation: null,
    sinceMs: options.since?.ms ?? (options.newPayment === null ? null : session.clock.now()),
    ...(await senderOf(session, ports, journal.keySalt)),
    path: url.slice(session.serviceUrl.length),
    keyMask: maskOfKey(session.key),
    ...subjectOf(endpoint, body, members),
  };
  return { run, prepared, options, journal, unsent };
}

/** Prints the result of a request, and returns how the command ends. */
export type PresentResult = (result: CallResult) => Promise<Ending>;

/** Called if the answer to a derived key is about another payment. */
export interface DerivedKeyHandlers {
  /** The answer is an older payment: returns the try that follows it, or throws if that payment refuses the create. */
  readonly onOlder: (operation: OperationFacts, conclusion: Conclusion) => Promise<PaymentTry>;
  /** The key was used with other data, so this body was never carried out: returns the next try. @param openSinceMs when an unanswered attempt was sent */
  readonly onReused: (openSinceMs: number | null) => Promise<PaymentTry>;
  /** True to try the next key if the answer is an older payment that failed. */
  readonly triesNextKey: boolean;
  /** Notes that the service refused these bytes for good. */
  readonly onRefused: () => Promise<void>;
}

interface RecordedSending {
  readonly journal: Journal;
  readonly recorded: RecordedRequest;
  readonly prepared: PreparedRequest;
  readonly present: PresentResult;
  /** Handlers for a derived key; null if the key is not derived. */
  readonly handlers: DerivedKeyHandlers | null;
  /** Adds to an `idempotency_key_reused` failure what the caller's own key made before. */
  readonly explain?: (failure: Failure) => Promise<Failure>;
}

/**
 * Sends a recorded create, prints its result and settles it.
 * @returns the try to send next, if this key made an older payment; null at the end
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
  // An older operation is expected in the answer, if the key is known to have made one, or is derived from the payment.
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
        { journal, holders: (operations) => storesOf(run).holders(operations) },
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

const KEY_REUSED = 'idempotency_key_reused';

/** Returns the try to send next if the answer to a derived key is about another payment; `own` if it is about this one. */
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
  // The service carried out another request under this key, so it carried out no attempt with these bytes, even one whose answer was lost.
  const isKeyReused = conversation.attempts.some(
    (attempt) => attempt.kind === 'refused' && attempt.error?.code === KEY_REUSED,
  );
  if (!isKeyReused) {
    if (exitCode === 6) await tryToNote(session, handlers.onRefused);
    return 'own';
  }
  // A new request was sent only now, by this process: the service knew the other request already, and carried out no attempt of this one.
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

/** Writes to the journal. A failure is only noted: the answer counts, and a request that stays open can be repeated without harm. */
export async function tryToNote(session: Session, note: () => Promise<void>): Promise<void> {
  try {
    await note();
  } catch (reason) {
    if (!(reason instanceof Failure) || !isDatabaseCode(reason.facts.code)) throw reason;
    await session.note(`${reason.message} This request stays in "svc requests list".`);
  }
}

export function ageReader({ clock }: Session): AgeOf {
  return (then, sharedMs) => clock.ageOf(then, sharedMs);
}

/** Returns a function to call after the answer: it returns the newest service time, and the time of sending if only the answer tells it. */
function timesAfterAnswer({ clock }: Session, { isNew }: Pick<RecordedRequest, 'isNew'>): () => LearntTimes {
  // A time from an earlier process may be behind: this machine may have been suspended since, or a sandbox moved its clock.
  const isSendTimeUnknown = isNew && !clock.isTimeProved();
  const startedMs = clock.monotonic();
  return () => ({
    ...(isSendTimeUnknown && clock.isTimeProved() ? { leftServiceMs: clock.at(startedMs) } : {}),
    anchor: clock.anchor,
  });
}

/** Notes that the operation is an older one and nothing new was paid, or that the service forgot the key and may have paid twice. */
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

/**
 * Writes the result to the journal: an operation settles the request, an unknown outcome keeps it open, a refusal withdraws it.
 * @param seen the operation as `--wait` saw it last
 * @throws DatabaseUnusable
 */
export async function settleRequest(
  journal: Journal,
  request: JournalRequest,
  { operation, outcome }: Conclusion,
  learnt: LearntTimes,
  seen: Ending['lastSeen'] = null,
): Promise<void> {
  if (outcome === 'unknown') await journal.keepOpen(request, learnt);
  else if (operation !== null) await journal.settle(request, settlementOf(operation), learnt);
  else await journal.withdraw(request);
  if (seen !== null && seen.id === operation?.id && seen.status !== operation.status)
    await journal.noteStatus(seen.id, seen.status);
}

export function settlementOf({ id, status, createdAtMs }: OperationFacts): SettledRequest {
  return { operation: id, status, createdAtMs };
}

/** Adds the key, the outcome and the next command to an error after the sending. Returns a signal's error, and that of a closed output, unchanged. */
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
