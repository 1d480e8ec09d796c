/** An operation as it is known here, whoever told of it, and from where that is. Pure. */
import type { Batch } from '../../bulk/store/batch.js';
import type { ShownRow } from '../../bulk/store/row.js';
import { claimsOf } from '../../contract/claims.js';
import { parseJson } from '../../contract/json-text.js';
import { idInOneCase, momentMs } from '../../contract/notation.js';
import { type Direction, isFinal } from '../../contract/operation.js';
import { foldCase } from '../../contract/spellings.js';
import type { KeptRequest } from '../../journal/request.js';
import type { KnownOperation, OperationFilter } from '../../mirror/mirror.js';

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

export interface FoundOperation extends OperationOrigin {
  readonly id: string;
  readonly direction: Direction;
  readonly status: string;
  /** The failure's code, or why it is pending. */
  readonly code: string | null;
  readonly failureReason: string | null;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly method: string | null;
  readonly reference: string | null;
  readonly bankReference: string | null;
  readonly createdAtMs: number | null;
  readonly confirmedAtMs: number | null;
  /** When its event occurred; null where none is known. */
  readonly occurredAtMs: number | null;
}

export const NOWHERE = { batch: null, line: null, idempotencyKey: null } as const;
const NOTHING = {
  code: null,
  failureReason: null,
  method: null,
  reference: null,
  bankReference: null,
} as const;
const NO_TIMES = { createdAtMs: null, confirmedAtMs: null, occurredAtMs: null } as const;

export function ofFeed(known: KnownOperation): FoundOperation {
  const { amount, currency, method, reference, failureReason, bankReference } = known;
  return {
    ...{ id: known.id, direction: known.direction, status: known.status, code: known.code },
    ...{ amount: amount ?? null, currency: currency ?? null, method: method ?? null },
    ...{ reference: reference ?? null, failureReason, bankReference },
    ...{
      createdAtMs: known.createdAtMs,
      confirmedAtMs: known.confirmedAtMs,
      occurredAtMs: known.occurredAtMs,
    },
    ...{ ...NOWHERE, source: 'feed' },
  };
}

/** @param row one that has an operation */
export function ofRow({ name, direction }: Pick<Batch, 'name' | 'direction'>, row: ShownRow): FoundOperation {
  const { amount, currency, reference, line, key } = row;
  return {
    ...{ ...NOTHING, ...NO_TIMES, source: 'batch', batch: name, line, idempotencyKey: key },
    ...{ id: idInOneCase(row.operation ?? ''), direction, status: row.status ?? 'pending', code: row.code },
    ...{ amount, currency, reference, createdAtMs: row.operationAtMs ?? row.sentAtMs },
  };
}

/** @param request one that became an operation */
export function ofCreate(request: KeptRequest): FoundOperation {
  const { direction, amount, currency, idempotencyKey, settled } = request;
  return {
    ...{ ...NOTHING, ...NO_TIMES, ...NOWHERE, source: 'create', idempotencyKey },
    ...{ id: idInOneCase(settled?.operation ?? ''), direction, status: settled?.status ?? 'pending' },
    ...{ amount, currency, createdAtMs: request.firstLeftMs },
  };
}

/** What the service answered about it. @returns null for what is no operation */
export function ofAnswer(
  body: Uint8Array,
  { source, batch, line, idempotencyKey }: OperationOrigin,
): FoundOperation | null {
  const value = parseJson(body) as Readonly<Record<string, unknown>>;
  const claims = claimsOf(value);
  if (claims?.direction === undefined) return null;
  const failure = value['failure'] as Readonly<Record<string, unknown>> | null | undefined;
  const { amount, currency, method, reference, createdAt } = claims;
  return {
    ...{ id: claims.id, direction: claims.direction, status: claims.status, code: claims.code },
    ...{
      amount: amount ?? null,
      currency: currency ?? null,
      method: method ?? null,
      reference: reference ?? null,
    },
    ...{ failureReason: textOf(failure?.['reason']), bankReference: textOf(value['bank_reference']) },
    ...{
      createdAtMs: momentMs(createdAt),
      confirmedAtMs: momentMs(value['confirmed_at']),
      occurredAtMs: null,
    },
    ...{ source, batch, line, idempotencyKey },
  };
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
      (found.reference !== null && foldCase(found.reference) === foldCase(reference)))
  );
}

/** False for what may have become something else since it was seen. */
export function isSettled({ status }: Pick<FoundOperation, 'status'>): boolean {
  return isFinal(status);
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
