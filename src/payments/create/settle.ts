import type { Conclusion } from '../../client/conclusion.js';
import type { OperationFacts } from '../../contract/operation-facts.js';
import type { Journal, LearntTimes } from '../../storage/journal/journal.js';
import type { JournalRequest, SettledRequest } from '../../storage/journal/request.js';
import { isDatabaseCode } from '../../runtime/database-unusable.js';
import { Failure } from '../../runtime/failure.js';
import type { Ending, CallResult } from '../../command/ending.js';
import type { Session } from '../../session/session.js';

export type PresentResult = (result: CallResult) => Promise<Ending>;

/**
 * An operation settles the request, an unknown outcome keeps it open, a refusal withdraws it.
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

/** A failure of the journal is only noted: the answer counts, and a request that stays open can be repeated without harm. */
export async function tryToNote(session: Session, note: () => Promise<void>): Promise<void> {
  try {
    await note();
  } catch (reason) {
    if (!(reason instanceof Failure) || !isDatabaseCode(reason.facts.code)) throw reason;
    await session.note(`${reason.message} This request stays in "svc requests list".`);
  }
}
