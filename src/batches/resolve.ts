import { referenceMark } from '../contract/marks.js';
import { isSameId } from '../contract/notation.js';
import { CONTRADICTED, GONE } from '../contract/operation.js';
import {
  confirmUnpaid,
  requireOperation,
  recordEnd,
  undecidedFailure,
  refusePending,
} from '../payments/operations/record-end.js';
import { paymentNoteBody } from '../contract/key-use.js';
import { settleTakeover } from './check/takeover.js';
import { isOneOf, OPEN_STATES } from '../storage/batches/row-state.js';
import type { Batch, BatchStore } from '../storage/batches/batch-store.js';
import type { PersonDecision, RowResult, ShownRow } from '../storage/batches/row.js';
import { SERVICE_CLOCKS_MS } from '../contract/limits.js';
import { type EvidenceWorld, NO_EVIDENCE, paymentsOfRows } from '../payments/known/evidence.js';
import { splitPayments } from '../payments/known/payments.js';
import { assertBalanced } from '../storage/batches/tally.js';
import { isoSeconds } from '../runtime/clock.js';
import { escapeText } from '../output/escape.js';
import { liveTitle } from '../output/style.js';
import { Failure, type FailureFacts } from '../runtime/failure.js';
import { flagWords } from '../runtime/shell.js';
import type { Run } from '../command/command.js';
import { styleForErrors } from '../command/line/terminal.js';
import { batchCommand, summaryOf } from './ending.js';
import { printerOfBatch, printSummary } from './print-summary.js';
import { clearanceWorld } from './batch-run.js';
import type { CheckFlags } from './flags.js';
import { lookUp } from '../command/read.js';
import { openBatch } from './open-batch.js';
import { decideNotPaid, decideOperation } from '../payments/known/row-outcome.js';
import { KEY_REUSED } from '../contract/attempt.js';

export interface ResolveFlags extends CheckFlags {
  readonly reference: string;
  readonly operation?: string | undefined;
}

export async function resolveRow(run: Run<ResolveFlags>, name: string): Promise<void> {
  const { ports, flags } = run;
  const printer = await printerOfBatch(ports, flags);
  await using job = await openBatch(run, name, 'alone', { concurrency: 1, ratePerSecond: null });
  const { batch, store, session, sources } = job;
  await settleTakeover(batch, clearanceWorld(job));
  const row = await openRowOf(batch, store, flags);
  const nowMs = ports.clock.now();
  const when = isoSeconds(nowMs);
  const world: ResolutionWorld = {
    store,
    knowledge: sources.knowledge,
    followCommand: (otherBatch) => batchCommand('resume', otherBatch, flags, '--wait'),
    nameCommand: (id) =>
      batchCommand('resolve', name, flags, ...flagWords('--reference', row.reference), '--operation', id),
    operationExists: async (id) => {
      const exists = (await lookUp(id, job)) !== null;
      if (!exists) await sources.journal.noteStatus(id, GONE);
      return exists;
    },
  };
  const recordDecision = (result: RowResult, decision: PersonDecision['decision']): Promise<void> => {
    const { number, state, operation } = result;
    return store.decide(batch.id, result, { number, decision, state, operation, decidedAtMs: nowMs });
  };
  const operation = flags.operation === undefined ? null : await requireOperation(flags.operation, job);
  if (operation !== null && (!isOneOf(OPEN_STATES, row.state) || row.code === CONTRADICTED)) {
    const { environment } = batch;
    await recordEnd(operation, { ...sources, mirror: sources.mirror.mirror, environment }, job);
  } else if (operation !== null) {
    const holders = (await store.holders([operation.id])).filter(
      (holder) => holder.batch !== name || holder.line !== row.line,
    );
    const facts = { isHeld: holders.length > 0, isOfKey: holders.some(({ key }) => key === row.key) };
    const result = decideOperation(row, batch.direction, operation, { ...facts, when });
    if ('refusal' in result)
      throw unsafeFailure('operation_differs', `${result.refusal} The row stays as it was.`);
    await recordDecision(result, 'operation');
  } else {
    await refuseNotPaid(batch, row, world);
    if (session.environment === 'live' && !flags.yes)
      await confirmUnpaid(job, async () => {
        const payment = escapeText(`${row.reference}, ${row.currency} ${row.amount}`);
        const style = await styleForErrors(ports, flags);
        return `${liveTitle(style)}\nAfter this, a retry pays: ${style.strong(payment)}\n${style.strong('If it was not paid, type yes:')} `;
      });
    // Lets a retry use the next key, because a request with another body used this one.
    if (row.code === KEY_REUSED)
      await sources.knowledge.keyNotes.note(
        row.key,
        'not_paid',
        paymentNoteBody(batch.direction, row.reference),
      );
    await recordDecision(decideNotPaid(row, when), 'not_paid');
  }
  const tally = await store.tally(batch.id);
  assertBalanced(batch, tally);
  await printSummary(summaryOf(name, batch, tally, flags), { batch, store, where: flags }, printer);
}

async function openRowOf(batch: Batch, store: BatchStore, flags: ResolveFlags): Promise<ShownRow> {
  const { reference, operation } = flags;
  const row = await store.rowOfMark(batch.id, referenceMark(reference));
  if (row === null)
    throw new Failure('not_found', `Batch ${batch.name} has no row with the reference ${reference}.`);
  const isDecidedOperation = operation !== undefined && isSameId(row.operation ?? '', operation);
  if (isDecidedOperation || isOneOf(OPEN_STATES, row.state)) return row;
  const text = `The row ${reference} is ${row.state}: there is nothing to decide.`;
  throw undecidedFailure('not_decidable', text);
}

interface ResolutionWorld extends EvidenceWorld {
  readonly operationExists: (operation: string) => Promise<boolean>;
  readonly followCommand: (batch: string) => string;
  readonly nameCommand: (operation: string) => string;
}

async function refuseNotPaid(batch: Batch, row: ShownRow, world: ResolutionWorld): Promise<void> {
  const [rowEvidence] = await paymentsOfRows(batch, [row], world);
  const { evidence, payments } = rowEvidence ?? { evidence: NO_EVIDENCE, payments: [] };
  const earliestMs = (row.sentAtMs ?? -Infinity) - SERVICE_CLOCKS_MS;
  const candidates = splitPayments(payments, batch).blocking.filter(
    ({ source, atMs }) => source.kind === 'feed' && (atMs === null || atMs >= earliestMs),
  );
  const candidateIds = new Set(candidates.map(({ operation }) => operation));
  if (
    row.code === CONTRADICTED ||
    (row.status === GONE && (await world.operationExists(row.operation ?? '')))
  )
    candidateIds.add(row.operation);
  if (candidateIds.size === 0 && row.status === GONE)
    refusePending(evidence, row.operation, world.followCommand);
  if (candidateIds.size === 0) return;
  const message = `The events may have the payment of ${row.reference}. Nothing was changed. Name the right one with --operation:`;
  const items = Array.from(candidateIds, (id) => id ?? '?');
  const [id = '', ...otherIds] = items;
  const otherCommand = { when: 'If this is its payment', line: world.nameCommand(id) };
  throw unsafeFailure('operation_found', message, { items, ...(otherIds.length === 0 && { otherCommand }) });
}

function unsafeFailure(code: string, message: string, more: FailureFacts = {}): Failure {
  return new Failure('unsafe', message, { code, outcome: 'not_sent', ...more });
}
