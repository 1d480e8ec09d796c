import { SERVICE_CLOCKS_MS } from '../../contract/limits.js';
import type { OperationFacts } from '../../contract/operation-facts.js';
import { Failure, type FailureFacts } from '../../runtime/failure.js';
import { type Knowledge, NO_EVIDENCE, paymentsOfRows } from '../../payments/known/evidence.js';
import { splitPayments } from '../../payments/known/payments.js';
import type { BatchStore } from '../../storage/batches/batch-store.js';
import type { Batch } from '../../storage/batches/batch.js';
import type { PersonDecision, Holder, RowResult, ShownRow } from '../../storage/batches/row.js';
import { CONTRADICTED, GONE } from '../../contract/operation.js';
import { OPEN_STATES } from '../../storage/batches/row-state.js';
import { decideOperation } from '../../payments/known/person-decision.js';
import { refusePending } from '../../payments/requests/refusals.js';

export interface ResolutionWorld {
  readonly store: BatchStore;
  readonly knowledge: Knowledge;
  readonly when: string;
  readonly operationExists: (operation: string) => Promise<boolean>;
  readonly followCommand: (batch: string) => string;
  readonly nameCommand: (operation: string) => string;
}

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

/** The row keeps its key: if it was paid after all, the service answers the retry with that payment. */
export async function refuseNotPaid(batch: Batch, row: ShownRow, world: ResolutionWorld): Promise<void> {
  const [evidence] = await paymentsOfRows(batch, [row], world);
  const { evidence: found, payments } = evidence ?? { evidence: NO_EVIDENCE, payments: [] };
  const leftMs = (row.sentAtMs ?? -Infinity) - SERVICE_CLOCKS_MS;
  // Only a payment that is known from the feed alone, and that is not older than the row's request, may be the row's own.
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

export const DECIDABLE = OPEN_STATES;
