import type { KeptSignature, Batch, BatchStore } from '../storage/batches/batch-store.js';
import type { RowResult } from '../storage/batches/row.js';
import { COUNTS } from '../storage/batches/row-state.js';
import type { Knowledge } from '../payments/known/evidence.js';
import { findCorrections } from './check/paid-since.js';
import { assertBalanced } from '../storage/batches/tally.js';
import { readChoices } from '../session/target.js';
import { profileOf } from '../session/settings.js';
import { isoSeconds } from '../runtime/clock.js';
import { renderNote } from '../output/error-prose.js';
import { Failure } from '../runtime/failure.js';
import type { Run } from '../command/command.js';
import { type Where, whereIn } from '../session/place-flags.js';
import { planHeadOf, stopFacts, summaryOf } from './ending.js';
import { openLocalKnowledge } from './check/knowledge.js';
import { requireBatch } from './open-batch.js';
import { printerOfBatch, printNextCommand, printSummary } from './print-summary.js';
import { shortDigest } from './approval/refusals.js';
import { NAMESPACES, readSignature, SignatureDamaged } from './approval/signature.js';
import type { Stores } from '../storage/stores.js';
import { printerOfAnything } from '../command/printer.js';

const COLUMNS = ['batch', 'rows', ...COUNTS, 'type', 'environment', 'created_at', 'address'] as const;

const TAKEOVER_NOTE =
  'Another database server has taken over. Rows that were sent may stand here as not sent. A resume looks for them before it sends anything.';

export async function listBatches(run: Run): Promise<void> {
  const { ports, flags } = run;
  const printer = await printerOfAnything(ports, flags, 'batches', {
    columns: COLUMNS,
    render: async () => (await import('./view.js')).renderBatchList,
  });
  const stores = await run.app.stores();
  await using store = await stores.openBatches();
  const batches = [];
  const { isShared } = stores.where;
  for (const batch of await store.list()) {
    const { batch: name, address, ...head } = headOf(batch);
    const summary = summaryOf(name, batch, await store.tally(batch.id), {});
    const counts = Object.fromEntries(COUNTS.map((count) => [count, summary[count]]));
    const workers = isShared ? await store.workers(batch.id) : [];
    const workersAtWork = workers.filter(({ state }) => state === 'at_work').length;
    batches.push({
      batch: name,
      rows: summary.rows,
      ...counts,
      ...(isShared && { at_work: workersAtWork }),
      ...(await planOf(batch, store)),
      ...head,
      address,
    });
  }
  await printer.answer(Buffer.from(JSON.stringify({ batches })));
}

export async function showBatch(run: Run, name: string): Promise<void> {
  const { ports, flags } = run;
  const printer = await printerOfBatch(ports, flags);
  const stores = await run.app.stores();
  await using store = await stores.openBatches();
  const batch = await requireBatch(store, name, stores);
  const skippedPayments = planHeadOf(batch)?.skipped_pending ?? [];
  await using knowledge = await openLocalKnowledge(batch, stores);
  await recordKnownPayments(batch, store, knowledge, stores);
  const operations = await knowledge.findByIds(skippedPayments.map(({ operation }) => operation));
  const tally = await store.tally(batch.id);
  assertBalanced(batch, tally);
  const head = { ...headOf(batch), file: batch.file, file_sha256: batch.fileHash, profile: batch.profile };
  const plan = await planOf(batch, store);
  const sharing = await sharedFacts(batch, store, stores.where.address);
  const isTakenOver = (await store.findChangedServer(batch.id)) !== null;
  const placeFlags = whereOf(batch, run);
  const statusOf = (operation: string): string => operations.get(operation)?.status ?? 'pending';
  const skippedPending = skippedPayments.map((one) => ({ ...one, status: statusOf(one.operation) }));
  const summary = {
    ...summaryOf(name, batch, tally, placeFlags),
    ...(skippedPending.length > 0 && { skipped_pending: skippedPending }),
  };
  await printSummary(summary, { batch, store, where: placeFlags }, printer, { ...head, ...plan, ...sharing });
  if (isTakenOver && !flags.quiet) await ports.errors.write(renderNote(TAKEOVER_NOTE, ports.errors));
  await printNextCommand(summary, printer, ports, { ...flags, ...placeFlags });
}

/** Ignores a `Failure`, because another run may hold the batch and record the payments itself. */
async function recordKnownPayments(batch: Batch, store: BatchStore, knowledge: Knowledge, stores: Stores) {
  const readPayments = async (): Promise<readonly RowResult[]> =>
    (await findCorrections(batch, { store, knowledge })).results;
  if ((await readPayments()).length === 0) return;
  try {
    await using lockedStore = await stores.lockBatch(batch.name, 'alone');
    await lockedStore.exchange(batch.id, await readPayments(), null);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
  }
}

function whereOf({ environment, address, profile: batchProfile }: Batch, { flags, ports }: Run): Where {
  const placeFlags = whereIn(environment, flags, ports.env['SVC_ENV'] === 'live');
  const { profile, settings } = readChoices(ports, placeFlags);
  const isOtherProfile =
    flags.profile === undefined &&
    batchProfile !== null &&
    batchProfile !== profile?.value.name &&
    profileOf(settings, batchProfile) !== null;
  const suggestedFlags = isOtherProfile ? { ...placeFlags, profile: batchProfile } : placeFlags;
  if (environment !== 'live' || !address.startsWith('http:')) return suggestedFlags;
  const { insecureLoopback } = readChoices(ports, suggestedFlags);
  return insecureLoopback.value ? suggestedFlags : { ...suggestedFlags, 'insecure-loopback': true };
}

function headOf(batch: Batch) {
  const { name, direction, environment, address, createdAtMs } = batch;
  return { batch: name, type: direction, environment, address, created_at: isoSeconds(createdAtMs) };
}

async function sharedFacts({ id }: Batch, store: BatchStore, state: string | null) {
  if (state === null) return {};
  const sharing = await store.sharing(id);
  const { paused_until = null, stopped = null, confirmed_by = null } = sharing ?? {};
  const workers = await store.workers(id);
  const stop = stopped === null ? null : stopFacts(stopped);
  return { workers, paused_until, stopped: stop, confirmed_by, state };
}

async function planOf(batch: Batch, store: BatchStore): Promise<{ readonly plan?: object }> {
  const { id, approval } = batch;
  if (approval === null) return {};
  const signerEntries = (await store.signatures(id)).filter(({ signer }) => signer !== null);
  const [makerMember] = signerEntries.filter(isOfMaker).map(({ signer }) => ({ made_by: signer }));
  const approvedBy = signerEntries.filter((one) => !isOfMaker(one)).map(({ signer }) => signer);
  const digest = shortDigest(approval.digest);
  const { maker: made_by, valid_until } = planHeadOf(batch) ?? {};
  return { plan: { digest, made_by, valid_until, ...makerMember, approved_by: approvedBy } };
}

function isOfMaker({ bytes }: KeptSignature): boolean {
  try {
    return readSignature(bytes).namespace === NAMESPACES.maker;
  } catch (error) {
    if (error instanceof SignatureDamaged) return false;
    throw error;
  }
}
