import type { Batch } from '../storage/batches/batch.js';
import { collectOften, streamInLittleMemory } from '../runtime/memory.js';
import type { Run } from '../command/command.js';
import { readSendingFlags, type SendingFlags } from './flags.js';
import { openBatch } from './open-batch.js';
import type { BulkJob } from './batch-run.js';
import { printerOfBatch } from './print-summary.js';
import { askConfirmAndSend } from './send-file.js';

export async function resumeBatch(run: Run<SendingFlags>, name: string): Promise<void> {
  await using job = await openJob(run, name, 'send');
  await askConfirmAndSend(job.batch, { ...job, sending: { ...job.sending, clearsStop: true } });
}

export async function openJob(
  run: Run<SendingFlags>,
  name: string,
  mode: 'send' | 'alone',
): Promise<BulkJob & AsyncDisposable & { readonly batch: Batch }> {
  streamInLittleMemory();
  collectOften();
  const sending = readSendingFlags(run.flags);
  const printer = await printerOfBatch(run.ports, run.flags);
  return { ...(await openBatch(run, name, mode, sending)), sending, printer };
}
