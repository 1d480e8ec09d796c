/** The exit code of one attempt, and which of several decides (its table is in the README). Pure. */
import type { Attempt } from './attempt.js';

/** The exit codes that a call to the service can end in. */
export type CallExit = 0 | 1 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12;

/** What is worst comes first, among attempts that settle nothing. */
const WORST_FIRST: readonly CallExit[] = [1, 10, 11];

/** The exit code of an attempt whose outcome is known, or of a read, which changes nothing. */
export function exitOf(attempt: Attempt): CallExit {
  switch (attempt.kind) {
    case 'success':
      return 0;
    case 'refused':
      return exitOfStatus(attempt.answer.status);
    case 'broken':
    case 'mismatched':
    case 'unreadable':
      return 1;
    case 'unavailable':
    case 'server_error':
      return 10;
    case 'lost':
      return ['truncated', 'too_large', 'encoding', 'malformed'].includes(attempt.reason) ? 1 : 11;
    case 'not_sent':
      return 11;
  }
}

function exitOfStatus(status: number): CallExit {
  if (status === 401 || status === 403) return 4;
  if (status === 404) return 5;
  return status === 409 ? 7 : 6;
}

/** The attempt that decides: a definite last answer, else the latest of the worst. */
export function decidingOf(attempts: readonly Attempt[]): Attempt {
  const last = attempts.at(-1);
  if (last === undefined) return { kind: 'not_sent', reason: 'aborted', message: 'interrupted' };
  if (last.kind === 'refused' || last.kind === 'broken') return last;
  const rank = (attempt: Attempt): number => WORST_FIRST.indexOf(exitOf(attempt));
  return attempts.reduce((chosen, attempt) => (rank(attempt) <= rank(chosen) ? attempt : chosen), last);
}
