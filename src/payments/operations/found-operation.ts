/** An operation that this machine or the service knows, and its source. Pure. */
import type { Batch } from '../../storage/batches/batch.js';
import type { ShownRow } from '../../storage/batches/row.js';
import { normalizeId } from '../../contract/notation.js';
import type { Direction } from '../../contract/operation.js';
import { type KnownOperation, type OperationFacts, NO_FACTS } from '../../contract/operation-facts.js';
import { foldReference } from '../../contract/reference.js';
import type { JournalRequest } from '../../storage/journal/request.js';
import type { OperationFilter } from '../../storage/mirror/mirror.js';

/** The source: the operation's event, a row of a batch, a single create in the journal, or the service, asked by id. */
export type OperationSource = 'feed' | 'batch' | 'create' | 'service';

/** The batch row or the create that made an operation, if this machine knows it. */
export interface OperationOrigin {
  readonly source: OperationSource;
  readonly batch: string | null;
  readonly line: number | null;
  readonly idempotencyKey: string | null;
}

export interface FoundOperation extends OperationFacts, OperationOrigin {
  readonly direction: Direction;
  /** When its event occurred; null if no event is known. */
  readonly occurredAtMs: number | null;
}

export const NO_ORIGIN = { batch: null, line: null, idempotencyKey: null } as const;
const DEFAULT_FACTS = { ...NO_FACTS, ...NO_ORIGIN, occurredAtMs: null };

export function operationFromFeed(operation: KnownOperation): FoundOperation {
  return { ...operation, ...NO_ORIGIN, source: 'feed' };
}

/** Describes the operation of a batch row. @param row a row that has an operation */
export function operationFromRow(
  { name, direction }: Pick<Batch, 'name' | 'direction'>,
  row: ShownRow,
): FoundOperation {
  const { operation, status, code, amount, currency, reference, line, key } = row;
  return {
    ...DEFAULT_FACTS,
    source: 'batch',
    batch: name,
    line,
    idempotencyKey: key,
    ...{ id: normalizeId(operation ?? ''), direction, status: status ?? 'pending', code },
    ...{ amount, currency, reference, createdAtMs: row.operationAtMs ?? row.sentAtMs },
  };
}

/** Describes the operation of a single create. @param request a create that became an operation */
export function operationFromCreate(request: JournalRequest): FoundOperation {
  const { direction, amount, currency, idempotencyKey, settled } = request;
  return {
    ...DEFAULT_FACTS,
    source: 'create',
    idempotencyKey,
    ...{ id: normalizeId(settled?.operation ?? ''), direction, status: settled?.status ?? 'pending' },
    ...{ amount, currency, createdAtMs: request.firstLeftMs },
  };
}

/** Takes the facts from the service's answer, and keeps the origin. Null if the answer has no direction. */
export function operationFromAnswer(
  operation: OperationFacts,
  { source, batch, line, idempotencyKey }: OperationOrigin,
): FoundOperation | null {
  const { direction } = operation;
  if (direction === null) return null;
  return { ...operation, direction, occurredAtMs: null, source, batch, line, idempotencyKey };
}

/** Returns the time for order and limits: when the event occurred, else when the operation was confirmed or created. */
export function timeOf({ occurredAtMs, confirmedAtMs, createdAtMs }: FoundOperation): number {
  return occurredAtMs ?? confirmedAtMs ?? createdAtMs ?? 0;
}

export function newestFirst(a: FoundOperation, b: FoundOperation): number {
  return timeOf(b) - timeOf(a) || (a.id < b.id ? -1 : 1);
}

/** A filter for operations; an absent member excludes nothing. */
export interface OperationQuestion extends OperationFilter {
  /** The operation's own reference, in any spelling. */
  readonly reference?: string | undefined;
}

export function matchesQuestion(operation: FoundOperation, question: OperationQuestion): boolean {
  const { direction, status, method, sinceMs = -Infinity, untilMs = Infinity, reference } = question;
  const isSame = (wanted: string | undefined, actual: string | null): boolean =>
    wanted === undefined || wanted === actual;
  const time = timeOf(operation);
  return (
    isSame(direction, operation.direction) &&
    isSame(status, operation.status) &&
    isSame(method, operation.method) &&
    time >= sinceMs &&
    time <= untilMs &&
    (reference === undefined ||
      (operation.reference !== null && foldReference(operation.reference) === foldReference(reference)))
  );
}
