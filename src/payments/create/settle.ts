import type { Conclusion } from '../../client/conclusion.js';
import type { OperationFacts } from '../../contract/operation-facts.js';
import type { Journal, LearntTimes } from '../../storage/journal/journal.js';
import type { JournalRequest, SettledRequest } from '../../storage/journal/request.js';
import { isDatabaseCode } from '../../runtime/database-unusable.js';
import { Failure, toFailure } from '../../runtime/failure.js';
import { Stopped } from '../../runtime/ports.js';
import { ReaderGone } from '../../runtime/streams.js';
import {
  durableEnding,
  type Ending,
  type CallResult,
  nextCommand,
  type TypedLine,
} from '../../command/ending.js';
import type { SessionRun } from '../../command/command.js';
import type { Where } from '../../session/place-flags.js';
import type { Session } from '../../session/session.js';

export interface CreateEnd {
  readonly result: CallResult;
  readonly request: JournalRequest;
  readonly learnt: () => LearntTimes;
  readonly wasSent: boolean;
}

/** Settles the request once its result is durably printed. Until then the request stays open, and can be repeated with the same idempotency key. */
export async function closeRequest(
  { result: { conversation, conclusion }, request, learnt, wasSent }: CreateEnd,
  printed: Promise<Ending>,
  journal: Journal,
  run: SessionRun<Where>,
): Promise<void> {
  const failureWithKey = (error: unknown): unknown =>
    wasSent ? interruptedFailure(error, conclusion.outcome, request.idempotencyKey, run) : error;
  const { error, isShown, lastSeen } = await printed
    .then((ending) => durableEnding(ending, conversation, run.ports))
    .catch((reason: unknown) => {
      throw failureWithKey(reason);
    });
  await tryToNote(run.session, async () => {
    if (isShown) await settleRequest(journal, request, conclusion, learnt(), lastSeen);
    else if (wasSent) await journal.keepOpen(request, learnt());
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

/** A failure of the journal is only noted: the answer counts, and a request that stays open can be repeated without harm. */
export async function tryToNote(session: Session, note: () => Promise<void>): Promise<void> {
  try {
    await note();
  } catch (reason) {
    if (!(reason instanceof Failure) || !isDatabaseCode(reason.facts.code)) throw reason;
    await session.note(`${reason.message} This request stays in "svc requests list".`);
  }
}
