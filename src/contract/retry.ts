/** Attempts one after the other: the one loop that makes them, what is made again and what never is, and after how long. Pure but for its ports. */
import { isLimited, isMalformed, type Attempt, type AttemptKind } from './attempt.js';
import type { RetryClass } from './endpoints.js';

/** How long a sender goes on. */
export interface Patience {
  /** Attempts in all, the first one included. */
  readonly attemptsMax: number;
  /** So many that a rate limit turned away do not count. */
  readonly limitedMax: number;
  /** What passes by itself is waited out for ever, and does not count. */
  readonly isEndless: boolean;
}

/** A call that somebody waits for. */
export const CALL_PATIENCE: Patience = { attemptsMax: 3, limitedMax: 0, isEndless: false };
/** A row of a batch: waiting for a rate limit takes no more than twenty in all. */
export const ROW_PATIENCE: Patience = { attemptsMax: 3, limitedMax: 17, isEndless: false };
/** A follower of the feed. */
export const ENDLESS_PATIENCE: Patience = { ...CALL_PATIENCE, isEndless: true };

const FIRST_WAIT_MS = 250;
const WAIT_FACTOR = 4;
const WAIT_MAX_MS = 10_000;
const PATIENT_FIRST_WAIT_MS = 1000;
const PATIENT_WAIT_MAX_MS = 30_000;
const JITTER = 0.25;
/** A service that asks for longer is asked again by a person, or after this. */
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

export interface Attempting {
  readonly retry: RetryClass;
  readonly patience: Patience;
  /** At least 0, less than 1: where in the jitter of 25 % either way a wait falls. */
  readonly fraction: () => number;
  readonly attempt: (count: number) => Promise<Attempt>;
  /** Waits before the next attempt; false where there must be none. */
  readonly wait: (waitMs: number, last: Attempt, attempts: readonly Attempt[]) => Promise<boolean>;
}

/** Makes attempts until nothing is to be made again. In order; without those that were waited out for ever. */
export async function attemptsOf(attempting: Attempting): Promise<Attempt[]> {
  const { retry, patience, fraction } = attempting;
  let attempts: Attempt[] = [];
  for (let count = 1; ; count += 1) {
    const last = await attempting.attempt(count);
    const isPassing = patience.isEndless && passes(last);
    if (isPassing) attempts = [];
    else attempts.push(last);
    const waitMs = isPassing
      ? patientWaitMs(count, askedMs(last), fraction())
      : nextWaitMs(retry, attempts, fraction, patience);
    if (waitMs === null || !(await attempting.wait(waitMs, last, attempts))) return attempts;
  }
}

/**
 * The milliseconds to wait before the next attempt, or null where there is none.
 * A repeated create carries the same key and the same bytes; a `once` call is never repeated, whatever came of it.
 */
export function nextWaitMs(
  retry: RetryClass,
  attempts: readonly Attempt[],
  fraction: () => number,
  { attemptsMax, limitedMax }: Patience = CALL_PATIENCE,
): number | null {
  const last = attempts.at(-1);
  if (last === undefined || retry === 'once' || !REPEATABLE.has(last.kind)) return null;
  if ('reason' in last && last.reason === 'aborted') return null;
  const counted = attempts.length - Math.min(limitedMax, attempts.filter(isLimited).length);
  if (counted >= attemptsMax) return null;
  const mismatches = attempts.filter(({ kind }) => kind === 'mismatched').length;
  if (last.kind === 'mismatched' && mismatches >= MISMATCHES_MAX) return null;
  // 250 ms, 1 s, 4 s ... with 25 % jitter, at most 10 s.
  const plainMs = FIRST_WAIT_MS * WAIT_FACTOR ** (Math.max(1, counted) - 1);
  const backoffMs = Math.min(WAIT_MAX_MS, jittered(plainMs, fraction()));
  return Math.max(backoffMs, Math.min(askedMs(last) ?? 0, RETRY_AFTER_MAX_MS));
}

/** The service, or the way to it, is not there for a while. */
export function passes(attempt: Attempt): boolean {
  if (attempt.kind === 'unavailable' || attempt.kind === 'server_error') return true;
  if (attempt.kind === 'not_sent') return attempt.reason !== 'malformed';
  return attempt.kind === 'lost' && !isMalformed(attempt.reason);
}

/**
 * For who waits for ever: 1 s, 2 s, 4 s ... 30 s with 25 % jitter, and never less than `Retry-After` asks for (60 s at most).
 * @param failures how many attempts in a row were not answered, at least one
 * @param asked what `Retry-After` says, in milliseconds; null without it
 */
export function patientWaitMs(failures: number, asked: number | null, fraction: number): number {
  const plain = Math.min(PATIENT_WAIT_MAX_MS, PATIENT_FIRST_WAIT_MS * 2 ** Math.min(failures - 1, 10));
  return Math.max(jittered(plain, fraction), Math.min(asked ?? 0, RETRY_AFTER_MAX_MS));
}

function jittered(plainMs: number, fraction: number): number {
  return Math.round(plainMs * (1 - JITTER + 2 * JITTER * fraction));
}

function askedMs(attempt: Attempt): number | null {
  return 'retryAfterMs' in attempt ? attempt.retryAfterMs : null;
}
