/** Reviews a plan before its approval: compares it with earlier plans, and says who signed it. Sends nothing, and needs no API key. */
import {
  countPeople,
  type RefusedSignature,
  type Signer,
  signaturesNeeded,
} from '../../guard/approval/people.js';
import { EarlierPlans, PlanReview, type ReviewFinding } from '../../guard/review.js';
import type { PlanHead } from '../../guard/plan/spelling.js';
import type { Ports } from '../../runtime/ports.js';
import { requireKeygen } from '../../runtime/ssh-keygen.js';
import { readPolicyFile, policyStateOf } from '../session/policy-state.js';
import { type OpenPlan, readPlanFile, withPlan } from './plan-file.js';
import { findSignatures, readNamedSigners, readTrustedSigners } from './signature-files.js';
import { verifySignatures } from './verifying.js';

/** The people who signed so far, by a list of signers and this machine's clock. */
export interface ReviewedApprovals {
  readonly counted: number;
  /** The number of signatures that this machine's policy requires; null if it requires none. */
  readonly needed: number | null;
  readonly approvers: readonly Signer[];
  /** True if the maker has a good signature; null if the plan names no maker. */
  readonly maker_signed: boolean | null;
  /** The maker's name in the list; null without a good signature. */
  readonly maker_name: string | null;
  readonly refused: readonly RefusedSignature[];
}

export interface ReviewedPlan extends Omit<PlanHead, 'svc_plan' | 'direction'> {
  readonly plan: string;
  readonly digest: string;
  readonly type: PlanHead['direction'];
  /** The number of signature files next to the plan, good or bad. */
  readonly signatures: number;
  /** Who has signed so far; null without a list of signers. */
  readonly approvals: ReviewedApprovals | null;
  readonly largest: readonly Readonly<Record<'reference' | 'currency' | 'amount', string>>[];
  /** The number of earlier plans with which this one was compared. */
  readonly compared: number;
  /** The number of findings by kind, including those not in `findings`. */
  readonly counts: Readonly<Record<string, number>>;
  readonly findings: readonly ReviewFinding[];
}

export interface ReviewFlags {
  readonly against?: readonly string[] | undefined;
  readonly signers?: string | undefined;
}

const NOTHING_SENT = 'Nothing was sent.';

/**
 * Runs the work with a plan and its review. @param work gets the plan's private copy
 * @throws Failure `bad_file` for a file that is no plan, `unsafe` and `local_state` as `readTrustedSigners` and `requireKeygen`
 */
export async function withReview<T>(
  path: string,
  flags: ReviewFlags,
  ports: Pick<Ports, 'random' | 'machine' | 'clock'>,
  work: (reviewed: { readonly plan: OpenPlan; readonly review: ReviewedPlan }) => Promise<T>,
): Promise<T> {
  const { against = [] } = flags;
  const earlier = new EarlierPlans();
  for (const old of against) {
    await readPlanFile(old, { undone: NOTHING_SENT, onRow: (row) => earlier.add(row) });
    earlier.plans += 1;
  }
  const collected = new PlanReview(earlier);
  return withPlan(path, { undone: NOTHING_SENT, onRow: (row) => collected.add(row) }, ports, async (plan) => {
    const { batch, environment, address, company, direction, since, rows, totals } = plan.head;
    const { left_out, skipped_pending, made_at, valid_until, maker } = plan.head;
    const files = findSignatures(path, undefined, NOTHING_SENT);
    const review: ReviewedPlan = {
      ...{ plan: path, digest: plan.digest, batch, environment, address, company, type: direction },
      ...{ since, rows, totals, left_out, made_at, valid_until, maker },
      ...(skipped_pending === undefined ? {} : { skipped_pending }),
      signatures: files.signatures.length + files.refused.length,
      approvals: await approvalsOf(plan, flags, ports),
      largest: collected.largest.map(({ reference, currency, amount }) => ({ reference, currency, amount })),
      compared: earlier.plans,
      counts: Object.fromEntries(collected.counts),
      findings: collected.findings,
    };
    return work({ plan, review });
  });
}

async function approvalsOf(
  plan: OpenPlan,
  { signers }: ReviewFlags,
  { machine, clock }: Pick<Ports, 'machine' | 'clock'>,
): Promise<ReviewedApprovals | null> {
  const state = await policyStateOf(readPolicyFile(machine));
  const policy = state.kind === 'policy' ? state.policy : null;
  const rules = policy?.[`${plan.head.direction}s`].approvals ?? 0;
  if (signers === undefined && (policy === null || rules === 0)) return null;
  const list =
    signers === undefined && policy !== null
      ? readTrustedSigners(policy.approvals.signers, machine)
      : readNamedSigners(signers ?? '', NOTHING_SENT);
  const { signatures, refused: unread } = findSignatures(plan.path, undefined, NOTHING_SENT);
  const world = { keygen: await requireKeygen(machine, plan.folder), signers: list, serviceMs: clock.now() };
  const { verified, refused } = await verifySignatures(plan, signatures, world);
  const { maker } = plan.head;
  const people = countPeople(maker, verified);
  return {
    counted: people.approvers.length,
    needed: rules === 0 ? null : signaturesNeeded(rules, maker),
    approvers: people.approvers,
    maker_signed: maker === null ? null : people.maker !== null,
    maker_name: people.maker?.name ?? null,
    refused: [...unread, ...refused, ...people.refused],
  };
}
