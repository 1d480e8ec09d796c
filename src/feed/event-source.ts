import type { Attempt } from '../contract/attempt.js';
import { LIMITS } from '../contract/limits.js';
import { runAttempts, CALL_PATIENCE, ENDLESS_PATIENCE, isTemporary } from '../contract/retry.js';
import { type Page, readPage } from './walk.js';
import { answeredAtMs, isTooOld } from '../runtime/transport.js';
import { failureOf, concludeCall } from '../command/ending.js';
import type { Where } from '../session/place-flags.js';
import type { SessionRun } from '../command/command.js';

export type EventSource = (cursor: string | null, signal: AbortSignal, limit?: number) => Promise<Page>;

export function eventSource(
  run: SessionRun<Where>,
  { isPatient, onWait }: { readonly isPatient: boolean; readonly onWait?: (() => void) | undefined },
): EventSource {
  const { session, ports } = run;
  const { clock, random } = ports;
  const { client } = isPatient ? session.quietOver(ports) : session;
  return async (cursor, signal, limit = LIMITS.eventsPageMax) => {
    const query = { cursor: cursor ?? undefined, limit: String(limit) };
    const preparedCall = client.prepare('events.list', { query });
    let page = null as Page | null;
    const attempts = await runAttempts({
      retry: 'safe',
      patience: isPatient ? ENDLESS_PATIENCE : CALL_PATIENCE,
      fraction: () => random.fraction(),
      attempt: async () => {
        const attempt = await client.attempt({ ...preparedCall, endpointId: null }, { signal });
        signal.throwIfAborted();
        const pageOrAttempt = pageOf(attempt);
        if (pageOrAttempt === null || 'kind' in pageOrAttempt) return pageOrAttempt ?? attempt;
        page = pageOrAttempt;
        return attempt;
      },
      wait: async (waitMs, lastAttempt) => {
        onWait?.();
        if (isPatient && isTemporary(lastAttempt))
          await session.note(retryNote(lastAttempt, waitMs), { level: 'warn' });
        await clock.sleep(waitMs, signal);
        return true;
      },
    });
    if (page !== null) return page;
    throw failureOf(concludeCall({ ...preparedCall, attempts, create: null, lookup: null }), run);
  };
}

function pageOf(attempt: Attempt): Page | Attempt | null {
  if (attempt.kind !== 'success') return null;
  const { answer, retryAfterMs } = attempt;
  const pageOrProblem = readPage(answer.body);
  if (!('problem' in pageOrProblem))
    return { ...pageOrProblem, answeredAtMs: answeredAtMs(answer), isTooOld: isTooOld(answer) };
  return { kind: 'unreadable', why: pageOrProblem.problem, answer, retryAfterMs };
}

function retryNote(attempt: Attempt, waitMs: number): string {
  const code = 'error' in attempt ? (attempt.error?.code ?? '') : '';
  const problem =
    'answer' in attempt
      ? `The service answered ${attempt.answer.status}${code === '' ? '' : ` ${code}`}`
      : `The service could not be reached: ${attempt.message}`;
  return `${problem}. svc asks again in ${Math.ceil(waitMs / 1000)} s. Nothing is lost.`;
}
