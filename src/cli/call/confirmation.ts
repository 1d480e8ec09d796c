/** What real money needs beside `--live` before it moves: the yes of a person, where one is there, and `--yes` beside a flag that leaves a check out. */
import type { Prepared } from '../../client/request.js';
import { answerOf } from '../../contract/attempt.js';
import { endpoint, type EndpointId } from '../../contract/endpoints.js';
import { parseJson } from '../../contract/json.js';
import { Failure, type FailureFacts } from '../../runtime/failure.js';
import { isPersonThere } from '../line/interaction.js';
import type { SessionRun } from '../session/session.js';
import { failureOf, concludeCall } from './ending.js';
import { callEndpoint, callRow, type EndpointRun } from './endpoint-call.js';

/** True where a person has to say yes. */
export function isConfirmed({ ports, flags, session }: SessionRun): boolean {
  return (
    session.environment === 'live' && !flags.yes && isPersonThere(ports, { 'no-input': flags['no-input'] })
  );
}

/**
 * Live, a flag that leaves out what keeps a payment from being made twice needs a second word.
 * @param flag without its dashes @throws Failure `unsafe` (`not_confirmed`)
 */
export function requireYes(
  flag: string,
  { session, flags }: Pick<SessionRun, 'session' | 'flags'>,
  facts: FailureFacts = {},
): void {
  if (session.environment !== 'live' || flags.yes) return;
  const text = `In the live environment, --${flag} also needs --yes. Nothing was sent.`;
  throw new Failure('unsafe', text, { ...facts, code: 'not_confirmed' });
}

/** Returns where the request may go out. @param what as for `askLive` @throws as `askLive` */
export async function confirmLive(
  run: SessionRun,
  what: Readonly<Record<string, unknown>>,
  request: string,
  isRepeated = false,
): Promise<void> {
  if (!isConfirmed(run)) return;
  const { askLive } = await import('./live-question.js');
  await askLive(run, what, request, isRepeated);
}

/**
 * The same of a request that is written already. What it is about is read first, where it has an operation.
 * @throws as `askLive`; what reading the operation throws
 */
export async function confirmPrepared(
  run: SessionRun,
  prepared: Prepared,
  isRepeated = false,
): Promise<void> {
  const { endpointId, id, request, retry } = prepared;
  if (retry === 'safe' || !isConfirmed(run)) return;
  const about =
    endpointId !== null && id !== null
      ? await lookUp(run, endpointId, id)
      : membersIn(request.body ?? new Uint8Array());
  const target = request.url.slice(run.session.serviceUrl.length);
  await confirmLive(run, about, endpointId ?? `${request.method} ${target}`, isRepeated);
}

/** @throws as `callEndpoint`; `unsafe` where the person did not say yes */
export function cancelOperation(run: EndpointRun, id: string): Promise<void> {
  return callEndpoint(
    run,
    () => ({ id }),
    async (open, input) => {
      if (isConfirmed(open)) await confirmLive(open, await lookUp(open, open.row, id), open.row);
      return callRow(open, input);
    },
  );
}

/** What would be cancelled. @throws Failure where it cannot be read: nobody can say yes to what nobody sees */
async function lookUp(run: SessionRun, of: EndpointId, id: string): Promise<Record<string, unknown>> {
  const row = endpoint(of).lookup ?? 'transactions.get';
  const read = await run.session.client.call(row, { id }, { signal: run.ports.signal });
  const sent = concludeCall(read);
  if (sent.conclusion.exitCode !== 0) throw failureOf(sent, run);
  const { body = new Uint8Array() } = answerOf(read.attempts.at(-1)) ?? {};
  return parseJson(body) as Record<string, unknown>;
}

/** The members of a body; none where it is no JSON object. */
function membersIn(body: Uint8Array): Record<string, unknown> {
  try {
    const value: unknown = parseJson(body);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
