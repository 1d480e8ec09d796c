/** What the flags of a plan ask for: whether they go together, where it is written, and how long it may be sent. */
import { existsSync } from 'node:fs';
import { VALID_FOR_DEFAULT } from '../../guard/plan/standing.js';
import { Failure } from '../../runtime/failure.js';
import { requireReplaceable } from '../../runtime/whole-file.js';
import { durationMs } from '../line/moment.js';
import type { Session } from '../session/session.js';
import type { PlanFlags } from './plan-flags.js';
import { approvalsBeside } from './signature-files.js';

/** How a plan begins: another file is not replaced by one. */
export const PLAN_BEGINNING = '{"svc_plan":';

/** @throws Failure `usage` where they do not go together, `unsafe` where something else, or a plan that was approved, stands in its place */
export function requirePlanFlags(flags: PlanFlags): void {
  const beside = (['ssh-key', 'valid-for'] as const).find((name) => flags[name] !== undefined);
  if (flags.plan === undefined && beside !== undefined)
    throw new Failure('usage', `--${beside} belongs to --plan FILE. Nothing was sent.`);
  if (flags.plan !== undefined && flags['dry-run'] === true)
    throw new Failure('usage', '--plan sends nothing either: leave --dry-run out. Nothing was sent.');
  if (flags.plan === undefined) return;
  requireReplaceable(flags.plan, PLAN_BEGINNING);
  // What others have signed is not lost by a line that was typed again.
  const [approval] = existsSync(flags.plan) ? approvalsBeside(flags.plan) : [];
  if (approval === undefined) return;
  const text = `${flags.plan} is a plan that somebody has signed (${approval}). Nothing was written. Name another file.`;
  throw new Failure('unsafe', text, { code: 'file_in_the_way' });
}

/**
 * How long a plan may be sent, in milliseconds.
 * @throws Failure `usage`, `unsafe` (`plan_valid_too_long`)
 */
export async function validForMs(flags: PlanFlags, { guard }: Pick<Session, 'guard'>): Promise<number> {
  const state = await guard.state();
  const most = state.kind === 'policy' ? state.policy.approvals.validForMs : Infinity;
  const typed = flags['valid-for'];
  const ms = durationMs(typed ?? VALID_FOR_DEFAULT, '--valid-for');
  if (ms < LEAST_MS) throw new Failure('usage', '--valid-for is 1m at the least. Nothing was sent.');
  if (typed === undefined) return Math.min(ms, most);
  if (ms <= most) return ms;
  const hours = Math.floor(most / HOUR_MS);
  throw new Failure(
    'unsafe',
    `A plan may be valid for ${hours}h at the most here, and --valid-for says ${typed}. Nothing was sent.`,
    { code: 'plan_valid_too_long', details: [{ field: 'approvals.valid_for', code: 'exceeded' }] },
  );
}

const HOUR_MS = 3_600_000;
const LEAST_MS = 60_000;
