import type { RequestInput } from '../client/request.js';
import type { EndpointId } from '../contract/endpoints.js';
import type { OperationFacts } from '../contract/operation-facts.js';
import { contractBroken } from '../runtime/failure.js';
import { failureOf, concludeCall } from './ending.js';
import type { Where } from '../session/place-flags.js';
import type { SessionRun } from './command.js';

export async function readEndpoint(
  id: EndpointId,
  input: RequestInput,
  run: SessionRun<Where>,
): Promise<Uint8Array> {
  const result = concludeCall(await callOrStop(id, input, run));
  const { answer, exitCode } = result.conclusion;
  if (exitCode !== 0 || answer === null) throw failureOf(result, run);
  return answer.body;
}

async function callOrStop(id: EndpointId, input: RequestInput, run: SessionRun<Where>) {
  const { signal } = run.ports;
  const conversation = await run.session.client.call(id, input, { signal });
  signal.throwIfAborted();
  return conversation;
}

/** Returns null only for the code `not_found`, because any other 404 does not come from the service. */
export async function lookUp(
  id: string,
  run: SessionRun<Where>,
): Promise<{ readonly operation: OperationFacts; readonly body: Uint8Array } | null> {
  const conversation = await callOrStop('transactions.get', { id }, run);
  const lastAttempt = conversation.attempts.at(-1);
  if (lastAttempt?.kind === 'refused' && lastAttempt.answer.status === 404) {
    if (lastAttempt.error?.code === 'not_found') return null;
    throw contractBroken(
      `something that is not the service answered 404 for operation ${id} (is the address right?)`,
    );
  }
  const result = concludeCall(conversation);
  const { answer, operation } = result.conclusion;
  if (answer === null || operation === null) throw failureOf(result, run);
  return { operation, body: answer.body };
}
