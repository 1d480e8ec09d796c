import type { CheckUpLine } from './view.js';
import type { FailureKind } from '../../runtime/failure.js';

export interface Check extends CheckUpLine {
  readonly kind: FailureKind | null;
}

export function ok(check: string, message: string): Check {
  return { check, status: 'ok', message, fix: null, kind: null };
}

export function warning(check: string, message: string, fix: string | null = null): Check {
  return { check, status: 'warning', message, fix, kind: null };
}

export function error(check: string, kind: FailureKind, message: string, fix: string | null = null): Check {
  return { check, status: 'error', message, fix, kind };
}
