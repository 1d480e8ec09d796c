/** The payments of one reference, out of everything that is known of it: each once, and those that may still become one. Pure. */
import type { Asked } from '../../contract/operation-facts.js';
import type { Direction } from '../../contract/operation.js';
import { isOneOf, NEVER_SENT, OPEN, PAID } from '../row-state.js';
import type { Evidence, KnownRow, SingleCreate } from './evidence.js';

/** Where a payment is known from. */
export type PaymentSource =
  | { readonly kind: 'feed' }
  | { readonly kind: 'batch'; readonly batch: string; readonly line: number }
  | { readonly kind: 'request'; readonly key: string; readonly isForgotten?: boolean | undefined };

/** What the journal knows of a payment beside that. */
export interface Journaled {
  /** Its place in the order of the journal; null for what is not in it. */
  readonly row: number | null;
  /** The last four of the account; null where nobody knows them. */
  readonly accountTail: string | null;
}

const NOT_JOURNALED: Journaled = { row: null, accountTail: null };

/** The status of what has not left, and which somebody is about to send. */
export const RECORDED = 'recorded';

/** A payment that did not fail, or a sending whose outcome is not known. */
export interface KnownPayment extends Pick<Asked, 'direction' | 'amount' | 'currency'>, Journaled {
  /** Null where it is open: it may have become one. */
  readonly operation: string | null;
  readonly status: string;
  /** When it was made, or may first have left, in the service's time; null where nothing says it. */
  readonly atMs: number | null;
  /** What has sent it; the feed alone where nothing of this machine is known to have. */
  readonly source: PaymentSource;
  /** False for what this key may not see: nobody would hear of its end. */
  readonly isOurs: boolean;
}

export function paymentsIn(evidence: Evidence, direction: Direction): KnownPayment[] {
  const { operations, rows, singles } = evidence;
  const failed = new Set(operations.filter(({ status }) => status === 'failed').map(({ id }) => id));
  const byId = new Map<string, KnownPayment>();
  for (const operation of operations) {
    const { id, status, amount, currency, createdAtMs: atMs } = operation;
    if (status === 'failed') continue;
    byId.set(id, {
      ...{ operation: id, status, direction: operation.direction, amount, currency },
      ...{ atMs, source: { kind: 'feed' }, isOurs: true, ...NOT_JOURNALED },
    });
  }
  const open: KnownPayment[] = [];
  const add = (payment: KnownPayment): void => {
    if (payment.operation === null) open.push(payment);
    else if (!failed.has(payment.operation)) {
      const known = byId.get(payment.operation);
      const { source, row, accountTail } = payment;
      byId.set(payment.operation, known === undefined ? payment : { ...known, source, row, accountTail });
    }
  };
  for (const row of rows) for (const payment of paymentOfRow(row, direction)) add(payment);
  for (const single of singles) for (const payment of paymentOfSingle(single, direction)) add(payment);
  return [...byId.values(), ...open];
}

function paymentOfRow(row: KnownRow, direction: Direction): KnownPayment[] {
  const { batch, line, state, amount, currency, sentAtMs: atMs } = row;
  const source: PaymentSource = { kind: 'batch', batch, line };
  const facts = { direction, amount, currency, source, isOurs: row.isSameCompany, ...NOT_JOURNALED };
  if (isOneOf(OPEN, state)) return [{ ...facts, operation: null, status: 'unknown', atMs }];
  if (isOneOf(NEVER_SENT, state))
    return row.isRunning ? [{ ...facts, operation: null, status: 'planned', atMs: null }] : [];
  if (!isOneOf(PAID, state) || row.operation === null) return [];
  const known = {
    operation: row.operation,
    status: row.status ?? 'pending',
    atMs: row.operationAtMs ?? atMs,
  };
  // An older payment that stands for a row was not sent by it.
  return [{ ...facts, ...known, source: state === 'earlier' ? { kind: 'feed' } : source }];
}

function paymentOfSingle(single: SingleCreate, direction: Direction): KnownPayment[] {
  const { key, isSettled, isForgotten, isRecorded, operation, status } = single;
  const { amount, currency, atMs, row, accountTail } = single;
  const source: PaymentSource = { kind: 'request', key, isForgotten };
  const facts = {
    direction,
    amount,
    currency,
    atMs,
    row,
    accountTail,
    source,
    isOurs: single.company === 'same',
  };
  if (!isSettled || operation === null)
    return [{ ...facts, operation: null, status: isRecorded === true ? RECORDED : 'unknown' }];
  return status === 'failed' ? [] : [{ ...facts, operation, status: status ?? 'pending' }];
}
