import { type OperationFacts, matchesPayment, isOlder } from '../../contract/operation-facts.js';
import type { Direction } from '../../contract/operation.js';
import { isSameReference } from '../../contract/reference.js';
import type { Batch } from '../../storage/batches/batch.js';
import type { RowResult, ShownRow } from '../../storage/batches/row.js';
import { isExcluded } from './payments.js';
import {
  NO_OPERATION,
  olderStatus,
  operationFacts,
  OWN_OPERATION_MAX_MS,
  stateOfStatus,
} from './row-outcome.js';
import { KEY_REUSED } from '../../contract/attempt.js';

/** An operation belongs to the row if it agrees with the row and was made when the row was sent. */
export function decideOperation(
  row: ShownRow,
  direction: Direction,
  operation: OperationFacts,
  facts: { readonly isHeld: boolean; readonly isOfKey: boolean; readonly when: string },
): RowResult | { readonly refusal: string } {
  const { isHeld, isOfKey, when } = facts;
  const { number, sentAtMs } = row;
  if (operation.reference === null || !isSameReference(operation.reference, row.reference))
    return { refusal: 'The operation has another reference.' };
  if (operation.direction !== null && operation.direction !== direction)
    return { refusal: `The operation is a ${operation.direction}.` };
  const isReused = row.code === KEY_REUSED;
  const isFailed = operation.status === 'failed';
  const { createdAtMs } = operation;
  const wasMadeBySending =
    sentAtMs !== null &&
    createdAtMs !== null &&
    !isOlder(operation, sentAtMs) &&
    createdAtMs <= sentAtMs + OWN_OPERATION_MAX_MS;
  const isOwn =
    !isReused &&
    !isHeld &&
    matchesPayment({ ...row, direction }, { ...operation, direction: operation.direction ?? direction }) &&
    wasMadeBySending;
  if (isFailed && !isOwn && !isReused && !isOfKey)
    return { refusal: 'The operation failed, and belongs to an earlier try of this row, or to another row.' };
  const detail = `A person decided at ${when}: it is this operation.`;
  if (!isOwn) return { number, sentAtMs, ...olderStatus(operation, 'decided'), detail };
  const state = stateOfStatus(operation.status);
  return { number, sentAtMs, ...operationFacts(operation), state, code: operation.code, detail };
}

export function decideContradicted(
  row: ShownRow,
  { direction, sinceMs }: Pick<Batch, 'direction' | 'sinceMs'>,
  operation: OperationFacts,
  when: string,
): RowResult {
  const { number, sentAtMs, state } = row;
  const isTooOld = isExcluded({ operation: operation.id, atMs: operation.createdAtMs }, sinceMs);
  const result = decideOperation(row, direction, operation, { isHeld: false, isOfKey: false, when });
  if (!('refusal' in result) && !isTooOld) return result;
  if (state !== 'needs_review') return { number, sentAtMs, ...olderStatus(operation) };
  const earlierState = sentAtMs === null ? 'planned' : 'unknown';
  return { number, sentAtMs, ...NO_OPERATION, state: earlierState, code: null, detail: null };
}

export function decideNotPaid({ number, sentAtMs }: ShownRow, when: string): RowResult {
  const detail = `A person decided at ${when}: it was not paid.`;
  return { number, sentAtMs, ...NO_OPERATION, state: 'failed', code: 'not_paid', detail };
}
