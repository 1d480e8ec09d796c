import { referenceMark } from '../contract/marks.js';
import { isSameId } from '../contract/notation.js';
import { CONTRADICTED, GONE } from '../contract/operation.js';
import {
  confirmUnpaid,
  requireOperation,
  recordEnd,
  undecidedFailure,
} from '../payments/operations/record-end.js';
import {
  DECIDABLE,
  refuseNotPaid,
  recordDecision,
  resolveToOperation,
  type ResolutionWorld,
} from './run/resolve-row.js';
import { paymentNoteBody } from '../contract/key-use.js';
import { settleTakeover } from './check/takeover.js';
import { isOneOf } from '../storage/batches/row-state.js';
import type { BatchStore } from '../storage/batches/batch-store.js';
import type { Batch } from '../storage/batches/batch.js';
import type { ShownRow } from '../storage/batches/row.js';
import { assertBalanced } from '../storage/batches/tally.js';
import { isoSeconds } from '../runtime/clock.js';
import { escapeText } from '../output/escape.js';
import { liveTitle } from '../output/style.js';
import { Failure } from '../runtime/failure.js';
import { flagWords } from '../runtime/shell.js';
import type { Run } from '../command/command.js';
import { styleForErrors } from '../command/line/terminal.js';
import { batchCommand, summaryOf } from './ending.js';
import { printerOfBatch, printSummary } from './print-summary.js';
import { clearanceWorld } from './batch-run.js';
import type { CheckFlags } from './flags.js';
import { lookUp } from '../command/read.js';
import { openBatch } from './open-batch.js';
import { decideNotPaid } from '../payments/known/person-decision.js';
import { KEY_REUSED } from '../contract/attempt.js';

export interface ResolveFlags extends CheckFlags {
  readonly reference: string;
  readonly operation?: string | undefined;
}

const RESOLVE_OPTIONS = { pace: { concurrency: 1, ratePerSecond: null }, mode: 'alone' } as const;

/** Sends nothing that could pay. */
export async function resolveRow(run: Run<ResolveFlags>, name: string): Promise<void> {
  const { ports, flags } = run;
  const printer = await printerOfBatch(ports, flags);
  await using opened = await openBatch(run, name, RESOLVE_OPTIONS);
  const { batch, store, session, known } = opened;
  await settleTakeover(batch, clearanceWorld(opened));
  const row = await openRowOf(batch, store, flags);
  const nowMs = ports.clock.now();
  const world: ResolutionWorld = {
    ...{ store, knowledge: known.knowledge, when: isoSeconds(nowMs) },
    followCommand: (otherBatch) => batchCommand('resume', otherBatch, flags, '--wait'),
    nameCommand: (id) =>
      batchCommand('resolve', name, flags, ...flagWords('--reference', row.reference), '--operation', id),
    operationExists: async (id) => {
      const exists = (await lookUp(id, opened)) !== null;
      // The service does not have the operation, so a single create that made it no longer counts as paid.
      if (!exists) await known.journal.noteStatus(id, GONE);
      return exists;
    },
  };
  const operation = flags.operation === undefined ? null : await requireOperation(flags.operation, opened);
  if (operation !== null && (!isOneOf(DECIDABLE, row.state) || row.code === CONTRADICTED)) {
    const { environment } = batch;
    await recordEnd(operation, { ...known, mirror: known.mirror.mirror, environment }, opened);
  } else if (operation !== null) {
    const result = await resolveToOperation(batch, row, operation, world);
    await recordDecision(batch, result, { decision: 'operation', decidedAtMs: nowMs }, world);
  } else {
    await refuseNotPaid(batch, row, world);
    if (session.environment === 'live' && !flags.yes)
      await confirmUnpaid(opened, () => unpaidQuestion(row, opened));
    // Other data used this key, so the note lets a retry go on to the next key.
    if (row.code === KEY_REUSED)
      await known.knowledge.keys.note(row.key, 'not_paid', paymentNoteBody(batch.direction, row.reference));
    const result = decideNotPaid(row, world.when);
    await recordDecision(batch, result, { decision: 'not_paid', decidedAtMs: nowMs }, world);
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
  if (isDecidedOperation || isOneOf(DECIDABLE, row.state)) return row;
  const text = `The row ${reference} is ${row.state}: there is nothing to decide.`;
  throw undecidedFailure('not_decidable', text);
}

async function unpaidQuestion(row: ShownRow, { ports, flags }: Run<ResolveFlags>): Promise<string> {
  const payment = escapeText(`${row.reference}, ${row.currency} ${row.amount}`);
  const style = await styleForErrors(ports, flags);
  return `${liveTitle(style)}\nAfter this, a retry pays: ${style.strong(payment)}\n${style.strong('If it was not paid, type yes:')} `;
}
