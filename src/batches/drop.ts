import { renderNote } from '../output/error-prose.js';
import type { Run } from '../command/command.js';
import { requireBatch } from './open-batch.js';
import { printerOfBatch } from './print-summary.js';

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
