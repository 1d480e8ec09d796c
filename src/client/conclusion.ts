import type { HttpAnswer } from '../runtime/transport.js';
import { isOlder, type OperationFacts } from '../contract/operation-facts.js';
import { isFinal } from '../contract/operation.js';
import { answerOf, isUnknown, type Attempt, type CallAttempts } from '../contract/attempt.js';
import {
  chooseDecidingAttempt,
  exitCodeOf,
  isWrongMethod,
  lookupCommand,
  nextAfter,
  nextAfterPending,
  nextAfterUnknown,
  type CallExit,
  type NextCommand,
} from './ending.js';
import { explainAttempt, explainFailed, explainPending, explainUnknown, explanation } from './explanation.js';
import type { Explanation } from './explanation.js';

export type Criterion = 'answer' | 'status';

export interface Conclusion {
  readonly exitCode: CallExit;
  readonly outcome: 'not_sent' | 'sent' | 'unknown';
  /** True if a program may run the same command again without a check. */
  readonly retryable: boolean;
  readonly operation: OperationFacts | null;
  readonly answer: HttpAnswer | null;
  readonly error: Explanation | null;
  readonly next: NextCommand | null;
  readonly isOlder: boolean;
  readonly mayBeElsewhere: boolean;
}

type Success = Extract<Attempt, { kind: 'success' }>;

/** After an unknown attempt only a success or the lookup counts, because a later refusal does not undo a payment. */
export function conclude(call: CallAttempts, criterion: Criterion = 'answer'): Conclusion {
  const success = call.attempts.findLast((attempt) => attempt.kind === 'success');
  if (success !== undefined) {
    const { operation, isHeldElsewhere } = success;
    const firstLeftMs = call.create?.firstLeftMs ?? null;
    const isOlderPayment =
      isHeldElsewhere === true ||
      (operation !== null && firstLeftMs !== null && isOlder(operation, firstLeftMs));
    if (isOlderPayment && call.create?.isOwnKey !== true) return concludeUnknown(call);
    const isNotCancelled = operation?.status === 'pending' || operation?.status === 'confirmed';
    if (isCancel(call) && operation !== null && isNotCancelled) {
      const text = `The service answered the cancel, but the operation ${operation.id} is ${operation.status}. Look it up.`;
      const error = explanation('contract_broken', text, success.answer);
      const next = lookupCommand(call);
      return { ...concludeSent(success), exitCode: 1, error, next, isOlder: isOlderPayment };
    }
    return { ...judgeOperation(call, success, criterion), isOlder: isOlderPayment };
  }
  if (call.retry !== 'safe' && call.attempts.some((attempt) => isUnknown(attempt, call.retry))) {
    return judgeLookup(call, criterion) ?? concludeUnknown(call);
  }
  const decidingAttempt = chooseDecidingAttempt(call.attempts);
  const exitCode = isWrongMethod(decidingAttempt, call) ? 2 : exitCodeOf(decidingAttempt);
  const wasSent = call.attempts.some((attempt) => attempt.kind !== 'not_sent');
  return {
    ...EMPTY_CONCLUSION,
    exitCode,
    outcome: wasSent ? 'sent' : 'not_sent',
    retryable: (exitCode === 10 || exitCode === 11) && !(wasSent && call.retry === 'once'),
    answer: answerOf(decidingAttempt),
    error: explainAttempt(decidingAttempt, call),
    next: nextAfter(exitCode, call),
  };
}

function judgeOperation(call: CallAttempts, success: Success, criterion: Criterion): Conclusion {
  const { operation, answer } = success;
  if (operation === null || isCancel(call)) return concludeSent(success);
  const isCreateOrConfirm = call.retry === 'keyed' || call.endpointId === 'payins.confirm';
  if (operation.status === 'failed' && (isCreateOrConfirm || criterion === 'status')) {
    return { ...concludeSent(success), exitCode: 9, error: explainFailed(operation, answer) };
  }
  if (criterion === 'status' && !isFinal(operation.status)) {
    const error = explainPending(operation, answer);
    return { ...concludeSent(success), exitCode: 8, error, next: nextAfterPending(operation) };
  }
  return concludeSent(success);
}

function judgeLookup(call: CallAttempts, criterion: Criterion): Conclusion | null {
  const { lookup } = call;
  if (lookup?.kind !== 'success' || lookup.operation === null) return null;
  const { operation, answer } = lookup;
  const isFinalNow = isFinal(operation.status);
  // Only a confirm moves a pay-in from awaiting its code to processing (contract section 3).
  const isPastCode = isFinalNow || (operation.status === 'pending' && operation.code === 'processing');
  const mootText = `The answer was lost. The operation ${operation.id} is ${operation.status}, so this can no longer be done.`;
  const concludeMoot = (code: string): Conclusion => {
    return { ...concludeSent(lookup), exitCode: 7, error: explanation(code, mootText, answer) };
  };
  switch (call.endpointId) {
    case 'payins.confirm':
      return isPastCode ? judgeOperation(call, lookup, criterion) : null;
    case 'payins.resend':
      return isPastCode ? concludeMoot('code_not_expected') : null;
    case 'payins.cancel':
    case 'payouts.cancel':
      if (!isFinalNow) return null;
      return operation.status === 'failed' && operation.code === 'cancelled'
        ? concludeSent(lookup)
        : concludeMoot('not_cancellable');
    default:
      return null;
  }
}

function concludeUnknown(call: CallAttempts): Conclusion {
  const lookup = call.lookup?.kind === 'success' ? call.lookup : null;
  return {
    ...EMPTY_CONCLUSION,
    exitCode: 12,
    outcome: 'unknown',
    operation: lookup?.operation ?? null,
    answer: lookup?.answer ?? null,
    error: explainUnknown(call),
    next: nextAfterUnknown(call),
    mayBeElsewhere: call.attempts.some((attempt) => {
      if (attempt.kind !== 'broken') return false;
      const { status } = attempt.answer;
      return (status >= 300 && status < 400) || status === 404 || status === 405;
    }),
  };
}

function concludeSent(success: Success): Conclusion {
  const { operation, answer } = success;
  return { ...EMPTY_CONCLUSION, exitCode: 0, outcome: 'sent', operation, answer };
}

const EMPTY_CONCLUSION = {
  ...{ retryable: false, operation: null, answer: null, error: null, next: null },
  ...{ isOlder: false, mayBeElsewhere: false },
} as const;

function isCancel(call: CallAttempts): boolean {
  return call.endpointId === 'payins.cancel' || call.endpointId === 'payouts.cancel';
}
