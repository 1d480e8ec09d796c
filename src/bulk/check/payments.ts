/** The payments of one reference, out of everything that is known of it: each once, and those that may still become one; which is the newest, and for which
 * of them a row is. Pure. */
import type { Asked } from '../../contract/operation-facts.js';
import type { Direction } from '../../contract/operation.js';
import { isOneOf, NEVER_SENT, OPEN, PAID } from '../row-state.js';
import type { Evidence, KnownRow, SingleCreate } from './evidence.js';
import type { PaymentIdentity } from '../key.js';
import type { BatchFacts } from '../store/batch.js';

/** Where a payment is known from. */
type PaymentSource =
  | { readonly kind: 'feed' }
  | { readonly kind: 'batch'; readonly batch: string; readonly line: number }
  | { readonly kind: 'request'; readonly key: string; readonly isForgotten?: boolean | undefined };

/** What the journal knows of a payment beside that. */
interface Journaled {
  /** Its place in the order of the journal; null for what is not in it. */
  readonly row: number | null;
  /** The last four of the account; null where nobody knows them. */
  readonly accountTail: string | null;
  /** What is equal for the same account and amount, in hexadecimal, as a batch keeps it of a row; null elsewhere. */
  readonly twinMark: string | null;
}

const NOT_JOURNALED: Journaled = { row: null, accountTail: null, twinMark: null };

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
      const { source, row, accountTail, twinMark } = payment;
      const kept = { source, row, accountTail, twinMark };
      byId.set(payment.operation, known === undefined ? payment : { ...known, ...kept });
    }
  };
  for (const row of rows) for (const payment of paymentOfRow(row, direction)) add(payment);
  for (const single of singles) for (const payment of paymentOfSingle(single, direction)) add(payment);
  return [...byId.values(), ...open];
}

function paymentOfRow(row: KnownRow, direction: Direction): KnownPayment[] {
  const { batch, line, state, amount, currency, sentAtMs: atMs } = row;
  const source: PaymentSource = { kind: 'batch', batch, line };
  const { isSameCompany: isOurs, twinMark } = row;
  const facts = { direction, amount, currency, source, isOurs, ...NOT_JOURNALED, twinMark };
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
  if (state !== 'earlier') return [{ ...facts, ...known }];
  return [{ ...facts, ...known, source: { kind: 'feed' }, twinMark: null }];
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
    twinMark: null,
    source,
    isOurs: single.company === 'same',
  };
  if (!isSettled || operation === null)
    return [{ ...facts, operation: null, status: isRecorded === true ? RECORDED : 'unknown' }];
  return status === 'failed' ? [] : [{ ...facts, operation, status: status ?? 'pending' }];
}

/**
 * Of what is open the last in the order of the journal, unless the journal has settled something after it; else the latest by the service's
 * own time. What nobody dates may have been made just now. Null where there is none.
 */
export function newestOf(payments: readonly KnownPayment[]): KnownPayment | null {
  const open = payments.filter(({ operation }) => operation === null);
  const settled = payments.filter(({ operation }) => operation !== null);
  const last = lastOf(open, ({ row }) => row ?? Infinity);
  if (last === null) return latestOf(settled);
  const { row: lastRow } = last;
  const after = lastRow === null ? [] : settled.filter(({ row }) => row !== null && row > lastRow);
  return latestOf(after) ?? last;
}

function latestOf(payments: readonly KnownPayment[]): KnownPayment | null {
  return lastOf(payments, ({ atMs }) => atMs ?? Infinity);
}

/** Of equal ones the last. */
function lastOf(
  payments: readonly KnownPayment[],
  placeOf: (payment: KnownPayment) => number,
): KnownPayment | null {
  return payments.reduce<KnownPayment | null>(
    (last, payment) => (last === null || placeOf(payment) >= placeOf(last) ? payment : last),
    null,
  );
}

/** What the key of a payment says beside its name. */
export type Identity = Pick<PaymentIdentity, 'ordinal' | 'generation'>;

/** True for a payment that `--new-since` calls another one; what is open is none. @param sinceMs in the service's time */
export function isBefore(
  { operation, atMs }: Pick<KnownPayment, 'operation' | 'atMs'>,
  sinceMs: number,
): boolean {
  return operation !== null && atMs !== null && atMs < sinceMs;
}

/** Which payment of its reference a row is for now. */
export function identityOf(
  evidence: Evidence,
  { direction, sinceMs }: Pick<BatchFacts, 'direction' | 'sinceMs'>,
): Identity {
  const ordinal = ordinalOf(paymentsIn(evidence, direction), sinceMs);
  return { ordinal, generation: generationOf(evidence, ordinal, { sinceMs }) };
}

/** How many payments `--new-since` calls others; 0 without it. */
export function ordinalOf(payments: readonly KnownPayment[], sinceMs: number | null): number {
  return sinceMs === null ? 0 : payments.filter((payment) => isBefore(payment, sinceMs)).length;
}

/**
 * One more than the operations that failed, as the feed and the stores of this machine know them: a failed operation keeps its key for ever.
 * With payments from before `--new-since`, only tries since then count; without any all of them do, so that the key is the one that is
 * derived without the flag.
 */
export function generationOf(
  { operations, rows, singles }: Evidence,
  ordinal: number,
  { sinceMs }: Pick<BatchFacts, 'sinceMs'>,
): number {
  const counts = (atMs: number | null): boolean =>
    ordinal === 0 || sinceMs === null || atMs === null || atMs >= sinceMs;
  const failed = new Set<string>();
  for (const { id, status, createdAtMs } of operations)
    if (status === 'failed' && counts(createdAtMs)) failed.add(id);
  for (const { operation, status, atMs } of singles)
    if (operation !== null && status === 'failed' && counts(atMs)) failed.add(operation);
  const tried = rows.filter((row) => row.state === 'failed' && row.ordinal === ordinal);
  return 1 + Math.max(failed.size, ...tried.map(({ generation }) => generation));
}
