/** Reads one operation by its id, of which it is not known whether this key sees it. */
import { conclude } from '../../client/conclusion.js';
import type { OperationFacts } from '../../contract/operation-facts.js';
import { contractBroken } from '../../runtime/failure.js';
import type { SessionRun } from '../session/session.js';
import { failureOf } from './ending.js';
import type { Where } from '../line/where.js';

/** An operation, and the whole answer that says so. */
interface LookedUp {
  readonly operation: OperationFacts;
  readonly body: Uint8Array;
}

/**
 * Null where the service itself says that this company has no such operation: a gateway's 404 says nothing about one.
 * @throws Failure by the table of exit codes, `defect` for an answer about another operation, which proves nothing; Stopped
 */
export async function lookUp(id: string, run: SessionRun<Where>): Promise<LookedUp | null> {
  const { session, ports } = run;
  const { signal } = ports;
  const conversation = await session.client.call('transactions.get', { id }, { signal });
  signal.throwIfAborted();
  const last = conversation.attempts.at(-1);
  if (last?.kind === 'refused' && last.answer.status === 404) {
    if (last.error?.code === 'not_found') return null;
    throw contractBroken(
      `something that is not the service answered 404 for operation ${id} (is the address right?)`,
    );
  }
  const conclusion = conclude(conversation);
  const { answer, operation } = conclusion;
  if (answer === null || operation === null) throw failureOf(conclusion, conversation, run);
  return { operation, body: answer.body };
}
