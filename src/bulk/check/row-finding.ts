/** Decides from the evidence of its reference if a row may leave. Pure. */
import { matchesPayment, type OperationFacts, NO_FACTS } from '../../contract/operation-facts.js';
import { SERVICE_CLOCKS_MS } from '../../contract/limits.js';
import { CONTRADICTED, type Direction, isFinal } from '../../contract/operation.js';
import { isOneOf, isUncertain, OPEN_STATES } from '../row-state.js';
import {
  olderStatus,
  blockedStatus,
  contradictedStatus,
  operationFacts,
  OWN_MAX_MS,
  skippedStatus,
} from '../run/verdict.js';
import type { ShownRow, RowStatus } from '../store/row.js';
import { type KnownPayment, type PaymentChoice, splitPayments } from './payments.js';

export type RowFinding =
  /** Nothing blocks the row. */
  | { readonly kind: 'send' }
  /** The payment before the row is not final: the row may be the next payment, or the next try of the same one. */
  | { readonly kind: 'waits'; readonly payment: KnownPayment }
  /** An open row that the feed settles, or that a person must settle. */
  | { readonly kind: 'settled'; readonly standing: RowStatus }
  /** The row was paid, or is being paid, and the caller asked to skip such rows. */
  | { readonly kind: 'skipped'; readonly standing: RowStatus }
  /** The row was paid, or may have been. */
  | { readonly kind: 'paid'; readonly payments: readonly KnownPayment[]; readonly isSkippable: boolean };

export type CandidateRow = Pick<ShownRow, 'amount' | 'currency' | 'state' | 'operation' | 'sentAtMs'> & {
  readonly direction: Direction;
};

export interface FindingRules extends Pick<PaymentChoice, 'sinceMs'> {
  readonly skipsPaid: boolean;
}

/** Decides if the row may leave. @param payments the payments of its reference that count for the row */
export function findingOf(
  row: CandidateRow,
  payments: readonly KnownPayment[],
  rules: FindingRules,
): RowFinding {
  // A contradicted payment blocks everything until a person has asked for its state. So does a row's own failed operation that counts as a payment.
  const failed = row.state === 'failed' ? row.operation : null;
  const both = payments.find(
    ({ operation, status }) => status === CONTRADICTED || (failed !== null && operation === failed),
  );
  if (both !== undefined) return { kind: 'settled', standing: contradictedStatus(paymentFacts(both)) };
  const { after: others, last } = splitPayments(payments, rules);
  if (others.length === 0) {
    const before = isOneOf(OPEN_STATES, row.state) ? null : last;
    return before === null || isFinal(before.status) ? { kind: 'send' } : { kind: 'waits', payment: before };
  }
  const leftMs = isOneOf(OPEN_STATES, row.state) ? row.sentAtMs : null;
  const settled = leftMs === null ? null : ownOperation(row, leftMs, others);
  if (settled !== null) return { kind: 'settled', standing: settled };
  const [only] = others;
  const isSkippable =
    others.length === 1 && only?.operation !== null && only?.isOurs === true && matchesPayment(row, only);
  if (isSkippable && rules.skipsPaid) return { kind: 'skipped', standing: skippedStatus(paymentFacts(only)) };
  const blocked = isSkippable || leftMs === null ? null : blockOf(row, others);
  if (blocked !== null) return { kind: 'settled', standing: blocked };
  return { kind: 'paid', payments: others, isSkippable };
}

/**
 * Blocks an open row if this machine knows another open or paid row with its reference and no line of `resume` can go on: open rows would wait for
 * each other, and a row that left cannot be taken out. A person decides. Null if another way is open, for example a single create to repeat.
 */
function blockOf({ state }: CandidateRow, payments: readonly KnownPayment[]): RowStatus | null {
  if (!isUncertain(state)) return null;
  const isStill = ({ operation, status, source }: KnownPayment): boolean =>
    operation !== null || (status === 'unknown' && source.kind === 'batch');
  const [first] = payments.filter(({ source }) => source.kind !== 'feed');
  if (first === undefined || !payments.every(isStill)) return null;
  const { source, operation } = first;
  const where =
    source.kind === 'batch'
      ? `Line ${source.line} of batch ${source.batch}`
      : 'A single create of this machine';
  return blockedStatus(where, operation);
}

/** Returns the status that the feed gives an open row; null if the feed says nothing about it. */
function ownOperation(
  row: CandidateRow,
  leftMs: number,
  payments: readonly KnownPayment[],
): RowStatus | null {
  // A payment that another row or a single create has sent is not this row's.
  if (payments.some(({ source }) => source.kind !== 'feed')) return null;
  const isYoung = ({ atMs }: KnownPayment): boolean => atMs !== null && atMs >= leftMs - SERVICE_CLOCKS_MS;
  const [only, ...more] = payments;
  if (only === undefined) return null;
  // An older payment can be skipped if the caller asks for that. Any other may be the row's own.
  if (more.length === 0 && matchesPayment(row, only) && !isYoung(only)) return null;
  const facts = paymentFacts(only);
  if (more.length > 0 || !matchesPayment(row, only)) {
    const ids = payments.map(({ operation }) => operation).join(', ');
    const detail = `The events have other operations with its reference: ${ids}. A person decides.`;
    return { ...operationFacts(facts), state: 'needs_review', code: 'other_payment', detail };
  }
  if ((only.atMs ?? 0) > leftMs + OWN_MAX_MS) return olderStatus(facts, 'later_payment');
  const state = only.status === 'confirmed' ? 'confirmed' : 'accepted';
  return { ...operationFacts(facts), state, code: null, detail: 'Found in the events.' };
}

/** Returns the facts of a payment that a row keeps. */
export function paymentFacts({ operation, status, atMs }: KnownPayment): OperationFacts {
  return { ...NO_FACTS, id: operation ?? '', status, createdAtMs: atMs };
}
