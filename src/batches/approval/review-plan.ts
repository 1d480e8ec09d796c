import { signaturesNeeded } from './people.js';
import { EarlierPlans, PlanReview } from './review.js';
import { openTogether } from '../../runtime/disposal.js';
import type { Ports } from '../../runtime/ports.js';
import { readPolicyFile, policyStateOf } from '../../session/guard/read-policy.js';
import { type OpenPlan, readPlanFile, openPlan } from './open-plan.js';
import { findSignatures } from './signature-files.js';
import { countSigners } from './verify.js';

export interface ReviewFlags {
  readonly against?: readonly string[] | undefined;
  readonly signers?: string | undefined;
}

type ReviewPorts = Pick<Ports, 'random' | 'machine' | 'clock'>;

export async function openReview(
  path: string,
  flags: ReviewFlags,
  ports: ReviewPorts,
): Promise<{ readonly review: ReviewedPlan; readonly plan: OpenPlan } & AsyncDisposable> {
  const earlier = new EarlierPlans();
  for (const old of flags.against ?? []) {
    await readPlanFile(old, (row) => earlier.add(row));
    earlier.plans += 1;
  }
  const rowReview = new PlanReview(earlier);
  return openTogether(async (use) => {
    const plan = use(await openPlan(path, ports, (row) => rowReview.add(row)));
    return { review: await reviewOf(plan, rowReview, flags, ports), plan };
  });
}

export type ReviewedPlan = Awaited<ReturnType<typeof reviewOf>>;
export type ReviewedApprovals = NonNullable<ReviewedPlan['approvals']>;

async function reviewOf(plan: OpenPlan, rowReview: PlanReview, flags: ReviewFlags, ports: ReviewPorts) {
  const { batch, environment, address, company, direction, since, rows, totals } = plan.head;
  const { left_out, skipped_pending, made_at, valid_until, maker } = plan.head;
  const files = findSignatures(plan.path);
  const { largest, earlier, counts, findings } = rowReview;
  return {
    ...{ plan: plan.path, digest: plan.digest, batch, environment, address, company, type: direction },
    ...{ since, rows, totals, left_out, made_at, valid_until, maker },
    ...(skipped_pending === undefined ? {} : { skipped_pending }),
    /** The number of signature files next to the plan, good or bad. */
    signatures: files.signatures.length + files.refused.length,
    /** Null without a list of signers. */
    approvals: await approvalsOf(plan, files, flags, ports),
    largest: largest.map(({ reference, currency, amount }) => ({ reference, currency, amount })),
    compared: earlier.plans,
    /** The number of findings by kind, including those not in `findings`. */
    counts: Object.fromEntries(counts),
    findings,
  };
}

async function approvalsOf(
  plan: OpenPlan,
  { signatures, refused }: ReturnType<typeof findSignatures>,
  flags: ReviewFlags,
  { machine, clock }: ReviewPorts,
) {
  const { maker, direction } = plan.head;
  const state = await policyStateOf(readPolicyFile(machine));
  const policy = state.kind === 'policy' ? state.policy : null;
  const required = policy?.[`${direction}s`].approvals ?? 0;
  const trustedPath = required === 0 ? undefined : policy?.approvals.signers;
  const path = flags.signers ?? trustedPath;
  if (path === undefined) return null;
  const signers = { path, isTrusted: flags.signers === undefined, serviceMs: clock.now() };
  const people = await countSigners(plan, signatures, signers, { machine });
  return {
    counted: people.approvers.length,
    needed: required === 0 ? null : signaturesNeeded(required, maker),
    approvers: people.approvers,
    maker_signed: maker === null ? null : people.maker !== null,
    maker_name: people.maker?.name ?? null,
    refused: [...refused, ...people.refused],
  };
}
