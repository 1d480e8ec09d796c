import type { Environment } from '../../../contract/access.js';
import { momentText } from '../../../contract/notation.js';
import type { PlanHead } from './format.js';

export interface PlanPlace {
  readonly environment: Environment;
  /** In the form of `canonicalAddress`. */
  readonly address: string;
  readonly serviceMs: number | null;
  /** Null: no limit. */
  readonly validForMs: number | null;
}

export interface PlanRefusal {
  readonly code:
    | 'plan_other_environment'
    | 'plan_other_address'
    | 'time_unknown'
    | 'plan_from_future'
    | 'approval_expired'
    | 'plan_valid_too_long';
  readonly plan: string;
  readonly here: string;
}

/** The clocks of two machines may differ this much. */
const SKEW_MS = 5 * 60_000;

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
  // Negated, so that an unreadable time (NaN) is refused too.
  if (!(madeMs <= serviceMs + SKEW_MS)) return { code: 'plan_from_future', plan: madeAt, here: now };
  if (hasExpired(head, serviceMs)) return { code: 'approval_expired', plan: validUntil, here: now };
  if (validForMs !== null && !(untilMs - madeMs <= validForMs))
    return { code: 'plan_valid_too_long', plan: hoursText(untilMs - madeMs), here: hoursText(validForMs) };
  return null;
}

/** An unreadable time (NaN) counts as expired. */
export function hasExpired(
  { valid_until: until }: Pick<PlanHead, 'valid_until'>,
  serviceMs: number,
): boolean {
  return !(serviceMs < Date.parse(until));
}

function hoursText(ms: number): string {
  return `${Math.round(ms / 360_000) / 10} h`;
}
