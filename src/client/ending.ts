/** The exit code of an attempt (table in docs/scripts.md), the attempt that decides, and the next command as data. */
import { isMalformed, type Attempt, type CallAttempts } from '../contract/attempt.js';
import { endpoint, type EndpointId } from '../contract/endpoints.js';
import type { OperationFacts } from '../contract/operation-facts.js';

/** The exit codes that a call to the service can end in. */
export type CallExit = 0 | 1 | 2 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12;

/** The exit codes of attempts that are no definite refusal, worst first. The worst one becomes the exit code of the call. */
const EXITS_BY_SEVERITY: readonly CallExit[] = [1, 10, 11];

/** Returns the exit code of an attempt whose outcome is known, or of a read, which changes nothing. */
export function exitOf(attempt: Attempt): CallExit {
  switch (attempt.kind) {
    case 'success':
      return 0;
    case 'refused': {
      const { status } = attempt.answer;
      if (status === 401 || status === 403) return 4;
      if (status === 404) return 5;
      return status === 409 ? 7 : 6;
    }
    case 'broken':
    case 'mismatched':
    case 'unreadable':
      return 1;
    case 'unavailable':
    case 'server_error':
      return 10;
    case 'lost':
      return isMalformed(attempt.reason) ? 1 : 11;
    case 'not_sent':
      return 11;
  }
}

/** True if a hand-written request to a path outside the table used the wrong method, about which the contract says nothing. */
export function isWrongMethod(attempt: Attempt, { endpointId }: Pick<CallAttempts, 'endpointId'>): boolean {
  return endpointId === null && attempt.kind === 'broken' && attempt.answer.status === 405;
}

/** Returns the attempt that decides: the last one if its answer is definite, else the latest of the worst ones. */
export function decidingOf(attempts: readonly Attempt[]): Attempt {
  const last = attempts.at(-1);
  if (last === undefined) return { kind: 'not_sent', reason: 'aborted', message: 'interrupted' };
  if (last.kind === 'refused' || last.kind === 'broken') return last;
  const rank = (attempt: Attempt): number => EXITS_BY_SEVERITY.indexOf(exitOf(attempt));
  return attempts.reduce((worst, attempt) => (rank(attempt) <= rank(worst) ? attempt : worst), last);
}

export type Next =
  /** Repeats the same bytes with the same key from the journal: `svc requests repeat KEY`. */
  | { readonly kind: 'repeat'; readonly key: string }
  /** Removes the request from the journal, if a person knows that nothing was paid. */
  | { readonly kind: 'forget'; readonly key: string }
  /** Reads the operation before anything else is done. */
  | { readonly kind: 'get'; readonly endpointId: EndpointId; readonly id: string }
  /** Waits for the operation: a get with `--wait`. */
  | { readonly kind: 'wait'; readonly endpointId: EndpointId; readonly id: string }
  /** Confirms with the code, which a person must type. */
  | { readonly kind: 'confirm'; readonly id: string }
  /** Runs the same command later; a create with this key. */
  | { readonly kind: 'same'; readonly key: string | null }
  /** Registers the webhook endpoint again; the previous secret stays valid for 24 hours. */
  | { readonly kind: 'register-again' };

/** Returns the next command after a call whose outcome is known. */
export function nextAfter(exitCode: CallExit, tried: CallAttempts): Next | null {
  const same: Next = { kind: 'same', key: tried.idempotencyKey };
  if (exitCode === 11) return same;
  if (exitCode === 10) return tried.retry === 'once' ? (lookupAfter(tried) ?? same) : same;
  return exitCode === 7 || exitCode === 1 ? lookupAfter(tried) : null;
}

/** Returns the next command after a call whose outcome is unknown: it repeats a create with the same key, or a registration, and looks up any other call. */
export function nextAfterUnknown(tried: CallAttempts): Next | null {
  if (tried.endpointId === 'webhooks.register') return { kind: 'register-again' };
  const { retry, idempotencyKey: key } = tried;
  return retry === 'keyed' && key !== null ? { kind: 'repeat', key } : lookupAfter(tried);
}

/** Returns the next command after a wait that ended with the operation still pending. */
export function nextAfterPending({ id, code }: OperationFacts): Next {
  if (code === 'awaiting_code') return { kind: 'confirm', id };
  return { kind: 'wait', endpointId: 'transactions.get', id };
}

/** Returns the get of the operation that a `once` call is about. */
export function lookupAfter(tried: CallAttempts): Next | null {
  const endpointId = tried.endpointId === null ? null : endpoint(tried.endpointId).lookup;
  return endpointId === null || tried.id === null ? null : { kind: 'get', endpointId, id: tried.id };
}
