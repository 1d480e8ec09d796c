/** Whether a call is made again, and after how long: the matrix of what is repeated and what never is. Pure. */
import type { RetryClass } from './endpoint.js';
import type { Attempt, AttemptKind } from './attempt.js';

/** In all, the first one included. */
export const ATTEMPTS = 3;
const FIRST_WAIT_MS = 250;
const WAIT_FACTOR = 4;
const WAIT_MAX_MS = 10_000;
const JITTER = 0.25;
/** A service that asks for longer is asked again by a person. */
export const RETRY_AFTER_MAX_MS = 60_000;

/** A definite answer is never asked for twice; a 409 is one of them. */
const REPEATABLE: ReadonlySet<AttemptKind> = new Set<AttemptKind>([
  'not_sent',
  'lost',
  'unreadable',
  'server_error',
  'unavailable',
  'mismatched',
]);

/** An answer about another payment is asked for once more: with the same key and bytes it may have been a slip of somebody in between. */
const MISMATCHES_MAX = 2;

/**
 * The milliseconds to wait before the next attempt, or null where there is none.
 * A repeated create carries the same key and the same bytes; a `once` call is never repeated, whatever came of it.
 * @param fraction at least 0, less than 1: where in the jitter of 25 % either way the wait falls
 */
export function nextWaitMs(
  retry: RetryClass,
  attempts: readonly Attempt[],
  fraction: number,
  attemptsMax: number = ATTEMPTS,
): number | null {
  const last = attempts.at(-1);
  if (last === undefined || retry === 'once' || attempts.length >= attemptsMax) return null;
  if (!REPEATABLE.has(last.kind) || isInterrupted(last)) return null;
  if (last.kind === 'mismatched' && mismatchesIn(attempts) >= MISMATCHES_MAX) return null;
  const asked = 'retryAfterMs' in last ? (last.retryAfterMs ?? 0) : 0;
  return Math.max(backoffMs(attempts.length, fraction), Math.min(asked, RETRY_AFTER_MAX_MS));
}

/** 250 ms, 1 s, 4 s ... with 25 % jitter, at most 10 s. */
export function backoffMs(attemptsSoFar: number, fraction: number): number {
  const plain = FIRST_WAIT_MS * WAIT_FACTOR ** (attemptsSoFar - 1);
  return Math.min(WAIT_MAX_MS, Math.round(plain * (1 - JITTER + 2 * JITTER * fraction)));
}

function mismatchesIn(attempts: readonly Attempt[]): number {
  return attempts.filter(({ kind }) => kind === 'mismatched').length;
}

function isInterrupted(attempt: Attempt): boolean {
  return (attempt.kind === 'lost' || attempt.kind === 'not_sent') && attempt.reason === 'aborted';
}
