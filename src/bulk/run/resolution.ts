/** Takes a person's decision about a row with an unknown outcome, checks it against service, feed and stores, and gives the new state. */
import { SERVICE_CLOCKS_MS } from '../../contract/limits.js';
import { type OperationFacts, agrees, isOlder } from '../../contract/operation-facts.js';
import { Failure } from '../../runtime/failure.js';
import { isBefore, paymentsIn, type KnownPayment } from '../check/payments.js';
import type { BatchStore } from '../store/batch-store.js';
import type { Batch } from '../store/batch.js';
import type { Decided, RowResult, ShownRow } from '../store/row.js';
import { KEY_REUSED, olderStanding, operationFacts, OWN_MAX_MS } from './verdict.js';
import { askOfKey, hasMade, knownOf, type ProbeResult, type RowWorld } from './row-evidence.js';
import type { Direction } from '../../contract/operation.js';
import { foldReference } from '../../contract/reference.js';
import { OPEN } from '../row-state.js';

export interface ResolutionWorld extends RowWorld {
  readonly store: BatchStore;
  /** The moment of the decision, as people read it. */
  readonly when: string;
}

/** The row became this operation, or this one stands for it. @throws Failure `unsafe` where it can't be */
export async function resolveToOperation(
  batch: Batch,
  row: ShownRow,
  operation: OperationFacts,
  world: ResolutionWorld,
): Promise<RowResult> {
  const holders = await world.store.holders(operation.id);
  const isOfKey = operation.status === 'failed' && (await hasMade(batch, row, holders, world));
  const facts = { isHeld: holders.length > 0, isOfKey };
  const result = decideOperation(row, batch.direction, operation, { ...facts, when: world.when });
  if ('refusal' in result) throw refused('operation_differs', `${result.refusal} The row stays as it was.`);
  return result;
}

/** What the service says about the row's key, before a person's word counts. */
export interface NotPaidEvidence {
  readonly probe: Exclude<ProbeResult, 'payment'>;
}

/**
 * Whether the row may be called unpaid.
 * @throws Failure `unsafe` where its key has made a payment, or the feed holds one that may be its own
 */
export async function evidenceAgainstPayment(
  batch: Batch,
  row: ShownRow,
  world: ResolutionWorld,
): Promise<NotPaidEvidence> {
  if (row.code === KEY_REUSED) {
    const { operations } = await knownOf(batch, row, world);
    throw paymentExists(
      row,
      operations.filter(({ status }) => status !== 'failed').map(({ id }) => id),
    );
  }
  const left = await paymentsThatMayBeIts(batch, row, world);
  if (left.length > 0) throw paymentFound(row, left);
  const probe = await askOfKey(batch, row, world);
  if (probe === 'payment') throw paymentExists(row);
  return { probe };
}

/** What is recorded where the row was not paid. */
export function notPaid(row: ShownRow, { probe }: NotPaidEvidence, { when }: ResolutionWorld): RowResult {
  const evidence =
    probe === 'no_payment' ? 'the service has no payment under its key' : 'no evidence but their word';
  return decideNotPaid(row, evidence, when);
}

/** Records it, and what it makes of the row. */
export async function recordDecision(
  batch: Batch,
  result: RowResult,
  { decision, decidedAtMs }: Pick<Decided, 'decision' | 'decidedAtMs'>,
  { store }: ResolutionWorld,
): Promise<void> {
  const { number, state, operation } = result;
  await store.decide(batch.id, result, { number, decision, state, operation, decidedAtMs });
}

/** Payments of its reference that nothing of this machine has sent and that were not made before it left. */
async function paymentsThatMayBeIts(
  batch: Batch,
  row: ShownRow,
  world: ResolutionWorld,
): Promise<KnownPayment[]> {
  const payments = paymentsIn(await knownOf(batch, row, world), batch.direction);
  const leftMs = row.sentAtMs ?? -Infinity;
  return payments.filter(
    (payment) =>
      payment.source.kind === 'feed' &&
      (payment.atMs === null || payment.atMs >= leftMs - SERVICE_CLOCKS_MS) &&
      !(batch.sinceMs !== null && isBefore(payment, batch.sinceMs)),
  );
}

/** @param ids those of its reference that the events have */
function paymentExists({ reference }: ShownRow, ids: readonly string[] = []): Failure {
  const head = `The service has a payment under the key of ${reference}. Nothing was changed. Name it with --operation`;
  return ids.length === 0
    ? refused('payment_exists', `${head}. It may be pending: pending operations have no event yet.`)
    : refused('payment_exists', `${head}. The events have these of its reference:`, ids);
}

function paymentFound({ reference }: ShownRow, left: readonly KnownPayment[]): Failure {
  const ids = left.map(({ operation }) => operation ?? '?');
  const head = `The events may have the payment of ${reference}. Nothing was changed. Name the right one with --operation:`;
  return refused('operation_found', head, ids);
}

function refused(code: string, message: string, items?: readonly string[]): Failure {
  return new Failure('unsafe', message, { code, outcome: 'not_sent', items });
}

/** The rows that a person may decide about: everything else is settled. */
export const DECIDABLE = OPEN;

/** A decision that can't be taken: why, as a sentence. */
interface Refusal {
  readonly refusal: string;
}

/** Who has made an operation, as far as the stores of this machine and the service know it. */
interface OperationMaker {
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
