import type { Batch } from '../storage/batches/batch-store.js';
import { collectOften, streamInLittleMemory } from '../runtime/memory.js';
import type { Run } from '../command/command.js';
import { readSendingFlags, type SendingFlags } from './flags.js';
import { openBatch } from './open-batch.js';
import { type BulkJob, clearanceQuestion, clearanceWorld, judgeBatch } from './batch-run.js';
import { printerOfBatch } from './print-summary.js';
import { askConfirmAndSend, confirmTotals, requiredLetters } from './send-file.js';
import { counted } from '../contract/on-screen.js';
import { checkBatch, announceSending } from './check/clearance.js';
import { isOneOf, RETRIABLE } from '../storage/batches/row-state.js';
import { totalsWhere } from '../storage/batches/tally.js';
import { Failure } from '../runtime/failure.js';
import { summaryOf } from './ending.js';
import type { Totals } from './confirm.js';
import { withApproval } from './approval/check-approval.js';
import { expiredFailure } from './approval/refusals.js';
import { sendBatch } from './send.js';

export async function resumeBatch(run: Run<SendingFlags>, name: string): Promise<void> {
  await using job = await openJob(run, name, 'send');
  await askConfirmAndSend(job.batch, { ...job, sending: { ...job.sending, clearsStop: true } });
}

async function openJob(
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

export async function retryBatch(run: Run<SendingFlags>, name: string): Promise<void> {
  await using unapprovedJob = await openJob(run, name, 'alone');
  const { batch, store, session } = unapprovedJob;
  if (await store.lacksBodies(batch.id, RETRIABLE)) {
    const text = `The bodies of batch ${name} were removed with "svc batches forget". Nothing was sent. Put the rows into a new file, with the same references.`;
    throw new Failure('unsafe', text, { code: 'bodies_forgotten', outcome: 'not_sent' });
  }
  const job = await withApproval(batch, [...RETRIABLE, 'accepted', 'earlier'], unapprovedJob);
  const { approvedPlan } = job;
  const judgeTotals = async (): Promise<Totals> => {
    const retriableTotals = totalsWhere(batch, await store.tally(batch.id), (state) =>
      isOneOf(RETRIABLE, state),
    );
    if (approvedPlan?.hasExpired === true && retriableTotals.size > 0)
      throw expiredFailure(approvedPlan.head, retriableTotals, 'failed');
    const approvals = approvedPlan?.approvals ?? 0;
    await judgeBatch(batch, { isAdmitted: false, states: RETRIABLE, approvals }, job);
    return retriableTotals;
  };
  const question = clearanceQuestion(batch, job, RETRIABLE, false);
  const world = clearanceWorld(job);
  const totalsBefore = await judgeTotals();
  const clearance = await checkBatch(batch, question, world);
  // Counts the totals again, because `checkBatch` may have found more failed rows.
  const totals = await judgeTotals();
  if (totalsBefore.size + totals.size === 0) {
    const { resume_command: resume } = summaryOf(name, batch, await store.tally(batch.id), run.flags);
    throw new Failure('usage', `Batch ${name} has no failed or rejected rows. Nothing was sent.`, {
      nextCommand: resume ?? undefined,
    });
  }
  const letters = await requiredLetters(job);
  await confirmTotals(batch, totals, { states: RETRIABLE, letters }, job);
  const renewedNumbers = await announceSending(batch, clearance, question, world);
  await session.note(`Retrying ${counted(renewedNumbers.length, 'row')} of batch ${name}.`);
  await sendBatch(batch, job, renewedNumbers);
}
