/** An operation as it is known here, and from where. Pure. */
import type { Batch } from '../../bulk/store/batch.js';
import type { ShownRow } from '../../bulk/store/row.js';
import { idInOneCase } from '../../contract/notation.js';
import type { Direction } from '../../contract/operation.js';
import { type KnownOperation, type OperationFacts, NO_FACTS } from '../../contract/operation-facts.js';
import { foldReference } from '../../contract/reference.js';
import type { KeptRequest } from '../../journal/request.js';
import type { OperationFilter } from '../../mirror/mirror.js';

/** Where it is known from: its event, a row of a batch, a single create that was kept, or the service itself, asked by its id. */
export type OperationSource = 'feed' | 'batch' | 'create' | 'service';

/** Where it is from, as far as this machine knows. */
export interface OperationOrigin {
  readonly source: OperationSource;
  readonly batch: string | null;
  /** In the file of the batch. */
  readonly line: number | null;
  readonly idempotencyKey: string | null;
}

export interface FoundOperation extends OperationFacts, OperationOrigin {
  readonly direction: Direction;
  /** When its event occurred; null where none is known. */
  readonly occurredAtMs: number | null;
}

export const NOWHERE = { batch: null, line: null, idempotencyKey: null } as const;
const BESIDE = { ...NO_FACTS, ...NOWHERE, occurredAtMs: null };

export function ofFeed(known: KnownOperation): FoundOperation {
  return { ...known, ...NOWHERE, source: 'feed' };
}

/** @param row one that has an operation */
export function ofRow({ name, direction }: Pick<Batch, 'name' | 'direction'>, row: ShownRow): FoundOperation {
  const { operation, status, code, amount, currency, reference, line, key } = row;
  return {
    ...{ ...BESIDE, source: 'batch', batch: name, line, idempotencyKey: key },
    ...{ id: idInOneCase(operation ?? ''), direction, status: status ?? 'pending', code },
    ...{ amount, currency, reference, createdAtMs: row.operationAtMs ?? row.sentAtMs },
  };
}

/** @param request one that became an operation */
export function ofCreate(request: KeptRequest): FoundOperation {
  const { direction, amount, currency, idempotencyKey, settled } = request;
  return {
    ...{ ...BESIDE, source: 'create', idempotencyKey },
    ...{ id: idInOneCase(settled?.operation ?? ''), direction, status: settled?.status ?? 'pending' },
    ...{ amount, currency, createdAtMs: request.firstLeftMs },
  };
}

/** What the service said about it. @returns null where that has no direction */
export function ofAnswer(
  operation: OperationFacts,
  { source, batch, line, idempotencyKey }: OperationOrigin,
): FoundOperation | null {
  const { direction } = operation;
  if (direction === null) return null;
  return { ...operation, direction, occurredAtMs: null, source, batch, line, idempotencyKey };
}

/** By which it is put in order, and cut: when its event occurred, else when it was confirmed or made. */
export function timeOf({ occurredAtMs, confirmedAtMs, createdAtMs }: FoundOperation): number {
  return occurredAtMs ?? confirmedAtMs ?? createdAtMs ?? 0;
}

/** Newest first. */
export function inTime(a: FoundOperation, b: FoundOperation): number {
  return timeOf(b) - timeOf(a) || (a.id < b.id ? -1 : 1);
}

/** What is asked of operations; what is not said excludes nothing. */
export interface OperationQuestion extends OperationFilter {
  /** Its own, in any spelling. */
  readonly reference?: string | undefined;
}

export function isMeant(found: FoundOperation, asked: OperationQuestion): boolean {
  const { direction, status, method, sinceMs = -Infinity, untilMs = Infinity, reference } = asked;
  const isSame = (wanted: string | undefined, its: string | null): boolean =>
    wanted === undefined || wanted === its;
  const time = timeOf(found);
  return (
    isSame(direction, found.direction) &&
    isSame(status, found.status) &&
    isSame(method, found.method) &&
    time >= sinceMs &&
    time <= untilMs &&
    (reference === undefined ||
      (found.reference !== null && foldReference(found.reference) === foldReference(reference)))
  );
}
