import { renderNote } from '../output/error-prose.js';
import type { Run } from '../command/command.js';
import { requireBatch } from './open-batch.js';
import { printerOfBatch } from './print-summary.js';
import { dropBodies, FINAL_STATES } from '../storage/batches/retention.js';
import { isOneOf, ROW_STATES } from '../storage/batches/row-state.js';
import { countOf } from '../storage/batches/tally.js';
import type { Batch, BatchStore } from '../storage/batches/batch-store.js';
import { rowBlocks } from '../storage/batches/row-blocks.js';
import type { TallyEntry } from '../storage/batches/row.js';
import { Failure } from '../runtime/failure.js';
import { whereIn } from '../session/place-flags.js';
import { printerOfAnything } from '../command/printer.js';
import { batchCommand, summaryOf } from './ending.js';

export async function dropBatch(run: Run, name: string): Promise<void> {
  const { ports, flags } = run;
  const printer = await printerOfBatch(ports, flags);
  const stores = await run.app.stores();
  await using store = await stores.lockBatch(name, 'alone');
  const batch = await requireBatch(store, name, stores);
  const droppedRows = await store.dropUnsent(batch.id);
  const tally = await store.tally(batch.id);
  if (tally.length === 0) await store.discard(batch.id);
  const answer = { batch: name, rows_dropped: droppedRows, batch_removed: tally.length === 0 };
  await printer.answer(Buffer.from(JSON.stringify(answer)));
  if (droppedRows === 0 || flags.quiet) return;
  const nextStep = tally.length === 0 ? 'run the file again' : 'put them into a file of their own';
  const note = `These rows are in no batch now. To send them, ${nextStep}.`;
  await ports.errors.write(renderNote(note, ports.errors));
}

export async function forgetBatch(run: Run, name: string): Promise<void> {
  const { ports, flags } = run;
  const printer = await printerOfAnything(ports, flags);
  const stores = await run.app.stores();
  await using store = await stores.lockBatch(name, 'alone');
  const batch = await requireBatch(store, name, stores);
  const tally = await store.tally(batch.id);
  const isUnsent = await wasNeverSent(batch, store, tally);
  const isFinal = tally.every((entry) => isOneOf(FINAL_STATES, entry.state) && countOf(entry) !== 'pending');
  if (!isUnsent && !isFinal) {
    const where = whereIn(batch.environment, flags, ports.env['SVC_ENV'] === 'live');
    const { resume_command: resume } = summaryOf(name, batch, tally, where);
    const text = `Batch ${name} is not finished: its open rows need their bodies. Nothing was removed.`;
    const nextCommand = resume ?? batchCommand('status', name, where);
    throw new Failure('unsafe', text, { code: 'not_finished', outcome: 'not_sent', nextCommand });
  }
  const bodyCount = await dropBodies(store, batch.id, isUnsent ? ROW_STATES : FINAL_STATES);
  if (isUnsent) await store.discard(batch.id);
  const answer = { batch: name, bodies_removed: bodyCount, batch_removed: isUnsent };
  await printer.answer(Buffer.from(JSON.stringify(answer)));
}

/** A planned row with a later `generation` was sent before, because a retry puts a failed row back to planned. */
async function wasNeverSent(batch: Batch, store: BatchStore, tally: readonly TallyEntry[]): Promise<boolean> {
  const wasConfirmed = batch.confirmedAtMs !== null;
  if (wasConfirmed && tally.some(({ state }) => state !== 'planned')) return false;
  for await (const rows of rowBlocks((...range) => store.rows(batch.id, ...range))) {
    if (rows.some(({ generation, sentAtMs }) => sentAtMs !== null || (wasConfirmed && generation > 1)))
      return false;
  }
  return true;
}
