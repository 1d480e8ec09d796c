import { resolve } from 'node:path';
import { openPlanFile } from './file/open.js';
import { makeBatch } from './plan/batch-plan.js';
import { SENDABLE } from '../storage/batches/row-state.js';
import type { AskedApprovals, Batch, BatchFacts, BatchStore } from '../storage/batches/batch-store.js';
import { headLine } from './approval/plan/format.js';
import { Failure } from '../runtime/failure.js';
import { collectOften, streamInLittleMemory } from '../runtime/memory.js';
import { commandLine } from '../runtime/shell.js';
import { judgeBatch, type BulkJob, clearanceWorld, refusalCommands } from './batch-run.js';
import { refuseFutureTime } from '../session/session.js';
import { requireApproved, type SignedPlan } from './approval/check-approval.js';
import { fetchCatalogNow } from './plan/fetch-catalog.js';
import { requireCompany } from './check/company.js';
import { readSendingFlags, type SendingFlags } from './flags.js';
import { finishedFailure, inKnowledge } from './open-batch.js';
import { planFailure, shortDigest } from './approval/refusals.js';
import { askConfirmAndSend, confirmAndSend, factsOf } from './send-file.js';
import type { Run } from '../command/command.js';
import { openPlan } from './approval/open-plan.js';
import { findSignatures, type NamedSignature } from './approval/signature-files.js';
import type { Texts } from '../command/line/flags.js';
import { withFlags } from '../command/line/typed-words.js';
import { askedEnvironment } from '../session/place-flags.js';
import { printerOfBatch } from './print-summary.js';

const NOTHING_SENT = 'Nothing was sent.';

export async function applyPlan(
  run: Run<
    SendingFlags & Texts<'approvals' | 'signers'> & { readonly signature?: readonly string[] | undefined }
  >,
  file: string,
): Promise<void> {
  const { ports, flags } = run;
  streamInLittleMemory();
  collectOften();
  const sending = readSendingFlags(flags);
  const { approvals, signers } = flags;
  if (approvals !== undefined && (!/^[0-9]$/.test(approvals) || Number(approvals) > APPROVALS_MAX))
    throw new Failure('usage', `--approvals is a whole number from 0 to ${APPROVALS_MAX}. ${NOTHING_SENT}`);
  const signersPath = signers === undefined ? null : resolve(signers);
  const hasApprovalFlags = approvals !== undefined || signersPath !== null;
  const asked = hasApprovalFlags ? { approvals: Number(approvals ?? 0), signers: signersPath } : null;
  const printer = await printerOfBatch(ports, flags);
  await using plan = await openPlan(file, ports);
  const { head } = plan;
  const here = askedEnvironment(run);
  if (head.environment !== here) {
    const words = run.typed.filter((word) => word !== '--live' && word !== '--sandbox');
    const line = commandLine(['svc', ...withFlags(words, [`--${head.environment}`])]);
    const refusal = { code: 'plan_other_environment', plan: head.environment, here } as const;
    const failure = planFailure(head, refusal);
    // Gives no `nextCommand`, because a program might run it and so send real money.
    const facts = { ...failure.facts, otherCommand: { when: 'If you mean it', line } };
    throw new Failure(failure.kind, failure.head, facts);
  }
  const { signatures, refused: refusedFiles } = findSignatures(file, flags.signature);
  const signedPlan = { plan, signatures, asked };
  const { batch: name } = head;
  await using knowledgeJob = await inKnowledge(run, sending);
  for (const { file: refusedFile, why } of refusedFiles)
    await knowledgeJob.session.note(`Not counted: ${refusedFile} ${why}.`);
  await using store = await (await run.app.stores()).lockBatch(name, 'send');
  const job: BulkJob = { ...knowledgeJob, sending, store, printer };
  const batch = await store.find(name);
  await (batch === null ? beginBatch(signedPlan, job) : continueBatch(batch, signedPlan, job));
}

const APPROVALS_MAX = 5;

async function beginBatch(signedPlan: SignedPlan, job: BulkJob): Promise<void> {
  const { plan, asked } = signedPlan;
  const { store, session, ports, sending, flags } = job;
  if (flags['skip-feed-check']) {
    const text =
      `Batch ${plan.head.batch} is not known here yet, and only the events show whether its plan was sent from elsewhere. ${NOTHING_SENT} ` +
      'Leave --skip-feed-check out.';
    throw new Failure('usage', text);
  }
  const approvedPlan = await requireApproved(signedPlan, null, job);
  const { head, digest } = plan;
  const sinceMs = head.since === null ? null : Date.parse(head.since);
  await refuseFutureTime(sinceMs, job);
  const facts: BatchFacts = {
    ...{ ...factsOf(job), name: head.batch, direction: head.direction, sinceMs },
    ...{ file: resolve(plan.path), approval: { head: headLine(head), digest, asked } },
  };
  const { catalog, supportsBank } = await fetchCatalogNow(job);
  const file = await openPlanFile(plan.copy, digest);
  try {
    const { batch, clearance } = await makeBatch(
      {
        facts,
        file,
        shared: {},
        isKept: true,
        signal: ports.signal,
        commands: refusalCommands(job, false),
        // Allows duplicates, because the approvers have seen them in the plan.
        ...{ allowsDuplicates: true, isApproved: true, skipsPaid: sending.skipsPaid },
        admit: async (madeBatch) => {
          const { approvals } = approvedPlan;
          await judgeBatch(madeBatch, { isAdmitted: false, states: SENDABLE, approvals }, job);
          await store.sign(madeBatch.id, approvedPlan.signatures);
        },
      },
      { ...clearanceWorld(job), catalog, supportsBank },
    );
    const rows = batch.rows === 1 ? '1 row' : `${batch.rows} rows`;
    await session.note(`Batch ${batch.name}: plan ${shortDigest(digest)}, ${rows}.`);
    await confirmAndSend(batch, { ...job, approvedPlan }, clearance, false);
  } finally {
    await file.close();
  }
}

async function continueBatch(earlierBatch: Batch, { plan, signatures, asked }: SignedPlan, job: BulkJob) {
  const { store, session, sources, flags } = job;
  const { approval: storedApproval } = earlierBatch;
  const approval =
    storedApproval === null ? null : { ...storedApproval, asked: stricterOf(storedApproval.asked, asked) };
  const allSignatures = await withStoredSignatures(earlierBatch, signatures, store);
  const signedPlan = { plan, signatures: allSignatures, asked: approval?.asked ?? asked };
  const approvedPlan = await requireApproved(signedPlan, earlierBatch, job);
  const batch = await requireCompany({ ...earlierBatch, approval }, store, sources.mirror, job);
  await store.sign(batch.id, approvedPlan.signatures);
  const [openRow] = await store.rows(batch.id, -1, 1, [...SENDABLE, 'needs_review']);
  if (openRow === undefined) throw finishedFailure(batch, flags);
  await session.note(`Batch ${batch.name} exists: svc continues it.`);
  await askConfirmAndSend(batch, job);
}

function stricterOf(stored: AskedApprovals | null, asked: AskedApprovals | null): AskedApprovals | null {
  if (stored === null || asked === null) return stored ?? asked;
  return { approvals: Math.max(stored.approvals, asked.approvals), signers: asked.signers ?? stored.signers };
}

async function withStoredSignatures(
  { id }: Batch,
  signatures: readonly NamedSignature[],
  store: Pick<BatchStore, 'signatures'>,
): Promise<readonly NamedSignature[]> {
  const storedSignatures = await store.signatures(id);
  const isStored = (one: NamedSignature): boolean =>
    storedSignatures.some(({ bytes }) => Buffer.compare(bytes, one.bytes) === 0);
  const names = new Set(storedSignatures.map(({ name }) => name));
  const newSignatures = signatures.filter((one) => !isStored(one));
  return [
    ...storedSignatures,
    ...newSignatures.map((one) => (names.has(one.name) ? { ...one, name: `${one.name} (now)` } : one)),
  ];
}
