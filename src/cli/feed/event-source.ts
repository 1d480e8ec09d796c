/** Reads pages of the feed from the service, and waits out what passes by itself: 429, 5xx and lost connections. */
import type { Attempt } from '../../contract/attempt.js';
import type { Conversation } from '../../client/client.js';
import { conclude } from '../../client/conclusion.js';
import { nextWaitMs } from '../../contract/retry.js';
import { LIMITS } from '../../contract/limits.js';
import { patientWaitMs } from '../../events/patience.js';
import { readPage, type Page } from '../../events/page.js';
import { answeredAtMs } from '../../runtime/transport.js';
import { failureOf } from '../call/conclusion-failure.js';
import type { Where } from '../call/next.js';
import type { Session, SessionRun } from '../session/session.js';

export interface SourceOptions {
  /** Waits for ever, as a follower does; otherwise a read has its three attempts. */
  readonly isPatient: boolean;
}

/** Reads the page behind a cursor; rejects with the failure that the read ends in, or with the signal's reason. */
export type EventSource = (cursor: string | null, signal: AbortSignal) => Promise<Page>;

export function eventSource(run: SessionRun<Where>, { isPatient }: SourceOptions): EventSource {
  const { session, ports } = run;
  const { clock, random } = ports;
  return async (cursor, signal) => {
    let attempts: Attempt[] = [];
    for (let failures = 1; ; failures += 1) {
      const sent = await ask(session, cursor, signal);
      signal.throwIfAborted();
      const attempt = readAttempt(sent);
      if ('page' in attempt) return attempt.page;
      const isPassing = isPatient && passes(attempt);
      // What does not pass by itself has three attempts in a row.
      attempts = isPassing ? [] : [...attempts, attempt];
      const waitMs = isPassing
        ? patientWaitMs(failures, askedMs(attempt), random.fraction())
        : nextWaitMs('safe', attempts, random.fraction());
      if (waitMs === null) {
        const conversation = { ...sent, attempts };
        throw failureOf(conclude(conversation), conversation, run);
      }
      if (isPassing) await session.note(noteOn(attempt, waitMs));
      await clock.sleep(waitMs, signal);
    }
  };
}

/** One exchange. The client is not told which row it is, so that it does not parse the bytes that pass through. */
async function ask(session: Session, cursor: string | null, signal: AbortSignal): Promise<Conversation> {
  const query = { cursor: cursor ?? undefined, limit: String(LIMITS.eventsPageMax) };
  const prepared = session.client.prepare('events.list', { query });
  const sent = await session.client.send({ ...prepared, endpointId: null }, { signal, attemptsMax: 1 });
  return { ...sent, endpointId: 'events.list' };
}

function readAttempt({ attempts }: Conversation): Attempt | { readonly page: Page } {
  const attempt = attempts.at(-1) ?? { kind: 'not_sent', reason: 'aborted', message: 'interrupted' };
  if (attempt.kind !== 'success') return attempt;
  const { answer, retryAfterMs } = attempt;
  const read = readPage(answer.body);
  if (!('problem' in read)) return { page: { ...read, answeredAtMs: answeredAtMs(answer) } };
  return { kind: 'unreadable', why: read.problem, answer, retryAfterMs };
}

/** The service, or the way to it, is not there for a while. */
function passes(attempt: Attempt): boolean {
  if (attempt.kind === 'unavailable' || attempt.kind === 'server_error') return true;
  if (attempt.kind === 'not_sent') return attempt.reason !== 'malformed';
  return attempt.kind === 'lost' && !['too_large', 'encoding', 'malformed'].includes(attempt.reason);
}

function askedMs(attempt: Attempt): number | null {
  return 'retryAfterMs' in attempt ? attempt.retryAfterMs : null;
}

function noteOn(attempt: Attempt, waitMs: number): string {
  const said = 'error' in attempt ? (attempt.error?.code ?? '') : '';
  const what =
    'answer' in attempt
      ? `The service answered ${attempt.answer.status}${said === '' ? '' : ` ${said}`}`
      : `The service was not reached: ${attempt.message}`;
  return `${what}. Asking again in ${Math.ceil(waitMs / 1000)} s; nothing is lost.`;
}
