/** A cancel: where it moves real money and a person is there, it is confirmed first, over the operation as it is now. */
import { answerOf } from '../../contract/attempt.js';
import { conclude } from '../../client/conclusion.js';
import { endpoint } from '../../contract/endpoints.js';
import { failureOf } from './conclusion-failure.js';
import { confirmLive, isConfirmed } from './confirmation.js';
import { callEndpoint, callRow, type EndpointRun, type EndpointSession } from './endpoint-call.js';

/** @throws as `callEndpoint`; `unsafe` where the person did not say yes */
export function cancelOperation(run: EndpointRun, id: string): Promise<void> {
  return callEndpoint(
    run,
    () => ({ id }),
    async (open, input) => {
      if (isConfirmed(open)) await confirmLive(open, await lookUp(open, id), open.row);
      return callRow(open, input);
    },
  );
}

/** What would be cancelled. @throws Failure where it cannot be read: nobody can say yes to what nobody sees */
async function lookUp(run: EndpointSession, id: string): Promise<Record<string, unknown>> {
  const row = endpoint(run.row).lookup ?? 'transactions.get';
  const read = await run.session.client.call(row, { id }, { signal: run.ports.signal });
  const conclusion = conclude(read);
  if (conclusion.exitCode !== 0) throw failureOf(conclusion, read, run);
  const { body = new Uint8Array() } = answerOf(read.attempts.at(-1)) ?? {};
  return JSON.parse(Buffer.from(body).toString('utf8')) as Record<string, unknown>;
}
