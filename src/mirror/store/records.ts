/** Rows of the store as operations and back; what no writer of ours can have written is damage. */
import { DIRECTIONS, type Direction } from '../../contract/methods.js';
import { isUuid } from '../../contract/ids.js';
import { momentText } from '../../contract/moments.js';
import { foldReference } from '../../contract/reference.js';
import type { KnownOperation } from '../mirror.js';
import { shortMark } from './mark.js';

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
