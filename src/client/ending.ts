import { isBadAnswer, type Attempt, type CallAttempts } from '../contract/attempt.js';
import { endpoint, type EndpointId } from '../contract/endpoints.js';
import type { OperationFacts } from '../contract/operation-facts.js';

export type CallExit = 0 | 1 | 2 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12;

const EXITS_BY_SEVERITY: readonly CallExit[] = [1, 10, 11];

export function exitCodeOf(attempt: Attempt): CallExit {
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
      return isBadAnswer(attempt.reason) ? 1 : 11;
    case 'not_sent':
      return 11;
  }
}

export function isWrongMethod(attempt: Attempt, { endpointId }: Pick<CallAttempts, 'endpointId'>): boolean {
  return endpointId === null && attempt.kind === 'broken' && attempt.answer.status === 405;
}

export function chooseDecidingAttempt(attempts: readonly Attempt[]): Attempt {
  const last = attempts.at(-1);
  if (last === undefined) return { kind: 'not_sent', reason: 'aborted', message: 'interrupted' };
  if (last.kind === 'refused' || last.kind === 'broken') return last;
  const rank = (attempt: Attempt): number => EXITS_BY_SEVERITY.indexOf(exitCodeOf(attempt));
  return attempts.reduce((worst, attempt) => (rank(attempt) <= rank(worst) ? attempt : worst), last);
}

export type NextCommand =
  | { readonly kind: 'repeat'; readonly key: string }
  | { readonly kind: 'forget'; readonly key: string }
  | { readonly kind: 'get'; readonly endpointId: EndpointId; readonly id: string }
  | { readonly kind: 'wait'; readonly endpointId: EndpointId; readonly id: string }
  | { readonly kind: 'confirm'; readonly id: string }
  | { readonly kind: 'same'; readonly key: string | null }
  | { readonly kind: 'register-again' };

export function nextAfter(exitCode: CallExit, call: CallAttempts): NextCommand | null {
  const same: NextCommand = { kind: 'same', key: call.idempotencyKey };
  if (exitCode === 11) return same;
  if (exitCode === 10) return call.retry === 'once' ? (lookupCommand(call) ?? same) : same;
  return exitCode === 7 || exitCode === 1 ? lookupCommand(call) : null;
}

export function nextAfterUnknown(call: CallAttempts): NextCommand | null {
  if (call.endpointId === 'webhooks.register') return { kind: 'register-again' };
  const { retry, idempotencyKey: key } = call;
  return retry === 'keyed' && key !== null ? { kind: 'repeat', key } : lookupCommand(call);
}

export function nextAfterPending({ id, code }: OperationFacts): NextCommand {
  if (code === 'awaiting_code') return { kind: 'confirm', id };
  return { kind: 'wait', endpointId: 'transactions.get', id };
}

export function lookupCommand(call: CallAttempts): NextCommand | null {
  const endpointId = call.endpointId === null ? null : endpoint(call.endpointId).lookup;
  return endpointId === null || call.id === null ? null : { kind: 'get', endpointId, id: call.id };
}
