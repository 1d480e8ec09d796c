/** Rows of the store as operations and back; what no writer of ours can have written is damage. */
import { isUuid, momentText } from '../../contract/notation.js';
import { type Direction, DIRECTIONS } from '../../contract/operation.js';
import { foldReference } from '../../contract/reference.js';
import type { KnownOperation } from '../mirror.js';

export interface MirrorRecord {
  readonly row: number;
  readonly company: number;
  readonly id_mark: number;
  readonly reference_mark: number | null;
  readonly id: string;
  readonly direction: string;
  readonly reference: string | null;
  readonly folded: string | null;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly method: string | null;
  readonly status: string;
  readonly code: string | null;
  readonly failure_reason: string | null;
  readonly bank_reference: string | null;
  readonly created_at: number | null;
  readonly confirmed_at: number | null;
  readonly occurred_at: number;
  readonly event_id: string;
}

/** Every column that an operation fills, in the order of `valuesOf`. */
export const COLUMNS =
  'company, id_mark, reference_mark, id, direction, reference, folded, amount, currency, method, status, code, failure_reason, ' +
  'bank_reference, created_at, confirmed_at, occurred_at, event_id';

/** The same of a table with another name in the statement. */
export function columnsOf(table: string): string {
  return COLUMNS.replace(/[a-z_]+/g, (column) => `${table}.${column}`);
}

/** A uuid is one id in either case. */
export function storedId(id: string): string {
  return isUuid(id) ? id.toLowerCase() : id;
}

export function idMark(company: number, stored: string): number {
  return shortMark(company, stored);
}

export function shortReferenceMark(company: number, direction: Direction, folded: string): number {
  return shortMark(company, direction, folded);
}

export function recordValues(company: number, operation: KnownOperation): (string | number | null)[] {
  const { direction, reference } = operation;
  const id = storedId(operation.id);
  const folded = reference === undefined ? null : foldReference(reference);
  return [
    company,
    idMark(company, id),
    folded === null ? null : shortReferenceMark(company, direction, folded),
    id,
    direction,
    reference ?? null,
    folded === reference ? null : folded,
    operation.amount ?? null,
    operation.currency ?? null,
    operation.method ?? null,
    operation.status,
    operation.code,
    operation.failureReason,
    operation.bankReference,
    operation.createdAtMs,
    operation.confirmedAtMs,
    operation.occurredAtMs,
    operation.eventId,
  ];
}

/** The folded reference of a row; null where it has none. */
export function foldedOf({ folded, reference }: MirrorRecord): string | null {
  return folded ?? reference;
}

/** @throws RangeError for a row that nobody wrote */
export function operationOf(record: MirrorRecord): KnownOperation {
  const direction = DIRECTIONS.find((known) => known === record.direction);
  const folded = foldedOf(record);
  const isWhole =
    direction !== undefined &&
    idMark(record.company, record.id) === record.id_mark &&
    record.reference_mark ===
      (folded === null ? null : shortReferenceMark(record.company, direction, folded));
  if (!isWhole) throw new RangeError(`row ${record.row} of the mirror is not what was written`);
  return {
    id: record.id,
    status: record.status,
    code: record.code,
    direction,
    amount: record.amount ?? undefined,
    currency: record.currency ?? undefined,
    method: record.method ?? undefined,
    reference: record.reference ?? undefined,
    createdAt: record.created_at === null ? undefined : momentText(record.created_at),
    failureReason: record.failure_reason,
    bankReference: record.bank_reference,
    createdAtMs: record.created_at,
    confirmedAtMs: record.confirmed_at,
    occurredAtMs: record.occurred_at,
    eventId: record.event_id,
  };
}

/**
 * A number for a text, by which rows are found: an index of small numbers is a third of one of texts. Golden vectors pin it.
 * 53 bits, well mixed. Two texts may have the same number, so that whoever finds a row compares its text too; nothing rests on it but
 * speed, and a hash of cryptography would take a tenth of the time in which the feed is read.
 */
export function shortMark(...parts: readonly (string | number)[]): number {
  const text = parts.join('\0');
  let [high, low] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    high = Math.imul(high ^ unit, 0x9e3779b1);
    low = Math.imul(low ^ unit, 0x5f356495);
  }
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  return (low & 0x1fffff) * 0x1_0000_0000 + (high >>> 0);
}
