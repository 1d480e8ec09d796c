import type { Batch } from '../../storage/batches/batch-store.js';
import type { ShownRow } from '../../storage/batches/row.js';
import { normalizeId } from '../../contract/notation.js';
import type { Direction } from '../../contract/operation.js';
import { type KnownOperation, type OperationFacts, NO_FACTS } from '../../contract/operation-facts.js';
import { foldReference } from '../../contract/reference.js';
import type { JournalRequest } from '../../storage/journal/request.js';
import type { OperationFilter } from '../../storage/mirror/mirror.js';

export const OPERATION_SOURCES = ['feed', 'batch', 'create', 'service'] as const;

export interface OperationOrigin {
  readonly source: (typeof OPERATION_SOURCES)[number];
  readonly batch: string | null;
  readonly line: number | null;
  readonly idempotencyKey: string | null;
}

export interface FoundOperation extends OperationFacts, OperationOrigin {
  readonly direction: Direction;
  readonly occurredAtMs: number | null;
}

export const NO_ORIGIN = { batch: null, line: null, idempotencyKey: null } as const;
const DEFAULT_FACTS = { ...NO_FACTS, ...NO_ORIGIN, occurredAtMs: null };

export function operationFromFeed(operation: KnownOperation): FoundOperation {
  return { ...operation, ...NO_ORIGIN, source: 'feed' };
}

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

export function operationFromAnswer(
  operation: OperationFacts,
  { source, batch, line, idempotencyKey }: OperationOrigin,
): FoundOperation | null {
  const { direction } = operation;
  if (direction === null) return null;
  return { ...operation, direction, occurredAtMs: null, source, batch, line, idempotencyKey };
}

export function timeOf({ occurredAtMs, confirmedAtMs, createdAtMs }: FoundOperation): number {
  return occurredAtMs ?? confirmedAtMs ?? createdAtMs ?? 0;
}

export function newestFirst(a: FoundOperation, b: FoundOperation): number {
  return timeOf(b) - timeOf(a) || (a.id < b.id ? -1 : 1);
}

export interface OperationQuestion extends OperationFilter {
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
