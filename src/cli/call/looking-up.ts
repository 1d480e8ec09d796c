/** Reads an endpoint, or an operation that this API key may not see. */
import type { RequestInput } from '../../client/request.js';
import type { EndpointId } from '../../contract/endpoints.js';
import type { OperationFacts } from '../../contract/operation-facts.js';
import { contractBroken } from '../../runtime/failure.js';
import type { SessionRun } from '../session/session.js';
import { failureOf, concludeCall } from './ending.js';
import type { Where } from '../line/where.js';

/** Returns the body of the answer. @throws Failure by the table of exit codes, InvalidRequest, Stopped */
export async function readRow(
  id: EndpointId,
  input: RequestInput,
  run: SessionRun<Where>,
): Promise<Uint8Array> {
  const sent = concludeCall(await callOrStop(id, input, run));
  const { answer, exitCode } = sent.conclusion;
  if (exitCode !== 0 || answer === null) throw failureOf(sent, run);
  return answer.body;
}

async function callOrStop(id: EndpointId, input: RequestInput, run: SessionRun<Where>) {
  const { signal } = run.ports;
  const conversation = await run.session.client.call(id, input, { signal });
  signal.throwIfAborted();
  return conversation;
}

/**
 * Reads an operation. Null if the service says `not_found`: this company has no such operation. A 404 without that code is not the service's.
 * @throws Failure by the table of exit codes, `defect` for such a 404 or an answer about another operation; Stopped
 */
export async function lookUp(
  id: string,
  run: SessionRun<Where>,
): Promise<{ readonly operation: OperationFacts; readonly body: Uint8Array } | null> {
  const conversation = await callOrStop('transactions.get', { id }, run);
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
