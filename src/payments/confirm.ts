import type { PreparedRequest } from '../client/request.js';
import { answerOf } from '../contract/attempt.js';
import { endpoint, type EndpointId } from '../contract/endpoints.js';
import { parseJson } from '../contract/json.js';
import { Failure, type FailureFacts } from '../runtime/failure.js';
import { isPersonThere } from '../command/line/terminal.js';
import { failureOf, concludeCall } from '../command/ending.js';
import { callEndpoint, sendCall, type EndpointRun } from '../command/call.js';
import type { SessionRun } from '../command/command.js';

export function isConfirmationNeeded({ ports, flags, session }: SessionRun): boolean {
  return (
    session.environment === 'live' && !flags.yes && isPersonThere(ports, { 'no-input': flags['no-input'] })
  );
}

export function requireYes(
  flag: string,
  { session, flags }: Pick<SessionRun, 'session' | 'flags'>,
  facts: FailureFacts = {},
): void {
  if (session.environment !== 'live' || flags.yes) return;
  const text = `In the live environment, --${flag} also needs --yes. Nothing was sent.`;
  throw new Failure('unsafe', text, { ...facts, code: 'not_confirmed' });
}

export async function confirmLive(
  run: SessionRun,
  members: Readonly<Record<string, unknown>>,
  requestName: string,
  isRepeated = false,
): Promise<void> {
  if (!isConfirmationNeeded(run)) return;
  const { askLive } = await import('./live-question.js');
  await askLive(run, members, requestName, isRepeated);
}

export async function confirmPrepared(
  run: SessionRun,
  prepared: PreparedRequest,
  isRepeated = false,
): Promise<void> {
  const { endpointId, id, request, retry } = prepared;
  if (retry === 'safe' || !isConfirmationNeeded(run)) return;
  const members =
    endpointId !== null && id !== null
      ? await readOperation(run, endpointId, id)
      : membersIn(request.body ?? new Uint8Array());
  const path = request.url.slice(run.session.serviceUrl.length);
  await confirmLive(run, members, endpointId ?? `${request.method} ${path}`, isRepeated);
}

export function cancelOperation(run: EndpointRun, id: string): Promise<void> {
  return callEndpoint(
    run,
    () => ({ id }),
    async (sessionRun, input) => {
      const { endpointId } = sessionRun;
      if (isConfirmationNeeded(sessionRun))
        await confirmLive(sessionRun, await readOperation(sessionRun, endpointId, id), endpointId);
      return sendCall(sessionRun, input);
    },
  );
}

async function readOperation(
  run: SessionRun,
  endpointId: EndpointId,
  id: string,
): Promise<Record<string, unknown>> {
  const lookup = endpoint(endpointId).lookup ?? 'transactions.get';
  const conversation = await run.session.client.call(lookup, { id }, { signal: run.ports.signal });
  const result = concludeCall(conversation);
  if (result.conclusion.exitCode !== 0) throw failureOf(result, run);
  const { body = new Uint8Array() } = answerOf(conversation.attempts.at(-1)) ?? {};
  return parseJson(body) as Record<string, unknown>;
}

function membersIn(body: Uint8Array): Record<string, unknown> {
  try {
    const value: unknown = parseJson(body);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
