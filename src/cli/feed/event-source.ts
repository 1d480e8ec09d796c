/** Reads pages of the feed from the service, and waits out what passes by itself: 429, 5xx and lost connections. */
import type { Attempt } from '../../contract/attempt.js';
import { LIMITS } from '../../contract/limits.js';
import { attemptsOf, CALL_PATIENCE, ENDLESS_PATIENCE, isTemporary } from '../../contract/retry.js';
import { type Page, readPage } from '../../events/walk.js';
import { answeredAtMs, hasWaited } from '../../runtime/transport.js';
import { failureOf, concludeCall } from '../call/ending.js';
import type { Where } from '../line/where.js';
import type { SessionRun } from '../session/session.js';

export interface SourceOptions {
  /** Waits for ever, as a follower does; otherwise a read has its three attempts. */
  readonly isPatient: boolean;
  /** Called before each wait for a service that does not answer. */
  readonly onWait?: (() => void) | undefined;
}

/**
 * Reads the page behind a cursor; rejects with the failure that the read ends in, or with the signal's reason.
 * @param limit events of the page at the most; without it as many as there may be
 */
export type EventSource = (cursor: string | null, signal: AbortSignal, limit?: number) => Promise<Page>;

export function eventSource(run: SessionRun<Where>, { isPatient, onWait }: SourceOptions): EventSource {
  const { session, ports } = run;
  const { clock, random } = ports;
  // A patient one says itself what it waits for.
  const { client } = isPatient ? session.quietOver(ports) : session;
  return async (cursor, signal, limit = LIMITS.eventsPageMax) => {
    const query = { cursor: cursor ?? undefined, limit: String(limit) };
    const prepared = client.prepare('events.list', { query });
    let page = null as Page | null;
    const attempts = await attemptsOf({
      retry: 'safe',
      patience: isPatient ? ENDLESS_PATIENCE : CALL_PATIENCE,
      fraction: () => random.fraction(),
      attempt: async () => {
        // Without the row of the endpoint the client does not parse the bytes, which pass through.
        const attempt = await client.attempt({ ...prepared, endpointId: null }, { signal });
        signal.throwIfAborted();
        const read = pageIn(attempt);
        if (read === null || 'kind' in read) return read ?? attempt;
        page = read;
        return attempt;
      },
      wait: async (waitMs, last) => {
        onWait?.();
        if (isPatient && isTemporary(last)) await session.note(noteOn(last, waitMs), { level: 'warn' });
        await clock.sleep(waitMs, signal);
        return true;
      },
    });
    if (page !== null) return page;
    throw failureOf(concludeCall({ ...prepared, attempts, create: null, lookup: null }), run);
  };
}

/** The page in an attempt; null where there was no answer to hold one, an attempt where the answer holds none. */
function pageIn(attempt: Attempt): Page | Attempt | null {
  if (attempt.kind !== 'success') return null;
  const { answer, retryAfterMs } = attempt;
  const read = readPage(answer.body);
  if (!('problem' in read))
    return { ...read, answeredAtMs: answeredAtMs(answer), hasWaited: hasWaited(answer) };
  return { kind: 'unreadable', why: read.problem, answer, retryAfterMs };
}

function noteOn(attempt: Attempt, waitMs: number): string {
  const said = 'error' in attempt ? (attempt.error?.code ?? '') : '';
  const what =
    'answer' in attempt
      ? `The service answered ${attempt.answer.status}${said === '' ? '' : ` ${said}`}`
      : `The service could not be reached: ${attempt.message}`;
  return `${what}. svc asks again in ${Math.ceil(waitMs / 1000)} s. Nothing is lost.`;
}
