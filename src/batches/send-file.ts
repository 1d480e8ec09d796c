import { counted, enumerated } from '../contract/on-screen.js';
import { resolve, basename, extname } from 'node:path';
import { checkBatch, announceSending, type Clearance } from './check/clearance.js';
import type { Batch, BatchStore } from '../storage/batches/batch-store.js';
import { isOneOf, isUncertain, SENDABLE } from '../storage/batches/row-state.js';
import { totalsWhere } from '../storage/batches/tally.js';
import { isBatchName } from '../contract/notation.js';
import type { Direction } from '../contract/operation.js';
import { isoSeconds } from '../runtime/clock.js';
import { collectOften, streamInLittleMemory } from '../runtime/memory.js';
import { maskOfKey, serviceAddressOf } from '../session/address.js';
import { type Run, inSession } from '../command/command.js';
import { judgeBatch, clearanceQuestion, clearanceWorld, type BulkJob } from './batch-run.js';
import { expiryFailure, statesToSend, withApproval } from './approval/check-approval.js';
import { lettersOf, requireCompany } from './check/company.js';
import { confirmBatch, type ConfirmationFacts, refuseOtherTotals, type Totals } from './confirm.js';
import { summaryOf } from './ending.js';
import { rowMethods } from '../payments/body-flags.js';
import { readSince } from '../runtime/typed-time.js';
import { readSendingFlags, type BulkFlags, type PlanFlags } from './flags.js';
import {
  finishedFailure,
  requireSameTarget,
  requireSameFile,
  requireSameSince,
  inKnowledge,
} from './open-batch.js';
import { planFile } from './plan-rows.js';
import { sendBatch } from './send.js';
import { printerOfBatch, printSummary } from './print-summary.js';
import { printerOfAnything } from '../command/printer.js';
import { Failure, usageFailure } from '../runtime/failure.js';
import type { Session } from '../session/session.js';
import { templateOf } from './file/template.js';
import { fetchCatalogNow } from './plan/fetch-catalog.js';

export async function runFile(run: Run<BulkFlags & PlanFlags>, direction: Direction, path: string) {
  const { ports, flags } = run;
  streamInLittleMemory();
  collectOften();
  const { plan } = flags;
  if (plan !== undefined || flags['ssh-key'] !== undefined || flags['valid-for'] !== undefined)
    (await import('./approval/make-plan.js')).requirePlanFlags(flags);
  const sending = readSendingFlags(flags);
  const since = readSince(flags['new-since'], ports.zone);
  const sinceMs = since?.ms ?? null;
  const printer = await (plan === undefined ? printerOfBatch : printerOfAnything)(ports, flags);
  await using knowledgeJob = await inKnowledge(run, sending);
  const stores = await run.app.stores();
  const { session, sources } = knowledgeJob;
  if (since !== null && since.note !== null) await session.note(since.note);
  const name = nameOf(flags.batch, path, session);
  const prepare = (store: BatchStore) => {
    const job = { ...knowledgeJob, sending, store, printer };
    return { job, facts: { ...factsOf(job), name, direction, sinceMs, file: resolve(path) } };
  };
  if (flags['dry-run'] || plan !== undefined) {
    await using shownPlan = await stores.openShownPlan();
    const { store } = shownPlan;
    const { job, facts } = prepare(store);
    const { batch } = await planFile({ ...facts, name: shownPlan.name }, job, false);
    if (plan !== undefined) {
      const { makePlan } = await import('./approval/make-plan.js');
      await makePlan(batch, { name, path: plan, file: path }, { ...job, flags });
    } else {
      const summary = summaryOf(name, batch, await store.tally(batch.id), flags);
      const shownBatch = { batch, store, where: flags };
      await printSummary({ ...summary, resume_command: null }, shownBatch, printer, { dry_run: true });
    }
    await store.discard(batch.id);
    return;
  }
  await using store = await stores.lockBatch(name, 'send');
  const { job, facts } = prepare(store);
  const storedBatch = await store.find(name);
  if (storedBatch === null) {
    const { batch, clearance } = await planFile(facts, job, true);
    await confirmAndSend(batch, job, clearance, true);
    return;
  }
  requireSameTarget(storedBatch, facts, run);
  const [openRow] = await store.rows(storedBatch.id, -1, 1, [...SENDABLE, 'needs_review']);
  const reusedName = { batch: storedBatch, isOpen: openRow !== undefined, path: facts.file, run };
  await requireSameSince(reusedName, sinceMs);
  const batch = await requireCompany(storedBatch, store, sources.mirror, knowledgeJob);
  await requireSameFile(reusedName);
  if (openRow === undefined) throw finishedFailure(batch, flags);
  await session.note(`Batch ${name} exists: svc continues it.`);
  await askConfirmAndSend(batch, job);
}

export async function askConfirmAndSend(batch: Batch, unapprovedJob: BulkJob): Promise<void> {
  const job = await withApproval(batch, SENDABLE, unapprovedJob);
  const { approvedPlan } = job;
  // Reads the batch again, because another machine may have confirmed it.
  const { confirmedAtMs } = (await job.store.find(batch.name)) ?? batch;
  const admission = { isAdmitted: confirmedAtMs !== null, approvals: approvedPlan?.approvals ?? 0 };
  await judgeBatch(batch, { ...admission, states: statesToSend(approvedPlan) }, job);
  const question = clearanceQuestion(batch, job, SENDABLE, false);
  const clearance = await checkBatch(batch, question, clearanceWorld(job));
  await confirmAndSend(batch, job, clearance, false);
}

export async function confirmAndSend(
  batch: Batch,
  job: BulkJob,
  clearance: Clearance,
  plansFile: boolean,
): Promise<void> {
  const { store, ports, session, approvedPlan } = job;
  const current = batch.confirmedAtMs === null ? await store.find(batch.name) : batch;
  const { confirmedAtMs, confirmation } = current ?? batch;
  const tally = await store.tally(batch.id);
  const isAnyOpen = tally.some(({ state }) => isUncertain(state));
  const expiredFailure =
    approvedPlan === undefined || isAnyOpen ? null : expiryFailure(approvedPlan, batch, tally);
  if (expiredFailure !== null) throw expiredFailure;
  const isUnconfirmed = confirmedAtMs === null;
  const letters = await requiredLetters(job);
  const totals = totalsWhere(batch, tally, (state) => isOneOf(statesToSend(approvedPlan), state));
  if (isUnconfirmed) {
    await confirmTotals(batch, totals, { states: SENDABLE, letters }, job);
    await store.confirm(batch.id, ports.clock.now(), totals);
  } else {
    const batchTotals = totalsWhere(batch, tally, () => true);
    const firstTotals = confirmation === null ? [] : [confirmation.totals];
    refuseOtherTotals([totals, batchTotals, ...firstTotals], { ...job, ...job.sending });
    const confirmer = confirmation?.by ?? null;
    if (confirmation !== null && confirmer !== null)
      await session.note(
        `Batch ${batch.name} was confirmed by ${confirmer} at ${isoSeconds(confirmedAtMs)}: ${totalsText(confirmation.totals)}.`,
      );
    if (totals.size > 0) await session.note(`Left to send: ${totalsText(totals)}.`);
  }
  const question = clearanceQuestion(batch, job, SENDABLE, plansFile);
  await announceSending(batch, clearance, question, clearanceWorld(job));
  await sendBatch(batch, job);
}

function totalsText(totals: Totals): string {
  const sums = [...totals].map(([currency, sum]) => `${currency} ${sum.total} (${counted(sum.rows, 'row')})`);
  return sums.join(', ');
}

export async function requiredLetters(job: BulkJob): Promise<string | null> {
  const { sources, session, flags } = job;
  const { company: askedCompany } = flags;
  const isShown = session.environment === 'live' || askedCompany !== undefined;
  const letters = isShown ? await lettersOf(sources.mirror, job) : null;
  if (askedCompany === undefined || askedCompany.toUpperCase() === letters?.toUpperCase()) return letters;
  const text =
    letters === null
      ? `No operation shows the company of this key yet, so svc cannot check --company ${askedCompany}. Nothing was sent.`
      : `This key belongs to company ${letters}, but --company says ${askedCompany}. Nothing was sent.`;
  throw new Failure('unsafe', text, { code: 'other_company', outcome: 'not_sent' });
}

export async function confirmTotals(
  batch: Batch,
  totals: Totals,
  shownFacts: Pick<ConfirmationFacts, 'states' | 'letters'>,
  job: BulkJob,
): Promise<void> {
  const { store, sending, approvedPlan } = job;
  const isFirstHere =
    batch.environment === 'live' && batch.confirmedAtMs === null && !(await store.hasConfirmed(batch));
  const pendingHere = isFirstHere ? await store.pendingMoney(batch) : null;
  const signedTotals =
    approvedPlan !== undefined && approvedPlan.approvals > 0
      ? new Map(approvedPlan.head.totals.map(({ currency, ...sum }) => [currency, sum]))
      : null;
  const isConfirmedByOthers = signedTotals !== null && sending.confirmedTotals.size === 0;
  const amounts = new Map([...totals].map(([currency, { total }]) => [currency, total]));
  const confirmedTotals = isConfirmedByOthers ? amounts : sending.confirmedTotals;
  const acceptedTotals = signedTotals === null ? [] : [signedTotals];
  await confirmBatch(batch, totals, { ...job, ...shownFacts, acceptedTotals, confirmedTotals, pendingHere });
}

export function factsOf({ session, ports, sources }: Pick<BulkJob, 'session' | 'ports' | 'sources'>) {
  const { address, environment } = serviceAddressOf(session);
  return {
    environment,
    address,
    origin: sources.mirror.place.origin,
    company: sources.mirror.company.id,
    profile: session.target.kind === 'service' ? session.target.profile : null,
    keyMask: maskOfKey(session.key),
    createdAtMs: ports.clock.now(),
    approval: null,
  };
}

function nameOf(typedName: string | undefined, path: string, { environment }: Pick<Session, 'environment'>) {
  if (typedName === undefined && environment === 'live')
    throw usageFailure('A live batch needs a name: add --batch NAME.');
  // Composes accents, because some file systems store a letter and its accent as two characters.
  const name = typedName ?? basename(path, extname(path)).normalize('NFC').trim();
  if (isBatchName(name)) return name;
  const remedy = typedName === undefined ? ' Without --batch NAME, svc uses the name of the file.' : '';
  throw usageFailure(`A batch name must be 1 to 100 letters, digits or ._@+:- characters.${remedy}`);
}

export async function runFileOrTemplate(
  run: Run<BulkFlags & PlanFlags & { readonly method?: string | undefined }>,
  direction: Direction,
  file: string | undefined,
): Promise<void> {
  const { flags, ports } = run;
  if (!flags.template) {
    if (file === undefined) throw usageFailure(`Name the file: svc ${direction}s batch FILE.`);
    return runFile(run, direction, file);
  }
  if (file !== undefined) throw usageFailure('--template prints a file and reads none: leave FILE out.');
  const sessionRun = await inSession(run);
  const { catalog, bankOf } = await fetchCatalogNow(sessionRun);
  const { defaults } = sessionRun.session;
  const { country = defaults.country, currency = defaults.currency, method } = flags;
  const template = templateOf(direction, catalog, { country, currency, method }, bankOf);
  const methods = rowMethods(direction);
  if (template === null)
    throw usageFailure(
      method === undefined || methods.includes(method.toLowerCase())
        ? `No method of ${direction}s fits these flags: see "svc methods --direction ${direction}".`
        : `--method cannot be ${JSON.stringify(method)}: use ${enumerated(methods, 'or')}.`,
    );
  await ports.output.write(template);
}
