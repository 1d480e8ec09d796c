/** The payments of one reference, out of everything that is known of it: each once, and those that may still become one. Pure. */
import type { Asked } from '../../contract/claims.js';
import type { Direction } from '../../contract/operation.js';
import { momentMs } from '../../contract/notation.js';
import { isOneOf, NEVER_SENT, OPEN, PAID } from '../row-state.js';
import type { Evidence, KnownRow, SingleCreate } from './evidence.js';

/** Where a payment is known from. */
export type PaymentSource =
  | { readonly kind: 'feed' }
  | { readonly kind: 'batch'; readonly batch: string; readonly line: number }
  | { readonly kind: 'request'; readonly key: string; readonly isForgotten?: boolean | undefined };

/** A payment that did not fail, or a sending whose outcome is not known. */
export interface KnownPayment extends Pick<Asked, 'direction' | 'amount' | 'currency'> {
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

/** Whose payments they are. */
export interface Payee {
  readonly direction: Direction;
  /** In hexadecimal. */
  readonly twinMark: string;
}

/** Rows and single creates of another company count only with the same account and amount. */
export function relevant(evidence: Evidence, { twinMark }: Payee): Evidence {
  const counts = (one: KnownRow | SingleCreate): boolean => !one.isOtherCompany || one.twinMark === twinMark;
  return {
    operations: evidence.operations,
    rows: evidence.rows.filter(counts),
    singles: evidence.singles.filter(counts),
  };
}

/** @param evidence what counts for the payee */
export function paymentsIn(evidence: Evidence, direction: Direction): KnownPayment[] {
  const { operations, rows, singles } = evidence;
  const failed = new Set(operations.filter(({ status }) => status === 'failed').map(({ id }) => id));
  const byId = new Map<string, KnownPayment>();
  for (const operation of operations) {
    const { id, status, amount, currency, createdAt } = operation;
    if (status === 'failed') continue;
    byId.set(id, {
      ...{ operation: id, status, direction: operation.direction, amount, currency },
      atMs: momentMs(createdAt),
      source: { kind: 'feed' },
      isOurs: true,
    });
  }
  const open: KnownPayment[] = [];
  const add = (payment: KnownPayment): void => {
    if (payment.operation === null) open.push(payment);
    else if (!failed.has(payment.operation)) {
      const known = byId.get(payment.operation);
      byId.set(payment.operation, known === undefined ? payment : { ...known, source: payment.source });
    }
  };
  for (const row of rows) for (const payment of paymentOfRow(row, direction)) add(payment);
  for (const single of singles) for (const payment of paymentOfSingle(single, direction)) add(payment);
  return [...byId.values(), ...open];
}

function paymentOfRow(row: KnownRow, direction: Direction): KnownPayment[] {
  const { batch, line, state, amount, currency, sentAtMs: atMs } = row;
  const source: PaymentSource = { kind: 'batch', batch, line };
  const facts = { direction, amount, currency, source, isOurs: row.isSameCompany };
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
  const { key, isSettled, isForgotten, operation, status, amount, currency, firstLeftMs: atMs } = single;
  const facts = { direction, amount: amount ?? undefined, currency: currency ?? undefined, atMs };
  const source: PaymentSource = { kind: 'request', key, isForgotten };
  const isOurs = !single.isOtherCompany;
  if (!isSettled || operation === null)
    return [{ ...facts, operation: null, status: 'unknown', source, isOurs }];
  return status === 'failed' ? [] : [{ ...facts, operation, status: status ?? 'pending', source, isOurs }];
}
