/** `svc batches apply`: sends the plan that other people have approved, and nothing else. */
import { resolve } from 'node:path';
import { openPlanFile } from '../../bulk/file/opening.js';
import { makeBatch } from '../../bulk/plan/batch-plan.js';
import { SENDABLE } from '../../bulk/row-state.js';
import type { AskedApprovals, Batch, BatchFacts } from '../../bulk/store/batch.js';
import type { BatchStore } from '../../bulk/store/batch-store.js';
import { headLine } from '../../guard/plan/spelling.js';
import { Failure } from '../../runtime/failure.js';
import { collectOften, streamInLittleMemory } from '../../runtime/memory.js';
import { commandLine } from '../../runtime/shell.js';
import { requireAdmitted } from '../../cli/bulk/admission.js';
import { refuseFutureTime } from '../../cli/session/session.js';
import { requireApproved } from '../../cli/bulk/approval.js';
import { fetchCatalogNow } from '../../cli/bulk/catalog.js';
import { requireCompany } from '../../cli/bulk/company.js';
import { readSendingFlags, type SendingFlags } from '../../cli/bulk/flags.js';
import { type BulkJob, clearanceWorld, waysOn } from '../../cli/bulk/job.js';
import { finishedFailure, withKnowledge } from '../../cli/bulk/opening.js';
import { planFailure, shortDigest } from '../../cli/bulk/plan-refusals.js';
import { askConfirmAndSend, confirmAndSend, factsOf } from '../../cli/bulk/run.js';
import type { Run } from '../../cli/command.js';
import { type OpenPlan, withPlan } from '../../cli/guard/plan-file.js';
import { findSignatures, type NamedSignature } from '../../cli/guard/signature-files.js';
import { withFlags } from '../../cli/line/shell.js';
import { askedEnvironment } from '../../cli/line/where.js';
import { printerOfBatch } from '../../cli/printing/printer.js';
import { storesOf } from '../../cli/stores/stores-of-run.js';

export type ApplyFlags = SendingFlags & {
  readonly signature?: readonly string[] | undefined;
  readonly approvals?: string | undefined;
  readonly signers?: string | undefined;
};

type ApplyRun = Run<ApplyFlags>;

/** What was given with the plan. */
interface Given {
  readonly plan: OpenPlan;
  readonly signatures: readonly NamedSignature[];
  readonly asked: AskedApprovals | null;
}

const UNDONE = 'Nothing was sent.';

/** @throws Failure by the table of exit codes, Stopped */
export async function applyPlan(run: ApplyRun, file: string): Promise<void> {
  const { ports, flags } = run;
  // Before anything is loaded: what has grown does not shrink again.
  streamInLittleMemory();
  collectOften();
  const sending = readSendingFlags(flags);
  const { approvals, signers } = flags;
  if (approvals !== undefined && (!/^[0-9]$/.test(approvals) || Number(approvals) > APPROVALS_MAX))
    throw new Failure('usage', `--approvals is a whole number from 0 to ${APPROVALS_MAX}. ${UNDONE}`);
  const list = signers === undefined ? null : resolve(signers);
  const isAsked = approvals !== undefined || list !== null;
  const asked = isAsked ? { approvals: Number(approvals ?? 0), signers: list } : null;
  const printer = await printerOfBatch(ports, flags);
  await withPlan(file, { undone: UNDONE }, ports, async (plan) => {
    requireEnvironment(plan, run);
    const { signatures, refused } = findSignatures(file, flags.signature, UNDONE);
    const given = { plan, signatures, asked };
    const { batch: name } = plan.head;
    await withKnowledge(run, sending, async (informed) => {
      for (const { file: one, why } of refused) await informed.session.note(`Not counted: ${one} ${why}.`);
      await storesOf(run).withLockedBatch(name, 'send', async (store) => {
        const job: BulkJob = { ...informed, sending, store, printer };
        const there = await store.find(name);
        await (there === null ? begin(given, job) : goOn(there, given, job));
      });
    });
  });
}

const APPROVALS_MAX = 5;

/** Before a session: a profile may have the key of the plan's environment alone. @throws Failure `unsafe` */
function requireEnvironment({ head }: OpenPlan, run: ApplyRun): void {
  const here = askedEnvironment(run);
  if (head.environment === here) return;
  const words = run.typed.filter((word) => word !== '--live' && word !== '--sandbox');
  const line = commandLine(['svc', ...withFlags(words, [`--${head.environment}`])]);
  const refused = planFailure(head, { code: 'plan_other_environment', plan: head.environment, here });
  // Real money: a person decides it.
  throw new Failure(refused.kind, refused.head, {
    ...refused.facts,
    otherCommand: { when: 'If you mean it', line },
  });
}

/** Makes the batch of a plan and sends it. */
async function begin({ plan, signatures, asked }: Given, job: BulkJob): Promise<void> {
  const { store, session, ports, sending, flags } = job;
  // The store here knows nothing of the plan yet: what was sent of it from elsewhere stands in the events alone.
  if (flags['skip-feed-check'])
    throw new Failure(
      'usage',
      `Batch ${plan.head.batch} is not known here yet, and only the events show whether its plan was sent from elsewhere. ${UNDONE} ` +
        'Leave --skip-feed-check out.',
    );
  const approved = await requireApproved({ plan, signatures, asked, batch: null }, job);
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
        ...{ facts, file, shared: {}, isKept: true, signal: ports.signal, ways: waysOn(job, false) },
        // Its maker was asked about twins, and those who approved it have seen them.
        ...{ allowsDuplicates: true, isApproved: true, skipsPaid: sending.skipsPaid },
        admit: async (made) => {
          await requireAdmitted(
            made,
            { isAdmitted: false, states: SENDABLE, approvals: approved.approvals },
            job,
          );
          await store.sign(made.id, approved.signatures);
        },
      },
      { ...clearanceWorld(job), catalog, supportsBank },
    );
    const rows = batch.rows === 1 ? '1 row' : `${batch.rows} rows`;
    await session.note(`Batch ${batch.name}: plan ${shortDigest(digest)}, ${rows}.`);
    await confirmAndSend(batch, { ...job, approved }, clearance, false);
  } finally {
    await file.close();
  }
}

/** Goes on with the batch of that plan. */
async function goOn(there: Batch, { plan, signatures, asked }: Given, job: BulkJob): Promise<void> {
  const { store, session, known, flags } = job;
  const { approval: kept } = there;
  const approval = kept === null ? null : { ...kept, asked: stricterOf(kept.asked, asked) };
  const question = {
    plan,
    signatures: await withKept(there, signatures, store),
    asked: approval?.asked ?? asked,
  };
  const approved = await requireApproved({ ...question, batch: there }, job);
  const batch = await requireCompany({ ...there, approval }, store, known.mirror, job);
  await store.sign(batch.id, approved.signatures);
  const [left] = await store.rows(batch.id, -1, 1, [...SENDABLE, 'needs_review']);
  if (left === undefined) throw finishedFailure(batch, flags);
  await session.note(`Batch ${batch.name} exists: svc continues it.`);
  await askConfirmAndSend(batch, job);
}

/** What was asked when it was applied first is asked still. */
function stricterOf(kept: AskedApprovals | null, asked: AskedApprovals | null): AskedApprovals | null {
  if (kept === null || asked === null) return kept ?? asked;
  return {
    approvals: Math.max(kept.approvals, asked.approvals),
    signers: asked.signers ?? kept.signers,
  };
}

/** The signatures that were kept and those that came now, each once. */
async function withKept(
  { id }: Batch,
  given: readonly NamedSignature[],
  store: Pick<BatchStore, 'signatures'>,
): Promise<readonly NamedSignature[]> {
  const kept = await store.signatures(id);
  const isKept = (one: NamedSignature): boolean =>
    kept.some(({ bytes }) => Buffer.compare(bytes, one.bytes) === 0);
  const names = new Set(kept.map(({ name }) => name));
  const more = given.filter((one) => !isKept(one));
  // Two files may have had one name at two times.
  return [...kept, ...more.map((one) => (names.has(one.name) ? { ...one, name: `${one.name} (now)` } : one))];
}
