import { normalizeId } from '../../contract/notation.js';
import { type Direction, DIRECTIONS } from '../../contract/operation.js';
import { type Contradiction, type KnownOperation, NO_FACTS } from '../../contract/operation-facts.js';
import { foldReference } from '../../contract/reference.js';
import { type COMPANY_COLUMNS, MIRROR_COLUMNS } from './tables.js';
import type { FileRecord } from '../tables/column-tables.js';
import { type Reading, emptyReading } from './reading.js';
import type { FILE_COLUMNS } from './schema.js';

export type MirrorRecord = FileRecord<typeof FILE_COLUMNS>;

export const MIRROR_NAMES = Object.keys(MIRROR_COLUMNS) as (keyof typeof MIRROR_COLUMNS)[];

export interface StoreFormat<Mark> {
  readonly id: (stored: string) => Mark;
  readonly reference: (direction: Direction, folded: string) => Mark;
  readonly isSame: (one: Mark, other: Mark) => boolean;
  readonly encode: <T extends string | null>(text: T) => T;
  readonly decode: <T extends string | null>(encoded: T) => T;
}

export function fileFormatOf(company: number): StoreFormat<number> {
  return {
    id: (stored) => shortMark(company, stored),
    reference: (direction, folded) => shortMark(company, direction, folded),
    isSame: (one, other) => one === other,
    encode: (text) => text,
    decode: (text) => text,
  };
}

export function operationCells<Mark>(
  operation: KnownOperation,
  { id: idMark, reference: referenceMark, encode }: StoreFormat<Mark>,
): (Mark | string | number | null)[] {
  const { direction, reference } = operation;
  const id = normalizeId(operation.id);
  const folded = reference === null ? null : foldReference(reference);
  return [
    idMark(id),
    folded === null ? null : referenceMark(direction, folded),
    encode(id),
    direction,
    encode(reference),
    folded === reference ? null : encode(folded),
    ...[operation.amount, operation.currency, operation.method, operation.status].map(encode),
    ...[operation.code, operation.failureReason, operation.bankReference].map(encode),
    operation.createdAtMs,
    operation.confirmedAtMs,
    operation.occurredAtMs,
    encode(operation.eventId),
    operation.ends ?? null,
  ];
}

export type MirroredRecord<Mark> = Omit<MirrorRecord, 'row' | 'company' | 'id_mark' | 'reference_mark'> & {
  readonly id_mark: Mark;
  readonly reference_mark: Mark | null;
};

export function foldedOf({ folded, reference }: Pick<MirrorRecord, 'folded' | 'reference'>): string | null {
  return folded ?? reference;
}

export function operationOf<Mark>(record: MirroredRecord<Mark>, format: StoreFormat<Mark>): KnownOperation {
  const { decode, isSame } = format;
  const { id_mark: idMark, reference_mark: referenceMark } = record;
  const direction = DIRECTIONS.find((name) => name === record.direction);
  const [id, folded] = [decode(record.id), decode(foldedOf(record))];
  const isIntact =
    direction !== undefined &&
    isSame(format.id(id), idMark) &&
    (folded === null || referenceMark === null
      ? folded === referenceMark
      : isSame(format.reference(direction, folded), referenceMark));
  if (!isIntact) throw new RangeError('an operation of the mirror is not what was written');
  return {
    ...NO_FACTS,
    id,
    status: decode(record.status),
    code: decode(record.code),
    direction,
    amount: decode(record.amount),
    currency: decode(record.currency),
    method: decode(record.method),
    reference: decode(record.reference),
    failureReason: decode(record.failure_reason),
    bankReference: decode(record.bank_reference),
    createdAtMs: record.created_at,
    confirmedAtMs: record.confirmed_at,
    occurredAtMs: record.occurred_at,
    eventId: decode(record.event_id),
    ...(record.ends === null ? {} : { ends: record.ends as Contradiction }),
  };
}

export function byIds(
  ids: readonly string[],
  operations: Iterable<KnownOperation>,
): Map<string, KnownOperation> {
  const byId = new Map(Array.from(operations, (operation) => [operation.id, operation]));
  return new Map(
    ids.flatMap((id) => {
      const operation = byId.get(normalizeId(id));
      return operation === undefined ? [] : [[id, operation] as const];
    }),
  );
}

export function byReferences(
  direction: Direction,
  pairs: Iterable<readonly [folded: string | null, operation: KnownOperation]>,
): Map<string, KnownOperation[]> {
  const inDirection = [...pairs].filter(([, operation]) => operation.direction === direction);
  inDirection.sort(([, a], [, b]) => a.occurredAtMs - b.occurredAtMs || (a.id < b.id ? -1 : 1));
  const groups = new Map<string, KnownOperation[]>();
  for (const [folded, operation] of inDirection) {
    if (folded === null) continue;
    const group = groups.get(folded);
    if (group === undefined) groups.set(folded, [operation]);
    else group.push(operation);
  }
  return groups;
}

export function latestOf(operations: readonly KnownOperation[]): KnownOperation | null {
  return operations.reduce<KnownOperation | null>(
    (latest, operation) =>
      latest === null || operation.occurredAtMs > latest.occurredAtMs ? operation : latest,
    null,
  );
}

/** Throws if the reading is damaged, because a wrong digit in a cursor would skip payments. */
export function readingIn(
  epoch: string,
  { reading, reading_sum: sum }: Pick<FileRecord<typeof COMPANY_COLUMNS>, 'reading' | 'reading_sum'>,
): Reading {
  if (reading === null) return emptyReading(epoch);
  if (shortMark(reading) !== sum) throw new RangeError('the reading of a mirror is not what was written');
  return { ...(JSON.parse(reading) as Omit<Reading, 'epoch'>), epoch };
}

/** This function must not change, because stored rows contain its hashes. */
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
