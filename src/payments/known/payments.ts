import { areContradicting, CONTRADICTED, type Direction, isFinal } from '../../contract/operation.js';
import { KEY_SAFE_MS, SERVICE_CLOCKS_MS } from '../../contract/limits.js';
import { isSameId } from '../../contract/notation.js';
import { isOneOf, NEVER_SENT, OPEN_STATES, PAID_STATES } from '../../storage/batches/row-state.js';
import type { PaymentTry } from './key.js';
import type { BatchFacts } from '../../storage/batches/batch-store.js';
import type { OtherRow } from '../../storage/batches/row.js';
import type { OperationFacts, RequestedOperation } from '../../contract/operation-facts.js';
import type { CompanyMatch } from '../../storage/journal/precedence.js';
import type { JournalRequest } from '../../storage/journal/request.js';

type JournalFacts = 'row' | 'state' | 'mayNotRepeat' | 'follows' | 'generation' | 'sinceMs' | 'accountTail';

export interface SingleCreate extends Pick<JournalRequest, JournalFacts | 'amount' | 'currency'> {
  readonly key: string;
  readonly operation: string | null;
  readonly status: string | null;
  readonly referenceMark: string;
  readonly atMs: number | null;
  readonly company: CompanyMatch;
}

export interface KnownRow extends OtherRow {
  readonly mayBeSent: boolean;
  readonly isSameCompany: boolean;
}

export interface Evidence {
  readonly operations: readonly OperationFacts[];
  readonly rows: readonly KnownRow[];
  readonly singles: readonly SingleCreate[];
}

type PaymentSource =
  /** `batch` waits for the payment, which it did not send. */
  | { readonly kind: 'feed'; readonly batch?: string }
  | { readonly kind: 'batch'; readonly batch: string; readonly line: number }
  | { readonly kind: 'request'; readonly key: string; readonly isForgotten?: boolean | undefined };

const NOT_JOURNALED = { row: null, accountTail: null, twinMark: null };

export const RECORDED = 'recorded';

/** A payment that is not known to have failed. `operation` is null while the outcome of its request is unknown. */
export interface KnownPayment extends Pick<RequestedOperation, 'direction' | 'amount' | 'currency'> {
  readonly operation: string | null;
  readonly status: string;
  readonly atMs: number | null;
  readonly source: PaymentSource;
  readonly isOurs: boolean;
  readonly row: number | null;
  readonly accountTail: string | null;
  readonly twinMark: string | null;
}

export function paymentsIn(evidence: Evidence, direction: Direction): KnownPayment[] {
  const { operations, rows, singles } = evidence;
  if (operations.length + rows.length + singles.length === 0) return [];
  const failedIds = new Set(operations.filter(({ status }) => status === 'failed').map(({ id }) => id));
  const contradictedIds = contradictedIdsIn(evidence);
  const byId = new Map<string, KnownPayment>();
  for (const operation of operations) {
    const { id, status, amount, currency, createdAtMs: atMs } = operation;
    if (status === 'failed' && !contradictedIds.has(id)) continue;
    byId.set(id, {
      ...{ operation: id, status, direction: operation.direction, amount, currency },
      ...{ atMs, source: { kind: 'feed' }, isOurs: true, ...NOT_JOURNALED },
    });
  }
  const openSendings: KnownPayment[] = [];
  const add = (payment: KnownPayment): void => {
    const { operation } = payment;
    if (operation === null) openSendings.push(payment);
    else if (contradictedIds.has(operation) || !failedIds.has(operation)) {
      const feedPayment = byId.get(operation);
      const { source, row, accountTail, twinMark } = payment;
      const ownFacts = { source, row, accountTail, twinMark };
      byId.set(operation, feedPayment === undefined ? payment : { ...feedPayment, ...ownFacts });
    }
  };
  for (const row of rows) {
    // An open row with a contradicted operation waits for a person, so it is not counted as a second payment.
    const isWaiting =
      isOneOf(OPEN_STATES, row.state) && row.operation !== null && contradictedIds.has(row.operation);
    if (!isWaiting) for (const payment of paymentOfRow(row, direction)) add(payment);
  }
  for (const single of singles) for (const payment of paymentOfSingle(single, direction)) add(payment);
  for (const id of contradictedIds) {
    const payment = byId.get(id);
    if (payment !== undefined) byId.set(id, { ...payment, status: CONTRADICTED });
  }
  return [...byId.values(), ...openSendings];
}

function contradictedIdsIn({ operations, rows, singles }: Evidence): ReadonlySet<string> {
  const settledRows = rows.filter(({ state }) => isOneOf(PAID_STATES, state) || state === 'failed');
  const reports = [
    ...operations.map(({ id, status, ends }) => [id, ends === 'both' ? CONTRADICTED : status] as const),
    ...[...settledRows, ...singles].map(({ operation, status }) => [operation, status] as const),
  ];
  const toldIds = new Set<string | null>(
    operations.filter(({ ends }) => ends === 'told').map(({ id }) => id),
  );
  const firstStatuses = new Map<string, string>();
  const contradictedIds = new Set<string>();
  for (const [id, status] of reports) {
    if (id === null || status === null || toldIds.has(id)) continue;
    const firstStatus = firstStatuses.get(id) ?? status;
    if (status === CONTRADICTED || areContradicting(firstStatus, status)) contradictedIds.add(id);
    if (isFinal(status)) firstStatuses.set(id, firstStatus);
  }
  return contradictedIds;
}

function paymentOfRow(row: KnownRow, direction: Direction): KnownPayment[] {
  const { batch, line, state, amount, currency, sentAtMs: atMs } = row;
  const source: PaymentSource = { kind: 'batch', batch, line };
  const { isSameCompany: isOurs, twinMark } = row;
  const facts = { direction, amount, currency, source, isOurs, ...NOT_JOURNALED, twinMark };
  if (isOneOf(OPEN_STATES, state)) return [{ ...facts, operation: null, status: 'unknown', atMs }];
  if (isOneOf(NEVER_SENT, state))
    return row.mayBeSent ? [{ ...facts, operation: null, status: 'planned', atMs: null }] : [];
  if (!isOneOf(PAID_STATES, state) || row.operation === null) return [];
  const operationFacts = {
    operation: row.operation,
    status: row.status ?? 'pending',
    atMs: row.operationAtMs ?? atMs,
  };
  // A row in state `earlier` was settled with an older payment that it did not send, so the source is the feed.
  if (state !== 'earlier') return [{ ...facts, ...operationFacts }];
  return [{ ...facts, ...operationFacts, source: { kind: 'feed', batch }, twinMark: null }];
}

function paymentOfSingle(single: SingleCreate, direction: Direction): KnownPayment[] {
  const { key, state, mayNotRepeat, operation, status } = single;
  const { amount, currency, atMs, row, accountTail } = single;
  const isForgotten = state === 'forgotten' || mayNotRepeat;
  const source: PaymentSource = { kind: 'request', key, isForgotten };
  const createFacts = { direction, amount, currency, atMs, row, accountTail, twinMark: null, source };
  const facts = { ...createFacts, isOurs: single.company === 'same' };
  if (state !== 'settled' || operation === null)
    return [{ ...facts, operation: null, status: state === 'recorded' ? RECORDED : 'unknown' }];
  return status === 'failed' ? [] : [{ ...facts, operation, status: status ?? 'pending' }];
}

export function newestOf(payments: readonly KnownPayment[]): KnownPayment | null {
  const openSendings = payments.filter(({ operation }) => operation === null);
  const settledPayments = payments.filter(({ operation }) => operation !== null);
  const lastSending = highestRanked(openSendings, ({ row }) => row ?? Infinity);
  if (lastSending === null) return latestOf(settledPayments);
  const { row: lastRow } = lastSending;
  const laterPayments =
    lastRow === null ? [] : settledPayments.filter(({ row }) => row !== null && row > lastRow);
  return latestOf(laterPayments) ?? lastSending;
}

function latestOf(payments: readonly KnownPayment[]): KnownPayment | null {
  return highestRanked(payments, ({ atMs }) => atMs ?? Infinity);
}

function highestRanked(
  payments: readonly KnownPayment[],
  rankOf: (payment: KnownPayment) => number,
): KnownPayment | null {
  return payments.reduce<KnownPayment | null>(
    (highest, payment) => (highest === null || rankOf(payment) >= rankOf(highest) ? payment : highest),
    null,
  );
}

export interface PaymentChoice {
  /** Older payments do not count (`--new-since`). */
  readonly sinceMs: number | null;
  readonly newPayment?: string | null;
}

export function isExcluded(
  { operation, atMs }: Pick<KnownPayment, 'operation' | 'atMs'>,
  sinceMs: number | null,
): boolean {
  return operation !== null && atMs !== null && sinceMs !== null && atMs < sinceMs;
}

export function splitPayments(
  payments: readonly KnownPayment[],
  { sinceMs, newPayment = null }: PaymentChoice,
): { readonly previous: KnownPayment | null; readonly blocking: readonly KnownPayment[] } {
  const namedPayment = newPayment === null ? undefined : payments.find((one) => isNamed(one, newPayment));
  const limitMs = namedPayment === undefined ? sinceMs : (namedPayment.atMs ?? Infinity);
  const isEarlier = (one: KnownPayment): boolean => one === namedPayment || isExcluded(one, limitMs);
  return {
    previous: namedPayment ?? newestOf(payments.filter(isEarlier)),
    blocking: payments.filter((one) => !isEarlier(one)),
  };
}

export function isNamed(
  { operation, source }: Pick<KnownPayment, 'operation' | 'source'>,
  idOrKey: string,
): boolean {
  if (operation !== null) return operation.toLowerCase() === idOrKey.toLowerCase();
  return source.kind === 'request' && source.key === idOrKey;
}

interface TryRules extends PaymentChoice, Pick<BatchFacts, 'direction'> {
  readonly nowMs: number;
  readonly openSinceMs?: number | null | undefined;
}

export function tryOfPayment(
  evidence: Evidence,
  { direction, nowMs, ...choice }: TryRules,
  leastTry: PaymentTry | null = null,
): PaymentTry {
  const { previous } = splitPayments(paymentsIn(evidence, direction), choice);
  const follows = choice.newPayment ?? previous?.operation ?? null;
  const leastGeneration =
    leastTry !== null && isSameIdOrKey(leastTry.follows, follows) ? leastTry.generation : 1;
  const fromMs = previous?.atMs ?? null;
  return {
    follows,
    generation: nextGeneration(evidence, follows, { fromMs, nowMs, leastGeneration }),
  };
}

export function countExplained(
  evidence: Evidence,
  { direction, nowMs, openSinceMs = null, ...choice }: TryRules,
): number {
  const { blocking, previous } = splitPayments(paymentsIn(evidence, direction), choice);
  if (blocking.length > 0) return 0;
  const fromMs = previous?.atMs ?? null;
  const createsWithOwnKey = evidence.singles.filter(({ generation }) => generation === null);
  const ownKeyOperations = new Set(createsWithOwnKey.map(({ operation }) => operation));
  return evidence.operations.filter(({ id, status, createdAtMs: atMs }) => {
    const isYoung = nowMs - (atMs ?? nowMs) <= KEY_SAFE_MS;
    return (
      status === 'failed' &&
      !(ownKeyOperations.has(id) && isYoung) &&
      (fromMs === null || atMs === null || atMs > fromMs) &&
      (openSinceMs === null || (isYoung && atMs !== null && atMs < openSinceMs - SERVICE_CLOCKS_MS))
    );
  }).length;
}

/** A failed try older than `KEY_SAFE_MS` needs a new generation, because the service may have forgotten its key. */
function nextGeneration(
  { operations, rows, singles }: Evidence,
  follows: string | null,
  { fromMs, nowMs, leastGeneration }: { fromMs: number | null; nowMs: number; leastGeneration: number },
): number {
  const oldTries = new Set<string>();
  const youngTries = new Set<number>();
  const add = (id: string, atMs: number | null, after: string | null, generation: number | null): void => {
    if (atMs === null || nowMs - atMs <= KEY_SAFE_MS) {
      if (generation !== null && isSameIdOrKey(after, follows)) youngTries.add(generation);
    } else if (fromMs === null || atMs > fromMs) oldTries.add(id.toLowerCase());
  };
  const failedOperations = operations.filter(({ status }) => status === 'failed');
  const failedIds = new Set(failedOperations.map(({ id }) => id));
  for (const { id, createdAtMs: atMs } of failedOperations) add(id, atMs, null, null);
  for (const { state, operation: id, operationAtMs, sentAtMs, follows: after, generation } of rows)
    if (id !== null && (state === 'failed' || failedIds.has(id)))
      add(id, operationAtMs ?? sentAtMs, after, generation);
  for (const { operation: id, status, atMs, follows: after, generation } of singles)
    if (id !== null && (status === 'failed' || failedIds.has(id))) add(id, atMs, after, generation);
  let generation = Math.max(1 + oldTries.size, leastGeneration);
  while (youngTries.has(generation)) generation += 1;
  return generation;
}

function isSameIdOrKey(one: string | null, other: string | null): boolean {
  return one === other || (one !== null && other !== null && isSameId(one, other));
}
