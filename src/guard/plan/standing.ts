/** Whether a plan may be used where it is: for this environment, at this address, at this time. What its first line says is asked in one order. Pure. */
import type { Environment } from '../../contract/access.js';
import { momentText } from '../../contract/notation.js';
import type { PlanHead } from './spelling.js';

/** Where and when a plan is to be used. */
export interface PlanPlace {
  readonly environment: Environment;
  /** `canonicalAddress`. */
  readonly address: string;
  /** The service's time; null where it said none. */
  readonly serviceMs: number | null;
  /** The longest life of a plan; null where nobody limits it. */
  readonly validForMs: number | null;
}

/** A fact of a plan that does not hold here. */
export interface PlanRefusal {
  readonly code:
    | 'plan_other_environment'
    | 'plan_other_address'
    | 'time_unknown'
    | 'plan_from_future'
    | 'approval_expired'
    | 'plan_valid_too_long';
  /** What the plan says, */
  readonly plan: string;
  /** and what is so here. */
  readonly here: string;
}

/** How long a plan may be sent, where nobody says it: a policy may allow less or more. */
export const VALID_FOR_DEFAULT = '72h';
/** Clocks of two machines disagree that much without anybody having meant it. */
const AHEAD_MS = 5 * 60_000;

/** The first fact that does not hold; null where all do. Expiry is asked by `hasExpired` too: what may have left is settled behind it. */
export function planRefusal(head: PlanHead, place: PlanPlace): PlanRefusal | null {
  const { environment, address, made_at: madeAt, valid_until: validUntil } = head;
  if (environment !== place.environment)
    return { code: 'plan_other_environment', plan: environment, here: place.environment };
  if (address !== place.address) return { code: 'plan_other_address', plan: address, here: place.address };
  const { serviceMs, validForMs } = place;
  if (serviceMs === null || !Number.isFinite(serviceMs))
    return { code: 'time_unknown', plan: validUntil, here: '' };
  const now = momentText(Math.floor(serviceMs / 1000) * 1000);
  const [madeMs, untilMs] = [Date.parse(madeAt), Date.parse(validUntil)];
  // What is no moment holds nowhere.
  if (!(madeMs <= serviceMs + AHEAD_MS)) return { code: 'plan_from_future', plan: madeAt, here: now };
  if (hasExpired(head, serviceMs)) return { code: 'approval_expired', plan: validUntil, here: now };
  if (validForMs !== null && !(untilMs - madeMs <= validForMs))
    return { code: 'plan_valid_too_long', plan: hoursText(untilMs - madeMs), here: hoursText(validForMs) };
  return null;
}

/** True from the moment on from which nothing may leave that never left. */
export function hasExpired(
  { valid_until: until }: Pick<PlanHead, 'valid_until'>,
  serviceMs: number,
): boolean {
  return !(serviceMs < Date.parse(until));
}

function hoursText(ms: number): string {
  return `${Math.round(ms / 360_000) / 10} h`;
}
