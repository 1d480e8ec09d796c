/** Takes a person's word about a row whose outcome is not known, as far as the service, the feed and the books bear it out. */
import { SERVICE_CLOCKS_MS } from '../../contract/limits.js';
import type { OperationFacts } from '../../contract/operation-facts.js';
import { Failure } from '../../runtime/failure.js';
import { isBefore } from '../check/identity.js';
import { paymentsIn, type KnownPayment } from '../check/payments.js';
import type { BatchStore } from '../store/batch-store.js';
import type { Batch } from '../store/batch.js';
import type { Decided, RowResult, ShownRow } from '../store/row.js';
import { KEY_REUSED } from './verdict.js';
import { decideNotPaid, decideOperation } from './decision.js';
import { askOfKey, hasMade, knownOf, type ProbeResult, type RowWorld } from './row-evidence.js';

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
  if (row.code === KEY_REUSED) throw paymentExists(row);
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

function paymentExists({ reference }: ShownRow): Failure {
  return refused(
    'payment_exists',
    `The service has a payment under the key of ${reference}. Nothing was changed. Name it with --operation. If no event has it yet, ` +
      'it is still pending: pending operations have no event yet.',
  );
}

function paymentFound({ reference }: ShownRow, left: readonly KnownPayment[]): Failure {
  const ids = left.map(({ operation }) => operation ?? '?');
  const head = `The events may have the payment of ${reference}. Nothing was changed. Name the right one with --operation:`;
  return refused('operation_found', head, ids);
}

function refused(code: string, message: string, items?: readonly string[]): Failure {
  return new Failure('unsafe', message, { code, outcome: 'not_sent', items });
}
