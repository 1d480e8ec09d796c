/** Checks the flags of a plan: whether they go together, where the plan is written, and how long it may be sent. */
import { existsSync } from 'node:fs';
import { VALID_FOR_DEFAULT } from '../../guard/plan/standing.js';
import { Failure, usageFailure } from '../../runtime/failure.js';
import { requireReplaceable } from '../../runtime/whole-file.js';
import { durationMs } from '../line/moment.js';
import type { Session } from '../session/session.js';
import type { PlanFlags } from './plan-flags.js';
import { approvalFiles } from './signature-files.js';

/** The first bytes of every plan. A file that begins otherwise is not replaced by one. */
export const PLAN_BEGINNING = '{"svc_plan":';

/** Checks `--plan` and its flags. @throws Failure `usage` if they do not go together, `unsafe` if the path has another file or a signed plan */
export function requirePlanFlags(flags: PlanFlags): void {
  const planFlag = (['ssh-key', 'valid-for'] as const).find((name) => flags[name] !== undefined);
  if (flags.plan === undefined && planFlag !== undefined)
    throw usageFailure(`--${planFlag} belongs to --plan FILE.`);
  if (flags.plan !== undefined && flags['dry-run'] === true)
    throw usageFailure('--plan sends nothing either: leave --dry-run out.');
  if (flags.plan === undefined) return;
  requireReplaceable(flags.plan, PLAN_BEGINNING);
  // Typing the line again must not destroy the approvals of others.
  const [approval] = existsSync(flags.plan) ? approvalFiles(flags.plan) : [];
  if (approval === undefined) return;
  const text = `${flags.plan} is a plan that somebody has signed (${approval}). Nothing was written. Name another file.`;
  throw new Failure('unsafe', text, { code: 'file_in_the_way' });
}

/**
 * Returns how long a plan may be sent, in milliseconds: `--valid-for`, or the default within the policy's limit.
 * @throws Failure `usage`, `unsafe` (`plan_valid_too_long`)
 */
export async function validForMs(flags: PlanFlags, { guard }: Pick<Session, 'guard'>): Promise<number> {
  const state = await guard.state();
  const maxMs = state.kind === 'policy' ? state.policy.approvals.validForMs : Infinity;
  const typed = flags['valid-for'];
  const ms = durationMs(typed ?? VALID_FOR_DEFAULT, '--valid-for');
  if (ms < VALIDITY_MIN_MS) throw usageFailure('--valid-for is 1m at the least.');
  if (typed === undefined) return Math.min(ms, maxMs);
  if (ms <= maxMs) return ms;
  const hours = Math.floor(maxMs / HOUR_MS);
  throw new Failure(
    'unsafe',
    `A plan may be valid for ${hours}h at the most here, and --valid-for says ${typed}. Nothing was sent.`,
    { code: 'plan_valid_too_long', details: [{ field: 'approvals.valid_for', code: 'exceeded' }] },
  );
}

const HOUR_MS = 3_600_000;
const VALIDITY_MIN_MS = 60_000;
