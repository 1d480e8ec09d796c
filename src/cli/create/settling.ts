/**
 * How a keyed request ends in the book: an operation in hand settles it, an unknown outcome keeps it open, and what broke says how to go
 * on.
 */
import type { Conversation } from '../../client/client.js';
import { conclude } from '../../client/conclusion.js';
import { isSameId, momentText } from '../../contract/notation.js';
import type { OperationFacts } from '../../contract/operation-facts.js';
import type { Journal, Learnt, Recorded } from '../../journal/journal.js';
import type { AgeOf, KeptRequest, SettledRequest } from '../../journal/request.js';
import { Failure, unexpected } from '../../runtime/failure.js';
import { Stopped } from '../../runtime/ports.js';
import { ReaderGone } from '../../runtime/streams.js';
import { nextCommand, type TypedLine } from '../call/next.js';
import type { Session } from '../session/session.js';

/** Judges ages by what this process has heard. */
export function ageIn({ clock }: Session): AgeOf {
  return (then, sharedMs) => clock.ageOf(then, sharedMs);
}

/** When a new request left, where only an answer that came since has said what time it was for the service; and that time. */
export function firstLeaving({ clock }: Session, { isNew }: Pick<Recorded, 'isNew'>): () => Learnt {
  // What an earlier process has heard may be behind: since then this machine may have been frozen, or a sandbox has moved its clock.
  const isUnknown = isNew && !clock.isHeard();
  const startedMs = clock.monotonic();
  return () => ({
    ...(isUnknown && clock.isHeard() ? { leftServiceMs: clock.at(startedMs) } : {}),
    anchor: clock.anchor,
  });
}

/** Nothing new was paid where the key has made its operation before; a service that makes another one has forgotten the key. */
export async function noteOlder(
  conversation: Conversation,
  known: SettledRequest | null,
  session: Session,
): Promise<void> {
  const { exitCode, operation, isOlder } = conclude(conversation);
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

/** @throws DatabaseUnusable */
export async function settle(
  journal: Journal,
  request: KeptRequest,
  conversation: Conversation,
  learnt: Learnt,
): Promise<void> {
  const { operation, outcome } = conclude(conversation);
  if (outcome === 'unknown') await journal.keep(request, learnt);
  else if (operation !== null) await journal.settle(request, settledOf(operation), learnt);
  else await journal.withdraw(request);
}

/** What a request became. */
export function settledOf({ id, status, createdAtMs }: OperationFacts): SettledRequest {
  return { operation: id, status, createdAtMs };
}

/**
 * What broke between the sending and the end, as an error that names the key and how to go on: the request is in the journal.
 * @param conversation null where it broke before anything was known
 */
export function interrupted(
  error: unknown,
  conversation: Conversation | null,
  idempotencyKey: string,
  run: TypedLine,
): unknown {
  if (error instanceof ReaderGone || error instanceof Stopped || !(error instanceof Error)) return error;
  const known = error instanceof Failure ? error : unexpected(error);
  const failure = new Failure(known.kind, known.head, {
    ...known.facts,
    outcome: conversation === null ? 'unknown' : conclude(conversation).outcome,
    idempotencyKey,
    nextCommand: nextCommand({ kind: 'repeat', key: idempotencyKey }, run) ?? undefined,
    cause: error,
  });
  failure.stack = error.stack ?? '';
  return failure;
}
