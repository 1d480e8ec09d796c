import {
  type Attempt,
  isDenied,
  isLimited,
  hasReusedKey,
  isUnknown,
  KEY_REUSED,
} from '../../contract/attempt.js';
import { isOlder, type OperationFacts, matchesPayment } from '../../contract/operation-facts.js';
import type { UnsureAge } from '../../contract/moment.js';
import { momentText } from '../../contract/notation.js';
import { CONTRADICTED, GONE, isFinal, type Direction } from '../../contract/operation.js';
import {
  isUncertain,
  SKIPPED_AS_PAID,
  SKIPPED_PENDING,
  type RowState,
} from '../../storage/batches/row-state.js';
import type { ClaimedRow, RowStatus, RowResult, ShownRow } from '../../storage/batches/row.js';
import { isSameReference } from '../../contract/reference.js';
import type { Batch } from '../../storage/batches/batch-store.js';
import { isExcluded } from './payments.js';

export type JudgedRow = Pick<ClaimedRow, 'stateBefore' | 'sentAtMs'>;

export const OWN_OPERATION_MAX_MS = 24 * 3_600_000;

export const NO_OPERATION = { operation: null, status: null, operationAtMs: null } as const;

/** A repeat after 23 hours could pay twice, because the service may have forgotten the idempotency key. */
export const TOO_OLD_STATUS: RowStatus = {
  ...NO_OPERATION,
  state: 'needs_review',
  code: 'too_old',
  detail: 'Sent more than 23 hours ago, and what became of it is not known.',
};

const BLOCKED_CODE = 'open_elsewhere';

export function blockedStatus(holder: string, operation: string | null): RowStatus {
  const holderState = operation === null ? 'is open too' : `was paid (${operation})`;
  const detail = `${holder} ${holderState}, with the same reference: a payment may be of either. A person decides.`;
  return { ...NO_OPERATION, state: 'needs_review', code: BLOCKED_CODE, detail };
}

export function contradictedStatus(operation: OperationFacts): RowStatus {
  const detail = `Operation ${operation.id} was said to be confirmed, and to have failed. It counts as paid. A person asks what it is.`;
  const facts = operationFacts({ ...operation, status: 'confirmed' });
  return { ...facts, state: 'needs_review', code: CONTRADICTED, detail };
}

export function waitingStatus(stateBefore: RowState, { id }: OperationFacts): RowStatus {
  const detail = `The payment before it, ${id}, is pending. This one can follow it once it is final.`;
  const state = isUncertain(stateBefore) ? 'unknown' : 'unavailable';
  return { ...NO_OPERATION, state, code: 'reference_pending', detail };
}

export function mayBeSettledByRun({ state, code }: Pick<RowStatus, 'state' | 'code'>): boolean {
  const unknownAgeCodes = ['time_unknown', 'clocks_disagree'] satisfies UnsureAge['kind'][];
  const codes: readonly (string | null)[] = [...unknownAgeCodes, BLOCKED_CODE, CONTRADICTED];
  return state === 'needs_review' && codes.includes(code);
}

export const PUT_BACK_CODE = 'not_sent_again';

export function judgeRow({ stateBefore, sentAtMs }: JudgedRow, attempts: readonly Attempt[]): RowStatus {
  const last = attempts.at(-1);
  if (last === undefined) {
    const state = stateBefore === 'intent' ? 'unknown' : stateBefore;
    return { ...NO_OPERATION, state, code: PUT_BACK_CODE, detail: null };
  }
  switch (last.kind) {
    case 'success':
      if (last.operation !== null && last.isContradicted === true) return contradictedStatus(last.operation);
      return last.operation === null
        ? statusOfAttempt('unknown', last)
        : statusOfOperation(last.operation, sentAtMs, last.isHeldElsewhere);
    case 'mismatched':
      return mismatchedStatus(last.operation, last.why);
    case 'refused':
      if (hasReusedKey(last)) return statusOfAttempt('needs_review', last);
      return statusOfAttempt(
        isOpen(stateBefore, attempts) ? 'unknown' : isDenied(last) ? 'planned' : 'rejected',
        last,
      );
    case 'unavailable':
    case 'not_sent':
      return statusOfAttempt(isOpen(stateBefore, attempts) ? 'unknown' : 'unavailable', last);
    default:
      return statusOfAttempt('unknown', last);
  }
}

export function isOpen(stateBefore: RowState, attempts: readonly Attempt[]): boolean {
  return isUncertain(stateBefore) || attempts.some((attempt) => isUnknown(attempt, 'keyed'));
}

export function mismatchedStatus(operation: OperationFacts, why: string): RowStatus {
  const detail = `${why.charAt(0).toUpperCase()}${why.slice(1)}.`;
  return { ...operationFacts(operation), state: 'needs_review', code: 'answer_mismatch', detail };
}

export function statusOfOperation(operation: OperationFacts, firstLeftMs: number, isHeld = false): RowStatus {
  if (isHeld || isOlder(operation, firstLeftMs)) return olderStatus(operation);
  return ownStatus(operation);
}

function ownStatus(operation: OperationFacts): RowStatus {
  const { status, code, failureReason } = operation;
  const state = status === 'confirmed' || status === 'failed' ? status : 'accepted';
  return { ...operationFacts(operation), state, code, detail: status === 'failed' ? failureReason : null };
}

export function olderStatus(operation: OperationFacts, code = 'older_payment'): RowStatus {
  if (operation.status === 'failed') return ownStatus(operation);
  const detail = `Another payment of this reference, made ${creationTimeText(operation)}: nothing new was paid.`;
  return { ...operationFacts(operation), state: 'earlier', code, detail };
}

export function skippedStatus(operation: OperationFacts): RowStatus {
  if (isFinal(operation.status)) return olderStatus(operation, SKIPPED_AS_PAID);
  const detail = `A payment of this reference, made ${creationTimeText(operation)}, is pending: its end is that of this row.`;
  return { ...olderStatus(operation, SKIPPED_PENDING), detail };
}

export function rowStatusAfter(rowStatus: RowStatus, operation: OperationFacts): RowStatus | null {
  if (operation.status === GONE) {
    // The state `unknown` sends the row again with the same idempotency key, because the service may have lost the payment.
    const { operation: id, operationAtMs, code } = rowStatus;
    const state = code === SKIPPED_PENDING ? 'needs_review' : 'unknown';
    const detail = `Operation ${id ?? ''} was pending, and the service does not have it any more.`;
    return { operation: id, status: GONE, operationAtMs, state, code: GONE, detail };
  }
  if (!isFinal(operation.status)) return null;
  if (rowStatus.code === SKIPPED_PENDING) return skippedStatus(operation);
  const { state, code, detail } = rowStatus;
  if (state !== 'earlier' || operation.status !== 'confirmed') return ownStatus(operation);
  return { ...operationFacts(operation), state, code, detail };
}

function creationTimeText({ createdAtMs }: OperationFacts): string {
  return createdAtMs === null ? 'at an unknown time' : momentText(createdAtMs);
}

export function operationFacts({ id, status, createdAtMs }: OperationFacts) {
  return { operation: id, status, operationAtMs: createdAtMs };
}

function statusOfAttempt(state: RowState, attempt: Attempt): RowStatus {
  return { ...NO_OPERATION, state, code: codeOf(attempt), detail: refusalDetail(attempt) };
}

export function codeOf(attempt: Attempt): string {
  const serviceCode = 'error' in attempt ? attempt.error?.code : undefined;
  if (serviceCode !== undefined) return serviceCode;
  switch (attempt.kind) {
    case 'refused':
      return `http_${attempt.answer.status}`;
    case 'unavailable':
      return isLimited(attempt) ? 'rate_limited' : 'temporarily_unavailable';
    case 'server_error':
    case 'not_sent':
      return attempt.kind;
    case 'lost':
      return 'no_answer';
    default:
      return 'contract_broken';
  }
}

export function refusalDetail(attempt: Attempt): string | null {
  if (attempt.kind === 'broken') return `HTTP ${attempt.answer.status}`;
  if (attempt.kind !== 'refused') return null;
  const fields = (attempt.error?.details ?? []).map(({ field, code }) => `${field} ${code}`);
  return fields.length > 0 ? fields.join('; ') : (attempt.error?.message ?? '');
}

export function decideOperation(
  row: ShownRow,
  direction: Direction,
  operation: OperationFacts,
  facts: { readonly isHeld: boolean; readonly isOfKey: boolean; readonly when: string },
): RowResult | { readonly refusal: string } {
  const { isHeld, isOfKey, when } = facts;
  const { number, sentAtMs } = row;
  if (operation.reference === null || !isSameReference(operation.reference, row.reference))
    return { refusal: 'The operation has another reference.' };
  if (operation.direction !== null && operation.direction !== direction)
    return { refusal: `The operation is a ${operation.direction}.` };
  const isKeyReused = row.code === KEY_REUSED;
  const isFailed = operation.status === 'failed';
  const { createdAtMs } = operation;
  const wasMadeBySending =
    sentAtMs !== null &&
    createdAtMs !== null &&
    !isOlder(operation, sentAtMs) &&
    createdAtMs <= sentAtMs + OWN_OPERATION_MAX_MS;
  const isOwn =
    !isKeyReused &&
    !isHeld &&
    matchesPayment({ ...row, direction }, { ...operation, direction: operation.direction ?? direction }) &&
    wasMadeBySending;
  if (isFailed && !isOwn && !isKeyReused && !isOfKey)
    return { refusal: 'The operation failed, and belongs to an earlier try of this row, or to another row.' };
  const detail = `A person decided at ${when}: it is this operation.`;
  if (!isOwn) return { number, sentAtMs, ...olderStatus(operation, 'decided'), detail };
  return { number, sentAtMs, ...ownStatus(operation), detail };
}

export function decideContradicted(
  row: ShownRow,
  { direction, sinceMs }: Pick<Batch, 'direction' | 'sinceMs'>,
  operation: OperationFacts,
  when: string,
): RowResult {
  const { number, sentAtMs, state } = row;
  const isTooOld = isExcluded({ operation: operation.id, atMs: operation.createdAtMs }, sinceMs);
  const result = decideOperation(row, direction, operation, { isHeld: false, isOfKey: false, when });
  if (!('refusal' in result) && !isTooOld) return result;
  if (state !== 'needs_review') return { number, sentAtMs, ...olderStatus(operation) };
  const stateBefore = sentAtMs === null ? 'planned' : 'unknown';
  return { number, sentAtMs, ...NO_OPERATION, state: stateBefore, code: null, detail: null };
}

export function decideNotPaid({ number, sentAtMs }: ShownRow, when: string): RowResult {
  const detail = `A person decided at ${when}: it was not paid.`;
  return { number, sentAtMs, ...NO_OPERATION, state: 'failed', code: 'not_paid', detail };
}
