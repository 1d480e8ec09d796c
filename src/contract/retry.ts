import { isLimited, isBadAnswer, type Attempt, type AttemptKind } from './attempt.js';
import type { RetryClass } from './endpoints.js';

export interface Patience {
  readonly attemptsMax: number;
  readonly limitedMax: number;
  readonly isEndless: boolean;
}

export const CALL_PATIENCE: Patience = { attemptsMax: 3, limitedMax: 0, isEndless: false };
export const ROW_PATIENCE: Patience = { attemptsMax: 3, limitedMax: 17, isEndless: false };
export const ENDLESS_PATIENCE: Patience = { ...CALL_PATIENCE, isEndless: true };

const FIRST_WAIT_MS = 250;
const WAIT_FACTOR = 4;
const WAIT_MAX_MS = 10_000;
const PATIENT_FIRST_WAIT_MS = 1000;
const PATIENT_WAIT_MAX_MS = 30_000;
const JITTER = 0.25;
export const RETRY_AFTER_MAX_MS = 60_000;

const REPEATABLE_KINDS: ReadonlySet<AttemptKind> = new Set<AttemptKind>([
  'not_sent',
  'lost',
  'unreadable',
  'server_error',
  'unavailable',
  'mismatched',
]);

const MISMATCHED_ATTEMPTS_MAX = 2;

export interface AttemptLoop {
  readonly retry: RetryClass;
  readonly patience: Patience;
  readonly fraction: () => number;
  readonly attempt: (count: number) => Promise<Attempt>;
  readonly wait: (waitMs: number, last: Attempt, attempts: readonly Attempt[]) => Promise<boolean>;
}

export async function runAttempts(loop: AttemptLoop): Promise<Attempt[]> {
  const { retry, patience, fraction } = loop;
  let attempts: Attempt[] = [];
  for (let count = 1; ; count += 1) {
    const last = await loop.attempt(count);
    const isWaitedOut = patience.isEndless && isTemporary(last);
    if (isWaitedOut) attempts = [];
    else attempts.push(last);
    const waitMs = isWaitedOut
      ? patientWaitMs(count, retryAfterOf(last), fraction())
      : nextWaitMs(retry, attempts, fraction, patience);
    if (waitMs === null || !(await loop.wait(waitMs, last, attempts))) return attempts;
  }
}

export function nextWaitMs(
  retry: RetryClass,
  attempts: readonly Attempt[],
  fraction: () => number,
  { attemptsMax, limitedMax }: Patience = CALL_PATIENCE,
): number | null {
  const last = attempts.at(-1);
  if (last === undefined || retry === 'once' || !REPEATABLE_KINDS.has(last.kind)) return null;
  if ('reason' in last && last.reason === 'aborted') return null;
  const countedAttempts = attempts.length - Math.min(limitedMax, attempts.filter(isLimited).length);
  if (countedAttempts >= attemptsMax) return null;
  const mismatches = attempts.filter(({ kind }) => kind === 'mismatched').length;
  if (last.kind === 'mismatched' && mismatches >= MISMATCHED_ATTEMPTS_MAX) return null;
  const baseMs = FIRST_WAIT_MS * WAIT_FACTOR ** (Math.max(1, countedAttempts) - 1);
  const backoffMs = Math.min(WAIT_MAX_MS, withJitter(baseMs, fraction()));
  return Math.max(backoffMs, Math.min(retryAfterOf(last) ?? 0, RETRY_AFTER_MAX_MS));
}

export function isTemporary(attempt: Attempt): boolean {
  if (attempt.kind === 'unavailable' || attempt.kind === 'server_error') return true;
  if (attempt.kind === 'not_sent') return attempt.reason !== 'malformed';
  return attempt.kind === 'lost' && !isBadAnswer(attempt.reason);
}

export function patientWaitMs(failures: number, retryAfterMs: number | null, fraction: number): number {
  const baseMs = Math.min(PATIENT_WAIT_MAX_MS, PATIENT_FIRST_WAIT_MS * 2 ** Math.min(failures - 1, 10));
  return Math.max(withJitter(baseMs, fraction), Math.min(retryAfterMs ?? 0, RETRY_AFTER_MAX_MS));
}

function withJitter(baseMs: number, fraction: number): number {
  return Math.round(baseMs * (1 - JITTER + 2 * JITTER * fraction));
}

function retryAfterOf(attempt: Attempt): number | null {
  return 'retryAfterMs' in attempt ? attempt.retryAfterMs : null;
}
