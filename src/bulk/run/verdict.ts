/** What became of a row, from where it stood before and everything that came of sending it. Pure. */
import { askedOf, differenceOf, isOlder, type Asked, type OperationClaims } from '../../contract/claims.js';
import { momentMs } from '../../contract/moments.js';
import { isFinal } from '../../contract/states.js';
import { isUncertain, type RowState } from '../row-state.js';
import type { ClaimedRow, Standing } from '../store/row.js';
import type { Delivery } from './delivery.js';

/** What an answer is held against. */
export interface Question {
  readonly asked: Asked;
  /** When the bytes may first have left, in the service's time; null where nothing did. */
  readonly firstLeftMs: number | null;
}

/** The code of a row whose key has made another payment. */
export const KEY_REUSED = 'idempotency_key_reused';

/** A row's own operation was made within that time of its first sending: no service holds a request for longer. */
export const OWN_MAX_MS = 24 * 3_600_000;

const NO_OPERATION = { operation: null, status: null, operationAtMs: null } as const;

/** The row left so long ago that its key may be forgotten: repeating it could pay twice. */
export const TOO_OLD: Standing = {
  ...NO_OPERATION,
  state: 'needs_review',
  code: 'too_old',
  detail: 'Sent more than 23 hours ago and never answered.',
};

/** The code of a row that a stop put back before it left in this run. */
export const PUT_BACK = 'not_sent_again';

/** What a row that is sent asks for. */
export function questionOf({ body, sentAtMs }: ClaimedRow, direction: Asked['direction']): Question {
  const members = JSON.parse(Buffer.from(body).toString('utf8')) as Record<string, unknown>;
  return { asked: askedOf(members, direction), firstLeftMs: sentAtMs };
}

/**
 * An operation in hand decides; else a definite refusal, unless an attempt before it may have been carried out; else the worst that happened.
 * @param before where the row stood when this run took it
 */
export function judge(question: Question, before: RowState, deliveries: readonly Delivery[]): Standing {
  const last = deliveries.at(-1);
  if (last === undefined) return standing(before === 'intent' ? 'unknown' : before, PUT_BACK);
  if (last.kind === 'operation') return judgeOperation(question, last.operation);
  const isOpen = isUncertain(before) || deliveries.some(({ kind }) => kind === 'unknown');
  switch (last.kind) {
    case 'reused':
      return standing('needs_review', KEY_REUSED, last.detail);
    case 'rejected':
      return standing(isOpen ? 'unknown' : 'rejected', last.code, last.detail);
    case 'denied':
      return standing(isOpen ? 'unknown' : 'planned', last.code, last.detail);
    case 'unavailable':
    case 'not_sent':
      return standing(isOpen ? 'unknown' : 'unavailable', last.code);
    case 'unknown':
      return standing('unknown', last.code, last.detail);
  }
}

/**
 * What an operation makes of its row. One that is about something else is for a person; one that was there before the row left is an older
 * payment: it stands for the row, and nothing new was paid.
 */
export function judgeOperation({ asked, firstLeftMs }: Question, operation: OperationClaims): Standing {
  const difference = differenceOf(asked, operation);
  const facts = operationFacts(operation);
  if (difference !== null)
    return { ...facts, state: 'needs_review', code: 'answer_mismatch', detail: sentence(difference) };
  if (firstLeftMs !== null && isOlder(operation, firstLeftMs)) return olderStanding(operation);
  return { ...facts, state: stateOfStatus(operation.status), code: operation.code, detail: null };
}

/** An older payment of the reference stands for the row. @param code why, where the caller asked for it */
export function olderStanding(operation: OperationClaims, code = 'older_payment'): Standing {
  const isFailed = operation.status === 'failed';
  const detail = `An older payment of this reference, made ${operation.createdAt ?? 'at an unknown time'}: nothing new was paid.`;
  return {
    ...operationFacts(operation),
    state: isFailed ? 'failed' : 'earlier',
    code: isFailed ? operation.code : code,
    detail: isFailed ? null : detail,
  };
}

/** What has become of the operation of a row since: only its end changes anything. Null where it has none yet. */
export function endOf(standing: Standing, operation: OperationClaims): Standing | null {
  if (!isFinal(operation.status)) return null;
  const isEarlier = standing.state === 'earlier' && operation.status === 'confirmed';
  return {
    ...operationFacts(operation),
    state: isEarlier ? 'earlier' : stateOfStatus(operation.status),
    code: isEarlier ? standing.code : operation.code,
    detail: isEarlier ? standing.detail : null,
  };
}

/** An operation as a row keeps it. */
export function operationFacts({ id, status, createdAt }: OperationClaims) {
  return { operation: id, status, operationAtMs: momentMs(createdAt) };
}

function stateOfStatus(status: string): RowState {
  return status === 'confirmed' || status === 'failed' ? status : 'accepted';
}

function standing(state: RowState, code: string, detail: string | null = null): Standing {
  return { ...NO_OPERATION, state, code, detail };
}

function sentence(clause: string): string {
  return `${clause.charAt(0).toUpperCase()}${clause.slice(1)}.`;
}
