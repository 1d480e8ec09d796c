import { type KnownPayment, type PaymentChoice, newestOf, splitPayments } from './known/payments.js';
import {
  olderStatus,
  blockedStatus,
  contradictedStatus,
  operationFacts,
  OWN_OPERATION_MAX_MS,
  skippedStatus,
} from './known/row-outcome.js';
import { matchesPayment, type OperationFacts, NO_FACTS } from '../contract/operation-facts.js';
import { SERVICE_CLOCKS_MS } from '../contract/limits.js';
import { CONTRADICTED, type Direction, isFinal } from '../contract/operation.js';
import { isOneOf, isUncertain, OPEN_STATES } from '../storage/batches/row-state.js';
import type { ShownRow, RowStatus } from '../storage/batches/row.js';

export interface CreateRules extends PaymentChoice {
  readonly newPayment: string | null;
  /** True if a reference names a customer or a shop, so that several payments may share it. */
  readonly areReferencesLabels: boolean;
  /** True in the live environment and with `--as-live`. */
  readonly isStrict: boolean;
}

export type CreateDecision =
  | { readonly kind: 'send'; readonly obstacle: KnownPayment | null }
  | { readonly kind: 'refuse'; readonly payment: KnownPayment }
  | { readonly kind: 'replace'; readonly payment: KnownPayment };

export function decideCreate(payments: readonly KnownPayment[], rules: CreateRules): CreateDecision {
  const { isStrict, newPayment } = rules;
  const countedPayments = payments.filter((payment) => countsFor(payment, rules));
  const contradictedPayment = countedPayments.find(({ status }) => status === CONTRADICTED);
  if (contradictedPayment !== undefined) return { kind: 'refuse', payment: contradictedPayment };
  const { blocking, previous } = splitPayments(countedPayments, rules);
  // A feed payment does not prevent a replacement, because it may be `previous` itself.
  const isReplacement =
    previous?.operation === null && blocking.every(({ source }) => source.kind === 'feed');
  if (isReplacement) return { kind: 'replace', payment: previous };
  const newest = newestOf(blocking.filter((payment) => mayRefuse(payment, rules)));
  if (newest !== null) return { kind: 'refuse', payment: newest };
  if (isStrict && previous !== null && !isFinal(previous.status))
    return { kind: 'refuse', payment: previous };
  return { kind: 'send', obstacle: newPayment === null ? newestOf(blocking) : null };
}

function countsFor({ operation }: KnownPayment, { areReferencesLabels }: CreateRules): boolean {
  return operation === null || !areReferencesLabels;
}

export function mayRefuse(payment: KnownPayment, rules: CreateRules): boolean {
  const isSettledSingle = payment.operation !== null && payment.source.kind === 'request';
  return countsFor(payment, rules) && (rules.isStrict || !isSettledSingle);
}

export type RowDecision =
  | { readonly kind: 'send' }
  | { readonly kind: 'waits'; readonly payment: KnownPayment }
  | { readonly kind: 'settled'; readonly rowStatus: RowStatus }
  | { readonly kind: 'skipped'; readonly rowStatus: RowStatus }
  | { readonly kind: 'paid'; readonly payments: readonly KnownPayment[]; readonly isSkippable: boolean };

export type CandidateRow = Pick<ShownRow, 'amount' | 'currency' | 'state' | 'operation' | 'sentAtMs'> & {
  readonly direction: Direction;
};

export interface RowRules extends Pick<PaymentChoice, 'sinceMs'> {
  readonly skipsPaid: boolean;
}

export function decideRow(
  row: CandidateRow,
  payments: readonly KnownPayment[],
  rules: RowRules,
): RowDecision {
  // `payments` holds no failed operations, so finding a failed row's operation there is a contradiction.
  const failedOperation = row.state === 'failed' ? row.operation : null;
  const contradictedPayment = payments.find(
    ({ operation, status }) =>
      status === CONTRADICTED || (failedOperation !== null && operation === failedOperation),
  );
  if (contradictedPayment !== undefined)
    return { kind: 'settled', rowStatus: contradictedStatus(paymentFacts(contradictedPayment)) };
  const { blocking, previous } = splitPayments(payments, rules);
  const isOpen = isOneOf(OPEN_STATES, row.state);
  if (blocking.length === 0)
    return isOpen || previous === null || isFinal(previous.status)
      ? { kind: 'send' }
      : { kind: 'waits', payment: previous };
  const sentAtMs = isOpen ? row.sentAtMs : null;
  const settledStatus = sentAtMs === null ? null : statusFromFeed(row, sentAtMs, blocking);
  if (settledStatus !== null) return { kind: 'settled', rowStatus: settledStatus };
  const [payment] = blocking;
  const isSkippable =
    blocking.length === 1 &&
    payment?.operation !== null &&
    payment?.isOurs === true &&
    matchesPayment(row, payment);
  if (isSkippable && rules.skipsPaid)
    return { kind: 'skipped', rowStatus: skippedStatus(paymentFacts(payment)) };
  const blockStatus = isSkippable || sentAtMs === null ? null : blockOpenRow(row, blocking);
  if (blockStatus !== null) return { kind: 'settled', rowStatus: blockStatus };
  return { kind: 'paid', payments: blocking, isSkippable };
}

function blockOpenRow({ state }: CandidateRow, payments: readonly KnownPayment[]): RowStatus | null {
  if (!isUncertain(state)) return null;
  const isLasting = ({ operation, status, source }: KnownPayment): boolean =>
    operation !== null || (status === 'unknown' && source.kind === 'batch');
  const [first] = payments.filter(({ source }) => source.kind !== 'feed');
  if (first === undefined || !payments.every(isLasting)) return null;
  const { source, operation } = first;
  const holder =
    source.kind === 'batch'
      ? `Line ${source.line} of batch ${source.batch}`
      : 'A single create of this machine';
  return blockedStatus(holder, operation);
}

function statusFromFeed(
  row: CandidateRow,
  sentAtMs: number,
  payments: readonly KnownPayment[],
): RowStatus | null {
  const [payment, ...morePayments] = payments;
  // A payment that another row or a single create has sent does not belong to this row.
  if (payment === undefined || payments.some(({ source }) => source.kind !== 'feed')) return null;
  const facts = paymentFacts(payment);
  if (morePayments.length > 0 || !matchesPayment(row, payment)) {
    const ids = payments.map(({ operation }) => operation).join(', ');
    const detail = `The events have other operations with its reference: ${ids}. A person decides.`;
    return { ...operationFacts(facts), state: 'needs_review', code: 'other_payment', detail };
  }
  const { atMs, status } = payment;
  if (atMs === null || atMs < sentAtMs - SERVICE_CLOCKS_MS) return null;
  if (atMs > sentAtMs + OWN_OPERATION_MAX_MS) return olderStatus(facts, 'later_payment');
  const state = status === 'confirmed' ? 'confirmed' : 'accepted';
  return { ...operationFacts(facts), state, code: null, detail: 'Found in the events.' };
}

export function paymentFacts({ operation, status, atMs }: KnownPayment): OperationFacts {
  return { ...NO_FACTS, id: operation ?? '', status, createdAtMs: atMs };
}
