/** The new state of a row, from its state before and the attempts to send it. Pure. */
import { type Attempt, isDenied, isUnknown } from '../../contract/attempt.js';
import { isOlder, type OperationFacts } from '../../contract/operation-facts.js';
import type { UnsureAge } from '../../contract/moment.js';
import { momentText } from '../../contract/notation.js';
import { CONTRADICTED, GONE, isFinal } from '../../contract/operation.js';
import { isUncertain, SKIPPED_AS_PAID, SKIPPED_PENDING, type RowState } from '../row-state.js';
import type { ClaimedRow, Standing } from '../store/row.js';

/** What is judged of a row. */
export type JudgedRow = Pick<ClaimedRow, 'before' | 'sentAtMs'>;

/** A row's own operation was made within that time of its first sending: no service holds a request for longer. */
export const OWN_MAX_MS = 24 * 3_600_000;

export const NO_OPERATION = { operation: null, status: null, operationAtMs: null } as const;

/** The row left so long ago that its key may be forgotten: repeating it could pay twice. */
export const TOO_OLD: Standing = {
  ...NO_OPERATION,
  state: 'needs_review',
  code: 'too_old',
  detail: 'Sent more than 23 hours ago, and what became of it is not known.',
};

/** The code of an open row beside one of its reference that is open or paid elsewhere. */
const BLOCKED = 'open_elsewhere';

/** Only a person can say to which of the two a payment belongs. @param where the other one is @param operation null where it is open too */
export function blockedStanding(where: string, operation: string | null): Standing {
  const what = operation === null ? 'is open too' : `was paid (${operation})`;
  const detail = `${where} ${what}, with the same reference: a payment may be of either. A person decides.`;
  return { ...NO_OPERATION, state: 'needs_review', code: BLOCKED, detail };
}

/** An operation of its reference was said to be confirmed, and to have failed: it counts as paid until a person asks what it is. */
export function contradictedStanding(operation: OperationFacts): Standing {
  const detail = `Operation ${operation.id} was said to be confirmed, and to have failed. It counts as paid. A person asks what it is.`;
  const facts = operationFacts({ ...operation, status: 'confirmed' });
  return { ...facts, state: 'needs_review', code: CONTRADICTED, detail };
}

/** The payment that it follows is pending: nothing of the row was carried out, and a later run sends it. */
export function waitingStanding(before: RowState, { id }: OperationFacts): Standing {
  const detail = `The payment before it, ${id}, is pending. This one can follow it once it is final.`;
  const state = isUncertain(before) ? 'unknown' : 'unavailable';
  return { ...NO_OPERATION, state, code: 'reference_pending', detail };
}

/** True for a row that waits for something that may change: the next run checks its clocks, or the other batch, again. */
export function isAskedAgain({ state, code }: Pick<Standing, 'state' | 'code'>): boolean {
  const unsure = ['time_unknown', 'clocks_disagree'] satisfies UnsureAge['kind'][];
  const codes: readonly (string | null)[] = [...unsure, BLOCKED, CONTRADICTED];
  return state === 'needs_review' && codes.includes(code);
}

/** The code of a row that a stop put back before it left in this run. */
export const PUT_BACK = 'not_sent_again';

/**
 * An operation in hand decides; else a definite refusal, unless an attempt before it may have been carried out; else the worst that happened.
 * One that was there before the row left is an older payment: it stands for the row, and nothing new was paid.
 * @param row where it stood when this run took it, and when its bytes may first have left
 */
export function judgeRow({ before, sentAtMs }: JudgedRow, attempts: readonly Attempt[]): Standing {
  const last = attempts.at(-1);
  if (last === undefined) {
    const state = before === 'intent' ? 'unknown' : before;
    return { ...NO_OPERATION, state, code: PUT_BACK, detail: null };
  }
  switch (last.kind) {
    case 'success':
      if (last.operation !== null && last.isContradicted === true)
        return contradictedStanding(last.operation);
      return last.operation === null
        ? lastStanding('unknown', last)
        : operationStanding(last.operation, sentAtMs, last.isHeld);
    case 'mismatched':
      return mismatchStanding(last.operation, last.why);
    case 'refused':
      if (isReused(last)) return lastStanding('needs_review', last);
      return lastStanding(
        isOpen(before, attempts) ? 'unknown' : isDenied(last) ? 'planned' : 'rejected',
        last,
      );
    case 'unavailable':
    case 'not_sent':
      return lastStanding(isOpen(before, attempts) ? 'unknown' : 'unavailable', last);
    default:
      return lastStanding('unknown', last);
  }
}

/** True where the row may have been carried out, and nothing says whether it was. */
export function isOpen(before: RowState, attempts: readonly Attempt[]): boolean {
  return isUncertain(before) || attempts.some((attempt) => isUnknown(attempt, 'keyed'));
}

/** An operation that is about something else is for a person. @param why as a clause */
export function mismatchStanding(operation: OperationFacts, why: string): Standing {
  const detail = `${why.charAt(0).toUpperCase()}${why.slice(1)}.`;
  return { ...operationFacts(operation), state: 'needs_review', code: 'answer_mismatch', detail };
}

/** What an operation makes of a row that has become it. */
export function operationStanding(operation: OperationFacts, firstLeftMs: number, isHeld = false): Standing {
  if (isHeld || isOlder(operation, firstLeftMs)) return olderStanding(operation);
  const state = stateOfStatus(operation.status);
  return { ...operationFacts(operation), state, code: operation.code, detail: failureDetail(operation) };
}

/** An older payment of the reference stands for the row. @param code why, where the caller asked for it */
export function olderStanding(operation: OperationFacts, code = 'older_payment'): Standing {
  const isFailed = operation.status === 'failed';
  const detail = `Another payment of this reference, made ${whenMade(operation)}: nothing new was paid.`;
  return {
    ...operationFacts(operation),
    state: isFailed ? 'failed' : 'earlier',
    code: isFailed ? operation.code : code,
    detail: isFailed ? failureDetail(operation) : detail,
  };
}

/** A payment that does not fail stands for the row because the caller asked to leave it out. */
export function skippedStanding(operation: OperationFacts): Standing {
  if (isFinal(operation.status)) return olderStanding(operation, SKIPPED_AS_PAID);
  const detail = `A payment of this reference, made ${whenMade(operation)}, is pending: its end is that of this row.`;
  return { ...olderStanding(operation, SKIPPED_PENDING), detail };
}

/** What has become of the operation of a row since: only its end changes anything, and that it is gone. Null where it has none yet. */
export function endOf(standing: Standing, operation: OperationFacts): Standing | null {
  if (operation.status === GONE) {
    // The row may not have been carried out: the same key is asked again. One that was left out because of that operation is for a person.
    const { operation: id, operationAtMs, code } = standing;
    const state = code === SKIPPED_PENDING ? 'needs_review' : 'unknown';
    const detail = `Operation ${id ?? ''} was pending, and the service does not have it any more.`;
    return { operation: id, status: GONE, operationAtMs, state, code: GONE, detail };
  }
  if (!isFinal(operation.status)) return null;
  if (standing.code === SKIPPED_PENDING) return skippedStanding(operation);
  const isEarlier = standing.state === 'earlier' && operation.status === 'confirmed';
  return {
    ...operationFacts(operation),
    state: isEarlier ? 'earlier' : stateOfStatus(operation.status),
    code: isEarlier ? standing.code : operation.code,
    detail: isEarlier ? standing.detail : failureDetail(operation),
  };
}

/** What a row keeps of why its operation failed, beside the code; null where it says no more. */
function failureDetail({ status, failureReason }: OperationFacts): string | null {
  return status === 'failed' ? failureReason : null;
}

function whenMade({ createdAtMs }: OperationFacts): string {
  return createdAtMs === null ? 'at an unknown time' : momentText(createdAtMs);
}

/** An operation as a row keeps it. */
export function operationFacts({ id, status, createdAtMs }: OperationFacts) {
  return { operation: id, status, operationAtMs: createdAtMs };
}

export function stateOfStatus(status: string): RowState {
  return status === 'confirmed' || status === 'failed' ? status : 'accepted';
}

/** The row stands where it does because of that attempt. */
function lastStanding(state: RowState, last: Attempt): Standing {
  return { ...NO_OPERATION, state, code: codeOf(last), detail: refusalDetail(last) };
}

/** The code of a row whose key has made another payment. */
export const KEY_REUSED = 'idempotency_key_reused';

/** True for a 409 that says so: this request was not carried out. */
export function isReused(attempt: Attempt): boolean {
  return attempt.kind === 'refused' && attempt.answer.status === 409 && attempt.error?.code === KEY_REUSED;
}

/** The code that a row keeps of an attempt that gave it no operation. */
export function codeOf(attempt: Attempt): string {
  switch (attempt.kind) {
    case 'refused':
      return attempt.error?.code ?? `http_${attempt.answer.status}`;
    case 'unavailable':
      return (
        attempt.error?.code ?? (attempt.answer.status === 429 ? 'rate_limited' : 'temporarily_unavailable')
      );
    case 'server_error':
      return attempt.error?.code ?? 'server_error';
    case 'broken':
      return attempt.error?.code ?? 'contract_broken';
    case 'lost':
      return 'no_answer';
    case 'not_sent':
      return 'not_sent';
    default:
      return 'contract_broken';
  }
}

/** The fields that a refusal names, else its message; null where the answer is none that says why. */
export function refusalDetail(attempt: Attempt): string | null {
  if (attempt.kind === 'broken') return `HTTP ${attempt.answer.status}`;
  if (attempt.kind !== 'refused') return null;
  const fields = (attempt.error?.details ?? []).map(({ field, code }) => `${field} ${code}`);
  return fields.length > 0 ? fields.join('; ') : (attempt.error?.message ?? '');
}
