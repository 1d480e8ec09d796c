/** Checks a person's decision about a row with an unknown outcome against service, feed and stores, and returns the row's new state. */
import { SERVICE_CLOCKS_MS } from '../../contract/limits.js';
import { type OperationFacts, matchesPayment, isOlder } from '../../contract/operation-facts.js';
import { Failure, type FailureFacts } from '../../runtime/failure.js';
import { type Evidence, type Knowledge, NO_EVIDENCE, paymentsOfRows } from '../../payments/known/evidence.js';
import { isExcluded, splitPayments } from '../../payments/known/payments.js';
import type { BatchStore } from '../../storage/batches/batch-store.js';
import type { Batch } from '../../storage/batches/batch.js';
import type { PersonDecision, Holder, RowResult, ShownRow } from '../../storage/batches/row.js';
import {
  KEY_REUSED,
  NO_OPERATION,
  olderStatus,
  operationFacts,
  OWN_OPERATION_MAX_MS,
  stateOfStatus,
} from './verdict.js';
import { CONTRADICTED, type Direction, GONE, isFinal } from '../../contract/operation.js';
import { isSameReference } from '../../contract/reference.js';
import { isOneOf, OPEN_STATES, PAID_STATES } from '../../storage/batches/row-state.js';

export interface ResolutionWorld {
  readonly store: BatchStore;
  readonly knowledge: Knowledge;
  /** The time of the person's decision, as text. */
  readonly when: string;
  /** True if the service has the operation. */
  readonly operationExists: (operation: string) => Promise<boolean>;
  /** Returns the command that follows the pending rows of a batch. */
  readonly followCommand: (batch: string) => string;
  readonly nameCommand: (operation: string) => string;
}

/** Settles the row with this operation, as its own or as an older payment that counts. @throws Failure `unsafe` if it cannot be the row's */
export async function resolveToOperation(
  batch: Batch,
  row: ShownRow,
  operation: OperationFacts,
  world: ResolutionWorld,
): Promise<RowResult> {
  const isThisRow = (holder: Holder): boolean => holder.batch === batch.name && holder.line === row.line;
  const holders = (await world.store.holders([operation.id])).filter((one) => !isThisRow(one));
  const facts = { isHeld: holders.length > 0, isOfKey: holders.some(({ key }) => key === row.key) };
  const result = decideOperation(row, batch.direction, operation, { ...facts, when: world.when });
  if ('refusal' in result)
    throw unsafeFailure('operation_differs', `${result.refusal} The row stays as it was.`);
  return result;
}

/**
 * Refuses the decision "not paid" if the feed has a payment that may be the row's. Nothing is sent to find out: the key stays, so if it has paid
 * after all, the service answers the retry with that payment.
 * @throws Failure `unsafe` (`operation_found`); as `refusePending`
 */
export async function refuseNotPaid(batch: Batch, row: ShownRow, world: ResolutionWorld): Promise<void> {
  const [evidence] = await paymentsOfRows(batch, [row], world);
  const { evidence: found, payments } = evidence ?? { evidence: NO_EVIDENCE, payments: [] };
  const leftMs = (row.sentAtMs ?? -Infinity) - SERVICE_CLOCKS_MS;
  // The row may have made only payments that this machine has not sent, and that are not older than the row.
  const candidates = splitPayments(payments, batch).blocking.filter(
    ({ source, atMs }) => source.kind === 'feed' && (atMs === null || atMs >= leftMs),
  );
  const candidateIds = new Set(candidates.map(({ operation }) => operation));
  if (
    row.code === CONTRADICTED ||
    (row.status === GONE && (await world.operationExists(row.operation ?? '')))
  )
    candidateIds.add(row.operation);
  if (candidateIds.size === 0 && row.status === GONE)
    refusePending(found, row.operation, world.followCommand);
  if (candidateIds.size === 0) return;
  const message = `The events may have the payment of ${row.reference}. Nothing was changed. Name the right one with --operation:`;
  const items = Array.from(candidateIds, (id) => id ?? '?');
  const [id = '', ...otherIds] = items;
  const otherCommand = { when: 'If this is its payment', line: world.nameCommand(id) };
  throw unsafeFailure('operation_found', message, { items, ...(otherIds.length === 0 && { otherCommand }) });
}

/** Refuses if a row of another batch has this pending operation: it would block the row again. @throws Failure `unsafe` (`reference_pending`) */
export function refusePending(
  { rows }: Evidence,
  operation: string | null,
  followCommand: ResolutionWorld['followCommand'],
): void {
  const row = rows.find(
    ({ operation, state, status }) =>
      operation === operation && isOneOf(PAID_STATES, state) && !isFinal(status ?? 'confirmed'),
  );
  if (row === undefined) return;
  const nextCommand = followCommand(row.batch);
  const text = `Batch ${row.batch} waits for operation ${operation}. Nothing was changed. Follow it there first: ${nextCommand}`;
  throw unsafeFailure('reference_pending', text, { nextCommand });
}

/** Records the decision and its effect on the row. */
export async function recordDecision(
  batch: Batch,
  result: RowResult,
  { decision, decidedAtMs }: Pick<PersonDecision, 'decision' | 'decidedAtMs'>,
  { store }: ResolutionWorld,
): Promise<void> {
  const { number, state, operation } = result;
  await store.decide(batch.id, result, { number, decision, state, operation, decidedAtMs });
}

function unsafeFailure(code: string, message: string, more: FailureFacts = {}): Failure {
  return new Failure('unsafe', message, { code, outcome: 'not_sent', ...more });
}

/** The states in which a person may decide. */
export const DECIDABLE = OPEN_STATES;

/**
 * Decides if the operation is the row's own: it has the reference, agrees, and was made when the row left. Any other is an older payment that counts
 * for the row. A failed one counts only if it may be the row's own, or if the row's key has made it. A row whose key has made another payment is
 * never confirmed.
 * @param facts `isHeld`: another row was settled with it. `isOfKey`: the row's key has made it. `when`: the time as text
 * @returns the result, or a sentence why the operation cannot be the row's
 */
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

/** Returns the new state of a row with a contradicted operation, after a person has asked for the operation's state. */
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
  // The operation did not pay the row, so the row goes back to its earlier state.
  const earlierState = sentAtMs === null ? 'planned' : 'unknown';
  return { number, sentAtMs, ...NO_OPERATION, state: earlierState, code: null, detail: null };
}

/** Marks the row as failed, so that a retry sends it with the same key. @param when the time as text */
export function decideNotPaid({ number, sentAtMs }: ShownRow, when: string): RowResult {
  const detail = `A person decided at ${when}: it was not paid.`;
  return { number, sentAtMs, ...NO_OPERATION, state: 'failed', code: 'not_paid', detail };
}
