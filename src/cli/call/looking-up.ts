/** Reads of which the answer is needed: of a row of the table, and of an operation of which it is not known whether this key sees it. */
import type { Conversation } from '../../client/client.js';
import type { RequestInput } from '../../client/request.js';
import type { EndpointId } from '../../contract/endpoints.js';
import type { OperationFacts } from '../../contract/operation-facts.js';
import { contractBroken } from '../../runtime/failure.js';
import type { SessionRun } from '../session/session.js';
import { failureOf, concludeCall } from './ending.js';
import type { Where } from '../line/where.js';

/** The body of its answer. @throws Failure by the table of exit codes, InvalidRequest, Stopped */
export async function readRow(
  id: EndpointId,
  input: RequestInput,
  run: SessionRun<Where>,
): Promise<Uint8Array> {
  const sent = concludeCall(await called(id, input, run));
  const { answer, exitCode } = sent.conclusion;
  if (exitCode !== 0 || answer === null) throw failureOf(sent, run);
  return answer.body;
}

async function called(id: EndpointId, input: RequestInput, run: SessionRun<Where>): Promise<Conversation> {
  const { signal } = run.ports;
  const conversation = await run.session.client.call(id, input, { signal });
  signal.throwIfAborted();
  return conversation;
}

/**
 * An operation, and the whole answer that says so. Null where the service itself says that this company has no such operation: a gateway's 404 says nothing about one.
 * @throws Failure by the table of exit codes, `defect` for an answer about another operation, which proves nothing; Stopped
 */
export async function lookUp(
  id: string,
  run: SessionRun<Where>,
): Promise<{ readonly operation: OperationFacts; readonly body: Uint8Array } | null> {
  const conversation = await called('transactions.get', { id }, run);
  const last = conversation.attempts.at(-1);
  if (last?.kind === 'refused' && last.answer.status === 404) {
    if (last.error?.code === 'not_found') return null;
    throw contractBroken(
      `something that is not the service answered 404 for operation ${id} (is the address right?)`,
    );
  }
  const sent = concludeCall(conversation);
  const { answer, operation } = sent.conclusion;
  if (answer === null || operation === null) throw failureOf(sent, run);
  return { operation, body: answer.body };
}
