/** A create as the journal records it, and one sending of it: its key is said, its bytes leave, and what came of it is settled once it was handed over. */
import type { PaymentTry } from '../../bulk/key.js';
import type { Conclusion } from '../../client/conclusion.js';
import type { Prepared } from '../../client/request.js';
import { isSameId, momentText } from '../../contract/notation.js';
import { CONTRADICTED } from '../../contract/operation.js';
import type { OperationFacts } from '../../contract/operation-facts.js';
import type { Journal, Learnt, Recorded } from '../../journal/journal.js';
import {
  type AgeOf,
  type KeptRequest,
  type SettledRequest,
  aboutOf,
  type Leaving,
} from '../../journal/request.js';
import { isDatabaseCode } from '../../runtime/database-unusable.js';
import { Failure, unexpected } from '../../runtime/failure.js';
import { Stopped } from '../../runtime/ports.js';
import { ReaderGone } from '../../runtime/streams.js';
import {
  durableEnding,
  type Ending,
  type CallResult,
  concludeCall,
  nextCommand,
  type TypedLine,
} from '../call/ending.js';
import { requireYes } from '../call/confirmation.js';
import type { Where } from '../line/where.js';
import { refuseFutureTime, type Session, type SessionRun } from '../session/session.js';
import { readSince, type Since } from '../line/moment.js';
import { maskOfKey, senderOf } from '../session/address.js';
import { storesOf } from '../stores/stores-of-run.js';
import { holdersFor } from './holders.js';

/** What is to be sent. */
export interface PreparedCreate {
  readonly run: SessionRun;
  readonly prepared: Prepared;
  readonly options: CreateOptions;
}

export interface UnrecordedCreate extends PreparedCreate {
  readonly journal: Journal;
  readonly leaving: Leaving;
}

/** What the command line says of a create beside its body. */
export interface CreateOptions {
  /** Whose the key is: the caller's, that of the payment, or any, as of a request that was prepared before. */
  readonly keyOf: 'caller' | 'payment' | 'request';
  /** The operation or key that `--new-payment` names; null without it. */
  readonly newPayment: string | null;
  /** `--new-since`, as it was typed and as a moment of the service's time; null without it. */
  readonly since: (Since & { readonly typed: string }) | null;
  /** What is refused live is refused in the sandbox too. */
  readonly isAsLive: boolean;
  /** `--skip-feed-check`: it may leave although the events cannot be read. */
  readonly skipsFeed: boolean;
  /** True where nobody is asked anything at the terminal. */
  readonly asksNobody: boolean;
}

/** Those flags, as parsed. */
export interface CreateRuleFlags {
  readonly 'idempotency-key'?: string | undefined;
  readonly 'new-payment'?: string | undefined;
  readonly 'new-since'?: string | undefined;
  readonly 'as-live'?: boolean | undefined;
  readonly 'skip-feed-check'?: boolean | undefined;
  readonly yes: boolean;
  readonly 'no-input': boolean;
}

/** @throws Failure `usage`; the signal's reason */
export async function createOptions(
  flags: CreateRuleFlags,
  run: Pick<SessionRun, 'session' | 'ports' | 'flags'>,
): Promise<CreateOptions> {
  const { 'new-payment': newPayment = null, 'new-since': typed } = flags;
  if (newPayment !== null && typed !== undefined)
    throw new Failure('usage', 'Give either --new-payment or --new-since, not both. Nothing was sent.');
  const skipsFeed = flags['skip-feed-check'] === true;
  if (skipsFeed && (newPayment !== null || typed !== undefined))
    throw new Failure(
      'usage',
      'Which payment comes before a new one is in the events: leave --skip-feed-check out. Nothing was sent.',
    );
  if (skipsFeed) requireYes('skip-feed-check', run);
  const since = readSince(typed, run.ports.zone);
  await refuseFutureTime(since?.ms ?? null, run);
  return {
    keyOf: flags['idempotency-key'] === undefined ? 'payment' : 'caller',
    newPayment,
    since: typed === undefined || since === null ? null : { ...since, typed },
    isAsLive: flags['as-live'] === true,
    skipsFeed,
    asksNobody: flags.yes || flags['no-input'],
  };
}

/**
 * Says early what the guard would refuse. What left with this key before is the same create once more.
 * @throws Failure `unsafe`; DatabaseUnusable
 */
export async function judgeCreate(preparedCreate: PreparedCreate, journal: Journal): Promise<void> {
  const { run, prepared, options } = preparedCreate;
  const { guard } = run.session;
  if (!(await guard.isAsked())) return;
  const { idempotencyKey: key, request } = prepared;
  const mayBeKnown = options.keyOf !== 'payment' && key !== null;
  const isAdmitted = mayBeKnown && (await journal.knows(key));
  await guard.judge(request, { isAdmitted }).catch(async (refused: unknown) => {
    const isUnapproved = refused instanceof Failure && refused.facts.code === 'approvals_missing';
    throw isUnapproved ? (await import('./row-instead.js')).withRowInstead(refused, preparedCreate) : refused;
  });
}

/** As the journal records it. @throws TypeError for a request that is no create; Failure `local_state` */
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
  const leaving = {
    ...{
      idempotencyKey,
      isOwnKey: options.keyOf === 'caller',
      endpoint,
      body,
      follows: null,
      generation: null,
      sinceMs: options.since?.ms ?? (options.newPayment === null ? null : session.clock.now()),
    },
    ...(await senderOf(session, ports, journal.keySalt)),
    path: url.slice(session.serviceUrl.length),
    keyMask: maskOfKey(session.key),
    ...aboutOf(endpoint, body, members),
  };
  return { run, prepared, options, journal, leaving };
}

/** Shows what came of a request, and says how the command ends. */
export type Present = (sent: CallResult) => Promise<Ending>;

/** What an answer to a derived key may say beside the payment that was meant. */
export interface DerivedEnds {
  /** A payment from before: the key that comes after it. Throws where that payment stands in the way. */
  readonly older: (operation: OperationFacts, conclusion: Conclusion) => Promise<PaymentTry>;
  /** The key has made another request; these bytes were never carried out. The key to be tried next. @param openSinceMs when an attempt left that has no answer */
  readonly reused: (openSinceMs: number | null) => Promise<PaymentTry>;
  /** A payment that has failed leads to the next key. */
  readonly goesOn: boolean;
  /** The service has refused these bytes for good. */
  readonly refused: () => Promise<void>;
}

interface KeyedSending {
  readonly journal: Journal;
  readonly recorded: Recorded;
  readonly prepared: Prepared;
  readonly present: Present;
  /** Null where no key is derived. */
  readonly derived: DerivedEnds | null;
  /** What an own key made that was used before, said in the failure that says so. */
  readonly explain?: (failure: Failure) => Promise<Failure>;
}

/**
 * @returns the key that is tried next, where this one has made a payment from before; null at the end
 * @throws Failure by the table of exit codes; what `present` says; Stopped
 */
export async function sendRecorded(
  sending: KeyedSending,
  run: SessionRun<Where>,
): Promise<PaymentTry | null> {
  const { journal, recorded, prepared, present } = sending;
  const { request, known, isNew } = recorded;
  const { idempotencyKey: key, isOwnKey, generation } = request;
  const { session, ports } = run;
  const guard = (error: unknown, outcome: Conclusion['outcome']): unknown =>
    interruptedFailure(error, outcome, key, run);
  const permit = await session.guard
    .permit(prepared.request, { isAdmitted: !isNew || known !== null })
    .catch(async (refused: unknown) => {
      // It may have been judged otherwise before it was recorded; nothing has left since.
      await journal.withdraw(request);
      throw refused;
    });
  await ports.errors.write(`Idempotency-Key: ${key}\n`);
  // What is known to have been made by this key is no surprise, nor is what a key has made that names the payment.
  const create = {
    isOwnKey: isOwnKey || known !== null || generation !== null,
    firstLeftMs: isNew || known !== null ? null : request.firstLeftMs,
  };
  const learnt = firstLeaving(session, recorded);
  const sent = await session.client
    .send(prepared, {
      ...{ signal: ports.signal, create, left: request.left ?? undefined, permit },
      holderOf: holdersFor(
        { ...request, place: request.row, isAgain: !isNew },
        { journal, holders: (operations) => storesOf(run).holders(operations) },
        run,
      ),
    })
    .then(concludeCall)
    .catch((error: unknown) => {
      throw guard(error, 'unknown');
    });
  const { conversation, conclusion } = sent;
  const { operation } = conclusion;
  const last = conversation.attempts.at(-1);
  if (operation !== null && last?.kind === 'success' && last.isContradicted === true) {
    await tryToNote(session, async () => {
      await settle(journal, request, conclusion, learnt());
      await journal.tell(operation.id, CONTRADICTED);
    });
    const both = { ...conclusion, operation: { ...operation, status: CONTRADICTED } };
    throw (await import('./derived-ends.js')).olderPaymentFailure(both, request, run);
  }
  if (generation !== null && known === null && sending.derived !== null) {
    const end = await endOfDerived(sent, sending, sending.derived, { session, learnt });
    if (end !== 'own') return end;
  }
  await noteOlder(conclusion, known, session);
  const { error, isShown, seen } = await present(sent)
    .then((ending) => durableEnding(ending, conversation, ports))
    .catch((reason: unknown) => {
      throw guard(reason, conclusion.outcome);
    });
  await tryToNote(session, () => {
    if (!isShown) return journal.keep(request, learnt());
    return settle(journal, request, conclusion, learnt(), seen);
  });
  if (!isShown) throw guard(error, conclusion.outcome);
  if (error === null) return null;
  const isReused = error instanceof Failure && error.facts.code === REUSED;
  throw isReused && isOwnKey && sending.explain !== undefined ? await sending.explain(error) : error;
}

const REUSED = 'idempotency_key_reused';

/** What the answer to a derived key says of another request; `own` where it is about this one. */
async function endOfDerived(
  { conclusion, conversation }: CallResult,
  { journal, recorded: { request, isNew } }: KeyedSending,
  derived: DerivedEnds,
  { session, learnt }: { readonly session: Session; readonly learnt: () => Learnt },
): Promise<PaymentTry | 'own'> {
  const { operation, isOlder, exitCode } = conclusion;
  if (operation !== null && isOlder && exitCode !== 12) {
    if (operation.status === 'failed' && !derived.goesOn) return 'own';
    await tryToNote(session, () => settle(journal, request, conclusion, learnt()));
    return derived.older(operation, conclusion);
  }
  // Once the service has said that the key made another request, no attempt with these bytes was carried out, whatever became of its answer.
  const isOfAnother = conversation.attempts.some(
    (attempt) => attempt.kind === 'refused' && attempt.error?.code === REUSED,
  );
  if (!isOfAnother) {
    if (exitCode === 6) await tryToNote(session, derived.refused);
    return 'own';
  }
  // Attempts of this process left moments ago: what the service knows now it knew then, and it did not carry them out.
  const isOpen = !isNew;
  if (!isOpen) await journal.refute(request);
  const next = await derived.reused(isOpen ? request.firstLeftMs : null).catch(async (error: unknown) => {
    if (isOpen) await tryToNote(session, () => journal.keep(request, learnt()));
    throw error;
  });
  if (isOpen) await journal.refute(request);
  return next;
}

/** The answer counts, not the note about it: a request that stays open by mistake is repeated without harm. */
export async function tryToNote(session: Session, note: () => Promise<void>): Promise<void> {
  try {
    await note();
  } catch (reason) {
    if (!(reason instanceof Failure) || !isDatabaseCode(reason.facts.code)) throw reason;
    await session.note(`${reason.message} This request stays in "svc requests list".`);
  }
}

/** Judges ages by what this process has heard. */
export function ageIn({ clock }: Session): AgeOf {
  return (then, sharedMs) => clock.ageOf(then, sharedMs);
}

/** When a new request left, where only an answer that came since has said what time it was for the service; and that time. */
function firstLeaving({ clock }: Session, { isNew }: Pick<Recorded, 'isNew'>): () => Learnt {
  // What an earlier process has heard may be behind: since then this machine may have been frozen, or a sandbox has moved its clock.
  const isUnknown = isNew && !clock.isHeard();
  const startedMs = clock.monotonic();
  return () => ({
    ...(isUnknown && clock.isHeard() ? { leftServiceMs: clock.at(startedMs) } : {}),
    anchor: clock.anchor,
  });
}

/** Nothing new was paid where the key has made its operation before; a service that makes another one has forgotten the key. */
async function noteOlder(
  { exitCode, operation, isOlder }: Conclusion,
  known: SettledRequest | null,
  session: Session,
): Promise<void> {
  if (operation === null || exitCode === 12 || (known === null && !isOlder)) return;
  if (known !== null && !isSameId(known.operation, operation.id)) {
    await session.note(
      `This key made operation ${known.operation} before, but the service answered with another one: both may be paid.`,
    );
    return;
  }
  const when = operation.createdAtMs === null ? 'before' : `at ${momentText(operation.createdAtMs)}`;
  await session.note(`This key made operation ${operation.id} ${when}. Nothing new was paid.`);
}

/**
 * How it ends in the journal: an operation in hand settles it, an unknown outcome keeps it open.
 * @param seen as it was followed since it was answered
 * @throws DatabaseUnusable
 */
export async function settle(
  journal: Journal,
  request: KeptRequest,
  { operation, outcome }: Conclusion,
  learnt: Learnt,
  seen: Ending['seen'] = null,
): Promise<void> {
  if (outcome === 'unknown') await journal.keep(request, learnt);
  else if (operation !== null) await journal.settle(request, settlementOf(operation), learnt);
  else await journal.withdraw(request);
  if (seen !== null && seen.id === operation?.id && seen.status !== operation.status)
    await journal.note(seen.id, seen.status);
}

/** What a request became. */
export function settlementOf({ id, status, createdAtMs }: OperationFacts): SettledRequest {
  return { operation: id, status, createdAtMs };
}

/**
 * What broke between the sending and the end, as an error that names the key and how to go on: the request is in the journal.
 */
export function interruptedFailure(
  error: unknown,
  outcome: Conclusion['outcome'],
  idempotencyKey: string,
  run: TypedLine,
): unknown {
  if (error instanceof ReaderGone || error instanceof Stopped || !(error instanceof Error)) return error;
  const known = error instanceof Failure ? error : unexpected(error);
  const failure = new Failure(known.kind, known.head, {
    ...known.facts,
    outcome,
    idempotencyKey,
    nextCommand: nextCommand({ kind: 'repeat', key: idempotencyKey }, run) ?? undefined,
    cause: error,
  });
  failure.stack = error.stack ?? '';
  return failure;
}
