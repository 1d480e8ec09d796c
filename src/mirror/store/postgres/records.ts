/** Rows of PostgreSQL as operations and back; what no writer of ours can have written is damage. */
import { markOf } from '../../../contract/marks.js';
import { momentText } from '../../../contract/notation.js';
import { type Direction, DIRECTIONS } from '../../../contract/operation.js';
import { foldReference } from '../../../contract/reference.js';
import type { KnownOperation } from '../../mirror.js';
import { storedId } from '../records.js';

/** Every column that an operation fills, and its type. */
const TYPES = {
  id_mark: 'bytea',
  reference_mark: 'bytea',
  id: 'text',
  direction: 'text',
  reference: 'text',
  folded: 'text',
  amount: 'text',
  currency: 'text',
  method: 'text',
  status: 'text',
  code: 'text',
  failure_reason: 'text',
  bank_reference: 'text',
  created_at: 'bigint',
  confirmed_at: 'bigint',
  occurred_at: 'bigint',
  event_id: 'text',
} as const;
type Column = keyof typeof TYPES;

export const MIRRORED_COLUMNS = Object.keys(TYPES) as Column[];

/** As `unnest` takes them, from that parameter on. */
export function unnested(first: number): string {
  return MIRRORED_COLUMNS.map((name, at) => `$${String(first + at)}::${TYPES[name]}[]`).join(', ');
}

type Text<Name extends string> = Readonly<Record<Name, string>>;
type MaybeText<Name extends string> = Readonly<Record<Name, string | null>>;

/** A row as PostgreSQL answers it. */
export type MirroredRecord = Text<'id' | 'direction' | 'status' | 'event_id'> &
  MaybeText<'reference' | 'folded' | 'amount' | 'currency' | 'method' | 'code'> &
  MaybeText<'failure_reason' | 'bank_reference'> & {
    readonly id_mark: Buffer;
    readonly reference_mark: Buffer | null;
    readonly created_at: number | null;
    readonly confirmed_at: number | null;
    readonly occurred_at: number;
  };

const ESCAPED = '\u0001';

/** Text of PostgreSQL holds no zero and no half of a pair; ours may be any. */
export function heldText<T extends string | null>(text: T): T {
  if (text === null) return text;
  const isPlain = !text.includes('\0') && !text.startsWith(ESCAPED) && text.isWellFormed();
  return isPlain ? text : (`${ESCAPED}${JSON.stringify(text)}` as T);
}

/** What was held, as it was. */
export function toldText<T extends string | null>(held: T): T {
  return held?.startsWith(ESCAPED) === true ? (JSON.parse(held.slice(1)) as T) : held;
}

export function idMarkOf(id: string): Buffer {
  return Buffer.from(markOf(storedId(id)));
}

export function referenceMarkOf(direction: Direction, folded: string): Buffer {
  return Buffer.from(markOf(direction, folded));
}

export function operationRecord(operation: KnownOperation): MirroredRecord {
  const { direction, reference } = operation;
  const folded = reference === undefined ? null : foldReference(reference);
  return {
    id_mark: idMarkOf(operation.id),
    reference_mark: folded === null ? null : referenceMarkOf(direction, folded),
    id: heldText(storedId(operation.id)),
    direction,
    reference: heldText(reference ?? null),
    folded: folded === reference ? null : heldText(folded),
    amount: heldText(operation.amount ?? null),
    currency: heldText(operation.currency ?? null),
    method: heldText(operation.method ?? null),
    status: heldText(operation.status),
    code: heldText(operation.code),
    failure_reason: heldText(operation.failureReason),
    bank_reference: heldText(operation.bankReference),
    created_at: operation.createdAtMs,
    confirmed_at: operation.confirmedAtMs,
    occurred_at: operation.occurredAtMs,
    event_id: heldText(operation.eventId),
  };
}

/** The folded reference of a row; null where it has none. */
export function foldedIn({ folded, reference }: MirroredRecord): string | null {
  return toldText(folded ?? reference);
}

/** @throws RangeError for a row that nobody wrote */
export function operationIn(record: MirroredRecord): KnownOperation {
  const direction = DIRECTIONS.find((known) => known === record.direction);
  const [id, folded] = [toldText(record.id), foldedIn(record)];
  const mark = direction === undefined || folded === null ? null : referenceMarkOf(direction, folded);
  const isWhole =
    direction !== undefined &&
    idMarkOf(id).equals(record.id_mark) &&
    (mark === null ? record.reference_mark === null : record.reference_mark?.equals(mark) === true);
  if (!isWhole) throw new RangeError('an operation of the mirror is not what was written');
  return {
    ...{ id, direction, status: toldText(record.status), code: toldText(record.code) },
    amount: toldText(record.amount) ?? undefined,
    currency: toldText(record.currency) ?? undefined,
    method: toldText(record.method) ?? undefined,
    reference: toldText(record.reference) ?? undefined,
    createdAt: record.created_at === null ? undefined : momentText(record.created_at),
    failureReason: toldText(record.failure_reason),
    bankReference: toldText(record.bank_reference),
    createdAtMs: record.created_at,
    confirmedAtMs: record.confirmed_at,
    occurredAtMs: record.occurred_at,
    eventId: toldText(record.event_id),
  };
}
