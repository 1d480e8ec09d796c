/** Asks a person before real money moves: only where one is there, and never a script, whose `--live` is its word. */
import { conclude } from '../../client/conclusion.js';
import { answerOf } from '../../contract/attempt.js';
import { endpoint, type EndpointId } from '../../contract/endpoints.js';
import { parseJson } from '../../contract/json-text.js';
import { isPersonThere } from '../line/interaction.js';
import type { SessionRun } from '../session/session.js';
import { failureOf } from './ending.js';
import { callEndpoint, callRow, type EndpointRun, type EndpointSession } from './endpoint-call.js';

/** True where a person has to say yes. */
export function isConfirmed({ ports, flags, session }: SessionRun): boolean {
  return (
    session.environment === 'live' && !flags.yes && isPersonThere(ports, { 'no-input': flags['no-input'] })
  );
}

/** Returns where the request may go out. @param what as for `askLive` @throws as `askLive` */
export async function confirmLive(
  run: SessionRun,
  what: Readonly<Record<string, unknown>>,
  row: EndpointId,
): Promise<void> {
  if (!isConfirmed(run)) return;
  const { askLive } = await import('./live-question.js');
  await askLive(run, what, row);
}

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
  return parseJson(body) as Record<string, unknown>;
}
