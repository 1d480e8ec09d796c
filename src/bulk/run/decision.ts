/** What a person decides about a row whose outcome is not known, and what that makes of it. Pure. */
import { agrees, isOlder, type OperationFacts } from '../../contract/operation-facts.js';
import type { Direction } from '../../contract/operation.js';
import { foldReference } from '../../contract/reference.js';
import { OPEN } from '../row-state.js';
import type { RowResult, ShownRow } from '../store/row.js';
import { KEY_REUSED, olderStanding, operationFacts, OWN_MAX_MS } from './verdict.js';

/** The rows that a person may decide about: everything else is settled. */
export const DECIDABLE = OPEN;

/** A decision that can't be taken: why, as a sentence. */
export interface Refusal {
  readonly refusal: string;
}

/** Who has made an operation, as far as the books of this machine and the service know it. */
export interface OperationMaker {
  /** Another row is settled with it. */
  readonly isHeld: boolean;
  /** The row's own key has made it. */
  readonly isOfKey: boolean;
}

/**
 * The row became this operation, or this one stands for it. One of its reference that agrees and was made when the row left is its own. Any
 * other is an older payment that stands for it; one that failed settles the row only where it may be its own, or where its key has made it.
 * A row whose key has made another payment is never confirmed.
 * @param when the moment of the decision, as people read it
 */
export function decideOperation(
  row: ShownRow,
  direction: Direction,
  operation: OperationFacts,
  { isHeld, isOfKey, when }: OperationMaker & { readonly when: string },
): RowResult | Refusal {
  const { number, sentAtMs } = row;
  if (operation.reference === null || foldReference(operation.reference) !== foldReference(row.reference))
    return { refusal: 'The operation has another reference.' };
  if (operation.direction !== null && operation.direction !== direction)
    return { refusal: `The operation is a ${operation.direction}.` };
  const isReused = row.code === KEY_REUSED;
  const isFailed = operation.status === 'failed';
  const isOwn =
    !isReused &&
    !isHeld &&
    agrees({ ...row, direction }, { ...operation, direction: operation.direction ?? direction }) &&
    isOfThatTime(row, operation);
  if (isFailed && !isOwn && !isReused && !isOfKey)
    return { refusal: 'The operation failed, and belongs to an earlier try of this row, or to another row.' };
  const detail = `A person decided at ${when}: it is this operation.`;
  if (!isOwn) return { number, sentAtMs, ...olderStanding(operation, 'decided'), detail };
  const state = isFailed ? 'failed' : operation.status === 'confirmed' ? 'confirmed' : 'accepted';
  return { number, sentAtMs, ...operationFacts(operation), state, code: operation.code, detail };
}

/** The row became no operation: it counts as failed, so that a retry sends it as another one, with another key. */
export function decideNotPaid({ number, sentAtMs }: ShownRow, evidence: string, when: string): RowResult {
  return {
    ...{ number, sentAtMs, state: 'failed', operation: null, status: null, operationAtMs: null },
    code: 'not_paid',
    detail: `A person decided at ${when}: it was not paid (${evidence}).`,
  };
}

function isOfThatTime({ sentAtMs }: ShownRow, operation: OperationFacts): boolean {
  const { createdAtMs } = operation;
  if (sentAtMs === null || createdAtMs === null) return false;
  return !isOlder(operation, sentAtMs) && createdAtMs <= sentAtMs + OWN_MAX_MS;
}
