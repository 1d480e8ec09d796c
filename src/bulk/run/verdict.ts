/** What became of a row, from where it stood before and everything that came of sending it. Pure. */
import { compareDecimals, isDecimal } from '../../contract/money.js';
import { isUncertain, type RowState } from '../row-state.js';
import type { Delivery, OperationClaims } from './delivery.js';

/** What is recorded about a row. */
export interface Verdict {
  readonly state: RowState;
  /** The operation's id, where there is one. */
  readonly operation: string | null;
  /** The service's code, or ours. */
  readonly code: string | null;
  /** What a person may want to read about it. */
  readonly detail: string | null;
}

/** What an answer is held against. */
export interface Expected {
  readonly reference: string;
  readonly amount: string;
  readonly currency: string;
}

/** The row left so long ago that its key may be forgotten: repeating it could pay twice. */
export const TOO_OLD: Verdict = {
  state: 'needs_review',
  operation: null,
  code: 'too_old',
  detail: 'Sent more than 23 hours ago and never answered: look for its reference in the events.',
};

/**
 * An operation in hand decides; else a definite refusal, unless an earlier sending may have been carried out and the refusal says
 * nothing about that one; else the worst that happened.
 * @param before where the row stood when this run took it
 */
export function judge(row: Expected, before: RowState, deliveries: readonly Delivery[]): Verdict {
  const last = deliveries.at(-1);
  if (last === undefined) return verdict(before === 'intent' ? 'unknown' : before, 'not_sent_again');
  if (last.kind === 'operation') return judgeOperation(row, last.operation);
  const isOpen = isUncertain(before) || deliveries.some(({ kind }) => kind === 'unknown');
  switch (last.kind) {
    case 'conflict':
      return verdict('conflict', last.code, last.detail);
    case 'rejected':
      if (!isOpen || last.settles) return verdict('rejected', last.code, last.detail);
      return verdict('unknown', last.code, last.detail);
    case 'denied':
      return verdict(isOpen ? 'unknown' : 'planned', last.code, last.detail);
    case 'misdirected':
      return verdict(isOpen ? 'unknown' : 'unavailable', last.code, last.detail);
    case 'unavailable':
    case 'not_sent':
      return verdict(isOpen ? 'unknown' : 'unavailable', last.code);
    case 'unknown':
      return verdict('unknown', last.code);
  }
}

/** What the state of an operation makes of its row; an answer about another payment is for a person. */
export function judgeOperation(row: Expected, operation: OperationClaims): Verdict {
  const { id, status, code } = operation;
  const mismatch = mismatchOf(row, operation);
  if (mismatch !== null) {
    return { state: 'needs_review', operation: id, code: 'answer_mismatch', detail: mismatch };
  }
  const state = status === 'confirmed' || status === 'failed' ? status : 'accepted';
  return { state, operation: id, code, detail: null };
}

/** What of the answer is not what was asked for; null where all of it is. */
function mismatchOf(row: Expected, { amount, currency, reference }: OperationClaims): string | null {
  if (amount !== undefined && !isSameAmount(amount, row.amount)) {
    return `The answer is about the amount ${amount}, and ${row.amount} was sent.`;
  }
  if (currency !== undefined && currency.toUpperCase() !== row.currency) {
    return `The answer is about ${currency}, and ${row.currency} was sent.`;
  }
  if (reference !== undefined && reference !== row.reference) {
    return 'The answer is about another reference than was sent.';
  }
  return null;
}

function isSameAmount(a: string, b: string): boolean {
  return a === b || (isDecimal(a) && compareDecimals(a, b) === 0);
}

function verdict(state: RowState, code: string, detail: string | null = null): Verdict {
  return { state, operation: null, code, detail };
}
