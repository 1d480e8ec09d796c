/** Decides what a row is before it leaves, from the evidence of its reference. Pure. */
import { agrees, type OperationFacts, NO_FACTS } from '../../contract/operation-facts.js';
import { SERVICE_CLOCKS_MS } from '../../contract/limits.js';
import { CONTRADICTED, type Direction, isFinal } from '../../contract/operation.js';
import { isOneOf, isUncertain, OPEN } from '../row-state.js';
import {
  olderStanding,
  blockedStanding,
  contradictedStanding,
  operationFacts,
  OWN_MAX_MS,
  skippedStanding,
} from '../run/verdict.js';
import type { ShownRow, Standing } from '../store/row.js';
import { type KnownPayment, type MeantPayment, splitPayments } from './payments.js';

export type RowFinding =
  /** Nothing stands in its way. */
  | { readonly kind: 'send' }
  /** The payment that it would follow is not final: nobody knows yet whether this is the next one, or that one's next try. */
  | { readonly kind: 'waits'; readonly payment: KnownPayment }
  /** An open row: the feed says what it became, or that a person has to. */
  | { readonly kind: 'settled'; readonly standing: Standing }
  /** Paid already, or about to be, and the caller asked to leave those out. */
  | { readonly kind: 'skipped'; readonly standing: Standing }
  /** Paid already, or perhaps. */
  | { readonly kind: 'paid'; readonly payments: readonly KnownPayment[]; readonly isSkippable: boolean };

/** A row that is about to leave. */
export interface Candidate extends Pick<
  ShownRow,
  'amount' | 'currency' | 'state' | 'operation' | 'sentAtMs'
> {
  readonly direction: Direction;
}

export interface FindingRules extends Pick<MeantPayment, 'sinceMs'> {
  readonly skipsPaid: boolean;
}

/** @param payments those of its reference that count for it */
export function findingOf(
  row: Candidate,
  payments: readonly KnownPayment[],
  rules: FindingRules,
): RowFinding {
  // Nothing leaves and nothing follows until a person has asked what it is; nor where a row's own operation failed, and is a payment all the same.
  const failed = row.state === 'failed' ? row.operation : null;
  const both = payments.find(
    ({ operation, status }) => status === CONTRADICTED || (failed !== null && operation === failed),
  );
  if (both !== undefined) return { kind: 'settled', standing: contradictedStanding(paymentFacts(both)) };
  const { after: others, last } = splitPayments(payments, rules);
  if (others.length === 0) {
    const before = isOneOf(OPEN, row.state) ? null : last;
    return before === null || isFinal(before.status) ? { kind: 'send' } : { kind: 'waits', payment: before };
  }
  const leftMs = isOneOf(OPEN, row.state) ? row.sentAtMs : null;
  const settled = leftMs === null ? null : ownOperation(row, leftMs, others);
  if (settled !== null) return { kind: 'settled', standing: settled };
  const [only] = others;
  const isSkippable =
    others.length === 1 && only?.operation !== null && only?.isOurs === true && agrees(row, only);
  if (isSkippable && rules.skipsPaid)
    return { kind: 'skipped', standing: skippedStanding(paymentFacts(only)) };
  const blocked = isSkippable || leftMs === null ? null : blockedBy(row, others);
  if (blocked !== null) return { kind: 'settled', standing: blocked };
  return { kind: 'paid', payments: others, isSkippable };
}

/**
 * An open row beside one that this machine knows to be open or paid, where no line of `resume` leads on: another open row waits for this one, and what
 * left cannot be taken out of the file. A person decides. Null where something else leads on, as a single create that can be repeated.
 */
function blockedBy({ state }: Candidate, payments: readonly KnownPayment[]): Standing | null {
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
  return blockedStanding(where, operation);
}

/** What the feed settles of an open row; null where it says nothing about this row. */
function ownOperation(row: Candidate, leftMs: number, payments: readonly KnownPayment[]): Standing | null {
  // What another row or a single create has sent is not this row's.
  if (payments.some(({ source }) => source.kind !== 'feed')) return null;
  const isYoung = ({ atMs }: KnownPayment): boolean => atMs !== null && atMs >= leftMs - SERVICE_CLOCKS_MS;
  const [only, ...more] = payments;
  if (only === undefined) return null;
  // An older one may be ignored, if the person asked for that. Any other one may be this row's own.
  if (more.length === 0 && agrees(row, only) && !isYoung(only)) return null;
  const facts = paymentFacts(only);
  if (more.length > 0 || !agrees(row, only)) {
    const ids = payments.map(({ operation }) => operation).join(', ');
    const detail = `The events have other operations with its reference: ${ids}. A person decides.`;
    return { ...operationFacts(facts), state: 'needs_review', code: 'other_payment', detail };
  }
  if ((only.atMs ?? 0) > leftMs + OWN_MAX_MS) return olderStanding(facts, 'later_payment');
  const state = only.status === 'confirmed' ? 'confirmed' : 'accepted';
  return { ...operationFacts(facts), state, code: null, detail: 'Found in the events.' };
}

/** What is known of a payment, as far as a row keeps it. */
export function paymentFacts({ operation, status, atMs }: KnownPayment): OperationFacts {
  return { ...NO_FACTS, id: operation ?? '', status, createdAtMs: atMs };
}
