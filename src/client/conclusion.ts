/** The one place that decides how a call ended: exit code, outcome and what to run next, from what was tried and what came back. Pure. */
import type { HttpAnswer } from '../runtime/transport.js';
import { isOlder, type OperationFacts } from '../contract/operation-facts.js';
import { isFinal } from '../contract/operation.js';
import { answerOf, isUnknown, type Attempt, type CallAttempts } from '../contract/attempt.js';
import {
  decidingOf,
  exitOf,
  isWrongMethod,
  lookupAfter,
  nextAfter,
  nextAfterPending,
  nextAfterUnknown,
  type CallExit,
  type Next,
} from './ending.js';
import {
  explainAttempt,
  explainFailed,
  explainMoot,
  explainNotCarriedOut,
  explainPending,
  explainUnknown,
  type Explanation,
} from './explanation.js';

/**
 * Whether the state of an operation decides how a call ends: with `answer` only a failed one does, where the call brings it about (create,
 * confirm); with `status` (`--exit-status`, `--wait`) of every call a failed and a pending one.
 */
export type Judge = 'answer' | 'status';

export interface Conclusion {
  readonly exitCode: CallExit;
  /** `unknown`: it may have been carried out. A read is `sent` or `not_sent`. */
  readonly outcome: 'not_sent' | 'sent' | 'unknown';
  /** True where a program may run the same command again as it is, without a look first: never what is not repeated, once it left. */
  readonly retryable: boolean;
  /** The operation in hand, from the answer or the lookup. */
  readonly operation: OperationFacts | null;
  /** The answer that counts: the data of a success, or the state of the operation that was looked up. */
  readonly answer: HttpAnswer | null;
  /** Null exactly where the exit code is 0. */
  readonly error: Explanation | null;
  readonly next: Next | null;
  /** Of a success: the operation was there before this create left; its own key has made it then, and nothing new was paid. */
  readonly isOlder: boolean;
  /** An address that is not the service may have answered: then nothing was paid. */
  readonly mayBeElsewhere: boolean;
}

type Success = Extract<Attempt, { kind: 'success' }>;

/**
 * How a call ended. Once the outcome of one attempt is unknown, only an operation in hand ends in anything but 12: a later refusal says
 * nothing about the attempt before it. An operation that was there before a create left is in hand only where the caller named the key.
 */
export function conclude(tried: CallAttempts, judge: Judge = 'answer'): Conclusion {
  const success = tried.attempts.findLast((attempt) => attempt.kind === 'success');
  if (success !== undefined) {
    const { operation, isHeld } = success;
    const firstLeftMs = tried.create?.firstLeftMs ?? null;
    const older =
      isHeld === true || (operation !== null && firstLeftMs !== null && isOlder(operation, firstLeftMs));
    if (older && tried.create?.isOwnKey !== true) return concludeUnknown(tried);
    const carriesOn = operation?.status === 'pending' || operation?.status === 'confirmed';
    if (isCancel(tried) && operation !== null && carriesOn) {
      const error = explainNotCarriedOut(operation, success.answer);
      return { ...sent(success), exitCode: 1, error, next: lookupAfter(tried), isOlder: older };
    }
    return { ...judgeOperation(tried, success, judge), isOlder: older };
  }
  if (tried.retry !== 'safe' && tried.attempts.some((attempt) => isUnknown(attempt, tried.retry))) {
    return judgeLookup(tried, judge) ?? concludeUnknown(tried);
  }
  const deciding = decidingOf(tried.attempts);
  const exitCode = isWrongMethod(deciding, tried) ? 2 : exitOf(deciding);
  const hasLeft = tried.attempts.some((attempt) => attempt.kind !== 'not_sent');
  return {
    ...NOTHING,
    exitCode,
    outcome: hasLeft ? 'sent' : 'not_sent',
    retryable: (exitCode === 10 || exitCode === 11) && !(hasLeft && tried.retry === 'once'),
    answer: answerOf(deciding),
    error: explainAttempt(deciding, tried),
    next: nextAfter(exitCode, tried),
  };
}

/** What the state of the operation in hand makes of the call. */
function judgeOperation(tried: CallAttempts, success: Success, judge: Judge): Conclusion {
  const { operation, answer } = success;
  if (operation === null || isCancel(tried)) return sent(success);
  const bringsAbout = tried.retry === 'keyed' || tried.endpointId === 'payins.confirm';
  if (operation.status === 'failed' && (bringsAbout || judge === 'status')) {
    return { ...sent(success), exitCode: 9, error: explainFailed(operation, answer) };
  }
  if (judge === 'status' && !isFinal(operation.status)) {
    const error = explainPending(operation, answer);
    return { ...sent(success), exitCode: 8, error, next: nextAfterPending(operation) };
  }
  return sent(success);
}

/** What the lookup settles; null where it leaves the outcome unknown, for the call may still be under way behind it. */
function judgeLookup(tried: CallAttempts, judge: Judge): Conclusion | null {
  const { lookup } = tried;
  if (lookup?.kind !== 'success' || lookup.operation === null) return null;
  const { operation, answer } = lookup;
  const final = isFinal(operation.status);
  // Only a confirmation takes a pay-in from awaiting its code to processing (section 3).
  const confirmed = final || (operation.status === 'pending' && operation.code === 'processing');
  const alreadyDone = (code: string): Conclusion => ({
    ...sent(lookup),
    exitCode: 7,
    error: explainMoot(code, operation, answer),
  });
  switch (tried.endpointId) {
    case 'payins.confirm':
      return confirmed ? judgeOperation(tried, lookup, judge) : null;
    case 'payins.resend':
      return confirmed ? alreadyDone('code_not_expected') : null;
    case 'payins.cancel':
    case 'payouts.cancel':
      if (!final) return null;
      return operation.status === 'failed' && operation.code === 'cancelled'
        ? sent(lookup)
        : alreadyDone('not_cancellable');
    default:
      return null;
  }
}

function concludeUnknown(tried: CallAttempts): Conclusion {
  const seen = tried.lookup?.kind === 'success' ? tried.lookup : null;
  return {
    ...NOTHING,
    exitCode: 12,
    outcome: 'unknown',
    operation: seen?.operation ?? null,
    answer: seen?.answer ?? null,
    error: explainUnknown(tried),
    next: nextAfterUnknown(tried),
    // A redirect, or a service that knows neither the path nor the method.
    mayBeElsewhere: tried.attempts.some((attempt) => {
      if (attempt.kind !== 'broken') return false;
      const { status } = attempt.answer;
      return (status >= 300 && status < 400) || status === 404 || status === 405;
    }),
  };
}

/** A call that was answered and carried out. */
function sent(success: Success): Conclusion {
  const { operation, answer } = success;
  return { ...NOTHING, exitCode: 0, outcome: 'sent', operation, answer };
}

const NOTHING = {
  ...{ retryable: false, operation: null, answer: null, error: null, next: null },
  ...{ isOlder: false, mayBeElsewhere: false },
} as const;

function isCancel(tried: CallAttempts): boolean {
  return tried.endpointId === 'payins.cancel' || tried.endpointId === 'payouts.cancel';
}
