/** Looks at a plan as somebody does who may approve it: held against earlier ones, with who has signed it. Nothing is sent, and no key is needed. */
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
import { lookAtPolicy, policyStateOf } from '../session/policy-state.js';
import { type OpenPlan, readPlanFile, withPlan } from './plan-file.js';
import { findSignatures, readNamedSigners, readTrustedSigners } from './signature-files.js';
import { verifiedSignatures } from './verifying.js';

/** Who has signed it so far, by a list of signers and the clock of this machine. */
export interface ReviewedApprovals {
  readonly counted: number;
  /** How many signatures the policy of this machine asks for; null where there is none. */
  readonly needed: number | null;
  readonly approvers: readonly Signer[];
  /** Whether the maker's signature is there and good; null where the plan names no maker. */
  readonly maker_signed: boolean | null;
  /** As the list names them; null where no good signature of the maker is there. */
  readonly maker_name: string | null;
  readonly refused: readonly RefusedSignature[];
}

/** As it is printed for a script. */
export interface ReviewedPlan extends Omit<PlanHead, 'svc_plan' | 'direction'> {
  readonly plan: string;
  readonly digest: string;
  readonly type: PlanHead['direction'];
  /** Files that stand beside it as its signatures, whatever is in them. */
  readonly signatures: number;
  /** Null where there is no list of signers. */
  readonly approvals: ReviewedApprovals | null;
  readonly largest: readonly {
    readonly reference: string;
    readonly currency: string;
    readonly amount: string;
  }[];
  /** With how many earlier plans it was compared. */
  readonly compared: number;
  /** By kind, however many are told. */
  readonly counts: Readonly<Record<string, number>>;
  readonly findings: readonly ReviewFinding[];
}

export interface ReviewFlags {
  readonly against?: readonly string[] | undefined;
  readonly signers?: string | undefined;
}

const UNDONE = 'Nothing was sent.';

/**
 * @param work with the plan's private copy
 * @throws Failure `bad_file` for what is no plan, `unsafe` and `local_state` as `readTrustedSigners` and `requireKeygen`
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
    await readPlanFile(old, { undone: UNDONE, onRow: (row) => earlier.add(row) });
    earlier.plans += 1;
  }
  const seen = new PlanReview(earlier);
  return withPlan(path, { undone: UNDONE, onRow: (row) => seen.add(row) }, ports, async (plan) => {
    const { batch, environment, address, company, direction, since, rows, totals } = plan.head;
    const { left_out, skipped_pending, made_at, valid_until, maker } = plan.head;
    const found = findSignatures(path, undefined, UNDONE);
    const review: ReviewedPlan = {
      ...{ plan: path, digest: plan.digest, batch, environment, address, company, type: direction },
      ...{ since, rows, totals, left_out, made_at, valid_until, maker },
      ...(skipped_pending === undefined ? {} : { skipped_pending }),
      signatures: found.signatures.length + found.refused.length,
      approvals: await approvalsOf(plan, flags, ports),
      largest: seen.largest.map(({ reference, currency, amount }) => ({ reference, currency, amount })),
      compared: earlier.plans,
      counts: Object.fromEntries(seen.counts),
      findings: seen.findings,
    };
    return work({ plan, review });
  });
}

async function approvalsOf(
  plan: OpenPlan,
  { signers }: ReviewFlags,
  { machine, clock }: Pick<Ports, 'machine' | 'clock'>,
): Promise<ReviewedApprovals | null> {
  const state = await policyStateOf(lookAtPolicy(machine));
  const policy = state.kind === 'policy' ? state.policy : null;
  const rules = policy?.[`${plan.head.direction}s`].approvals ?? 0;
  if (signers === undefined && (policy === null || rules === 0)) return null;
  const list =
    signers === undefined && policy !== null
      ? readTrustedSigners(policy.approvals.signers, machine)
      : readNamedSigners(signers ?? '', UNDONE);
  const { signatures, refused: unread } = findSignatures(plan.path, undefined, UNDONE);
  const world = {
    keygen: await requireKeygen(machine, plan.folder),
    signers: list,
    serviceMs: clock.now(),
  };
  const { verified, refused } = await verifiedSignatures(plan, signatures, world);
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
