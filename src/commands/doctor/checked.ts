/** What a check has found: how it is, in a sentence, and what mends it. */
import type { CheckUpLine } from '../../output/check-up.js';
import type { FailureKind } from '../../runtime/failure.js';

export interface Checked extends CheckUpLine {
  /** What an error makes of the exit code. */
  readonly kind: FailureKind | null;
}

export function ok(check: string, message: string): Checked {
  return { check, status: 'ok', message, fix: null, kind: null };
}

export function warning(check: string, message: string, fix: string | null = null): Checked {
  return { check, status: 'warning', message, fix, kind: null };
}

export function error(check: string, kind: FailureKind, message: string, fix: string | null = null): Checked {
  return { check, status: 'error', message, fix, kind };
}
