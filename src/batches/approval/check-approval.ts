import {
  isOneOf,
  NEVER_SENT,
  OPEN_STATES,
  ROW_STATES,
  type RowState,
  SENDABLE,
} from '../../storage/batches/row-state.js';
import type { AskedApprovals, Batch, BatchApproval, BatchStore } from '../../storage/batches/batch-store.js';
import type { ClaimedRow, TallyEntry } from '../../storage/batches/row.js';
import { rowBlocks } from '../../storage/batches/row-blocks.js';
import { deriveKey } from '../../payments/known/key.js';
import { momentText } from '../../contract/notation.js';
import { totalsWhere } from '../../storage/batches/tally.js';
import { canonicalAddress } from '../../contract/access.js';
import { referenceMark } from '../../contract/marks.js';
import { matchesPayment, type KnownOperation } from '../../contract/operation-facts.js';
import { type ReadPlan, readPlan, type PlanRow } from './plan/read.js';
import { PlanDamaged, type PlanHead } from './plan/format.js';
import type { Policy } from '../../session/guard/policy.js';
import { Failure, type SentOutcome, usageFailure } from '../../runtime/failure.js';
import { lookUp } from '../../command/read.js';
import { copyChunks, copyPlan, type OpenPlan } from './open-plan.js';
import type { Ports } from '../../runtime/ports.js';
import type { NamedSignature } from './signature-files.js';
import { countSigners, type SignersPlace } from './verify.js';
import { maskOfKey, serviceAddressOf } from '../../session/address.js';
import { askServiceTime } from '../../session/session.js';
import type { CheckFlags } from '../flags.js';
import type { ApprovedPlan, BulkJob } from '../batch-run.js';
import {
  approvalsMissingFailure,
  expiredFailure,
  hasExpired,
  makerUnsignedFailure,
  otherPlanFailure,
  planFailure,
  planRefusal,
} from './refusals.js';
import type { SessionRun } from '../../command/command.js';

export interface SignedPlan {
  readonly plan: OpenPlan;
  readonly signatures: readonly NamedSignature[];
  readonly asked: AskedApprovals | null;
}

export async function withApproval<J extends BulkJob>(batch: Batch, states: readonly RowState[], job: J) {
  const { approval } = batch;
  const { store, ports } = job;
  const hasRowsToSend = (await store.tally(batch.id)).some(({ state }) => isOneOf(states, state));
  if (approval === null || !hasRowsToSend || job.approvedPlan !== undefined) return job;
  const signatures = await store.signatures(batch.id);
  await using plan = await rebuildPlan({ ...batch, approval }, store, ports);
  const approvedPlan = await requireApproved({ plan, signatures, asked: approval.asked }, batch, job);
  return { ...job, approvedPlan };
}

type ApprovalRun = SessionRun<CheckFlags> & Pick<BulkJob, 'sources' | 'store'>;

export async function requireApproved(
  { plan, signatures, asked }: SignedPlan,
  batch: Batch | null,
  run: ApprovalRun,
): Promise<ApprovedPlan> {
  const { session, ports } = run;
  const { head } = plan;
  await askServiceTime(run);
  const state = await session.guard.state();
  const policy = state.kind === 'policy' ? state.policy : null;
  const serviceMs = session.clock.sinceMs(0);
  const refusal = planRefusal(head, {
    environment: session.environment,
    address: canonicalAddress(serviceAddressOf(session).address),
    serviceMs,
    validForMs: policy?.approvals.validForMs ?? null,
  });
  const isExpiredBatch = batch !== null && refusal?.code === 'approval_expired';
  if (refusal !== null && !isExpiredBatch) throw planFailure(head, refusal);
  if (serviceMs === null) throw new TypeError('a plan without a time was not refused');
  await requireCompanyOfPlan(head, batch, run);
  if (batch !== null && batch.approval?.digest !== plan.digest)
    throw otherPlanFailure(batch.name, batch.approval?.digest ?? null, plan.digest);
  const needed = approvalsNeeded(head, policy, asked);
  const signers =
    needed.signers === null
      ? null
      : await countSigners(plan, signatures, { ...needed.signers, serviceMs }, ports);
  if (signers !== null && head.maker !== null && signers.maker === null)
    throw makerUnsignedFailure(head.batch, head.maker, signers);
  const approvals = signers?.approvals ?? 0;
  if (approvals < needed.approvals)
    throw approvalsMissingFailure(head, needed.approvals, signers, policy?.contact ?? null);
  return {
    head,
    approvals,
    hasExpired: hasExpired(head, serviceMs),
    signatures: signers?.signatures ?? signatures.map((one) => ({ ...one, signer: null })),
  };
}

/** If `livePolicy` requires approvals, only its signers count, because the sender of a plan chooses `asked.signers`. */
function approvalsNeeded(
  { environment, direction }: PlanHead,
  policy: Policy | null,
  asked: AskedApprovals | null,
): { readonly approvals: number; readonly signers: SignersPlace | null } {
  const livePolicy = environment === 'live' ? policy : null;
  const policyApprovals = livePolicy?.[`${direction}s`].approvals ?? 0;
  const approvals = Math.max(policyApprovals, asked?.approvals ?? 0);
  const chosenPath = asked?.signers ?? null;
  if (livePolicy !== null && (policyApprovals > 0 || (asked !== null && chosenPath === null)))
    return { approvals, signers: { path: livePolicy.approvals.signers, isTrusted: true } };
  if (asked === null) return { approvals, signers: null };
  if (chosenPath === null)
    throw usageFailure('--approvals needs --signers FILE here: the list of those who may sign.');
  return { approvals, signers: { path: chosenPath, isTrusted: false } };
}

async function requireCompanyOfPlan(
  { company, batch: name }: PlanHead,
  batch: Batch | null,
  run: ApprovalRun,
): Promise<void> {
  if (company !== null) {
    if ((await lookUp(company.operation, run)) !== null) return;
    const text = `The plan of batch ${name} is of another company: this key does not see the operation that it names. Nothing was sent.`;
    throw new Failure('unsafe', text, { code: 'other_company' });
  }
  const { mirror, knowledge } = run.sources;
  const beganHere = batch?.company === mirror.company.id && batch.keyMask === maskOfKey(run.session.key);
  if (batch !== null && (beganHere || (await seesOwnOperation(batch, run)))) return;
  await knowledge.bringUpToDate();
  if (run.flags['skip-feed-check'] !== true && !(await seesOtherOperation(batch, run))) return;
  const text =
    `The plan of batch ${name} was made for a company that had no operation yet, and this key sees operations of others than this batch, or ` +
    'svc did not look. Nothing was sent. Make a new plan.';
  throw new Failure('unsafe', text, { code: 'company_unknown' });
}

const SEARCHED_ROWS_MAX = 1000;

async function seesOwnOperation({ id }: Batch, run: ApprovalRun): Promise<boolean> {
  const states: readonly RowState[] = ['confirmed', 'accepted', 'failed'];
  const rows = await run.store.rows(id, -1, SEARCHED_ROWS_MAX, states);
  const { operation = null, reference } = rows.find((row) => row.operation !== null) ?? {};
  const answer = operation === null ? null : await lookUp(operation, run);
  return answer !== null && answer.operation.reference === reference;
}

async function seesOtherOperation(batch: Batch | null, { sources, store }: ApprovalRun): Promise<boolean> {
  for await (const operations of sources.mirror.mirror.blocks())
    for (const one of operations)
      if (batch === null || !(await isOwnOperation(one, batch, store))) return true;
  return false;
}

async function isOwnOperation(
  operation: KnownOperation,
  batch: Batch,
  store: Pick<BatchStore, 'holders' | 'rowOfMark'>,
): Promise<boolean> {
  const { id, reference } = operation;
  if ((await store.holders([id])).some((holder) => holder.batch === batch.name)) return true;
  const row = reference === null ? null : await store.rowOfMark(batch.id, referenceMark(reference));
  return (
    row !== null &&
    isOneOf(OPEN_STATES, row.state) &&
    matchesPayment({ ...row, direction: batch.direction }, operation)
  );
}

/** An expired plan still sends these rows, because only a repeat with the same idempotency key shows whether they were paid. */
const SETTLING_STATES = ['intent', 'unknown'] as const satisfies readonly RowState[];

export function statesToSend(approvedPlan: ApprovedPlan | undefined): readonly RowState[] {
  return approvedPlan?.hasExpired === true ? SETTLING_STATES : SENDABLE;
}

export function expiryFailure(
  approvedPlan: ApprovedPlan,
  batch: Batch,
  tally: readonly TallyEntry[],
  outcome: SentOutcome = 'not_sent',
): Failure | null {
  if (!approvedPlan.hasExpired) return null;
  const unsent = totalsWhere(batch, tally, (state) => isOneOf(NEVER_SENT, state));
  return unsent.size === 0 ? null : expiredFailure(approvedPlan.head, unsent, 'not_sent', outcome);
}

async function rebuildPlan(
  batch: Batch & { readonly approval: BatchApproval },
  store: Pick<BatchStore, 'peek' | 'lacksBodies'>,
  ports: Pick<Ports, 'random' | 'signal'>,
): Promise<OpenPlan & AsyncDisposable> {
  const refusal = (what: string, code: string): Failure => {
    const text = `${what}. Nothing was sent. Rows that were not sent leave with a new plan.`;
    return new Failure('unsafe', text, { code });
  };
  if (await store.lacksBodies(batch.id, ROW_STATES)) {
    const what = `The bodies of batch ${batch.name} were removed, so svc cannot check what was approved`;
    throw refusal(what, 'bodies_forgotten');
  }
  const differsFailure = (what: string): Failure =>
    refusal(
      `Batch ${batch.name} was approved as a plan, and the store no longer holds ${what}`,
      'plan_differs',
    );
  const uncheckedRows: ClaimedRow[] = [];
  const chunks = async function* (): AsyncGenerator<Uint8Array, void, void> {
    yield Buffer.from(`${batch.approval.head}\n`);
    const read = (after: number, count: number) => store.peek(batch.id, { after, count, states: ROW_STATES });
    for await (const rows of rowBlocks(read)) {
      ports.signal.throwIfAborted();
      uncheckedRows.push(...rows);
      yield Buffer.concat(rows.flatMap(({ body }) => [body, NEWLINE]));
    }
  };
  const onRow = (row: PlanRow): void => {
    const storedRow = uncheckedRows.shift();
    if (storedRow === undefined || !matchesBody(storedRow, row, batch))
      throw differsFailure(`row ${row.number + 1} of it`);
  };
  const readCopy = async (copy: string): Promise<ReadPlan> => {
    const plan = await readPlan(copyChunks(chunks(), copy), onRow).catch((error: unknown) => {
      throw error instanceof PlanDamaged
        ? differsFailure(`a plan as it was approved (${error.message})`)
        : error;
    });
    if (plan.digest !== batch.approval.digest) throw differsFailure('what people signed');
    const fact = differingFact(batch, plan);
    if (fact !== null) throw differsFailure(fact);
    return plan;
  };
  return copyPlan(batch.name, readCopy, ports);
}

const NEWLINE = Buffer.from('\n');

function matchesBody(storedRow: ClaimedRow, row: PlanRow, batch: Batch): boolean {
  return (
    storedRow.number === row.number &&
    storedRow.reference === row.reference &&
    storedRow.amount === row.amount &&
    storedRow.currency === row.currency &&
    storedRow.key === deriveKey({ ...batch, ...storedRow })
  );
}

function differingFact(batch: Batch, { head, rows }: ReadPlan): string | null {
  const since = batch.sinceMs === null ? null : momentText(batch.sinceMs);
  if (batch.name !== head.batch) return 'its name';
  if (batch.environment !== head.environment) return 'its environment';
  if (batch.direction !== head.direction) return 'its direction';
  if (since !== head.since) return 'since when payments count';
  return batch.rows === rows ? null : 'its number of rows';
}
