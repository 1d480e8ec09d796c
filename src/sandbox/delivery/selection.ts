/** Which of the owed attempts may leave now: bounded, fair between companies, and in the order of their moments. Pure. */
import type { DueDelivery } from '../store/deliveries.js';
import { earliestRetryMs, type OutgoingDelivery } from './attempt.js';

/** Attempts under way at a time, in all; a receiver may need ten seconds for each. */
export const UNDER_WAY_MAX = 64;
/** And for one company, so that its slow receiver leaves room for the others. */
export const UNDER_WAY_PER_COMPANY_MAX = 8;

/** What a company has under way, and what it may still take. */
export interface Share {
  readonly deliveries: readonly OutgoingDelivery[];
  readonly room: number;
}

/** How much more may leave for a company, where that many companies want a part of what is left. */
export function shareOf(company: number, underWay: readonly OutgoingDelivery[], companies: number): Share {
  const deliveries = underWay.filter(({ delivery }) => delivery.company === company);
  const part = Math.max(1, Math.floor((UNDER_WAY_MAX - underWay.length) / companies));
  const left = Math.min(UNDER_WAY_PER_COMPANY_MAX - deliveries.length, UNDER_WAY_MAX - underWay.length);
  return { deliveries, room: Math.max(0, Math.min(part, left)) };
}

/** The moments of time: what is owed up to `nowMs`, and up to when the clock was moved. */
export interface Moments {
  readonly nowMs: number;
  readonly movedUntilMs: number;
}

/**
 * The attempts that leave, each with the moment it counts as made, and the moment of the first that is not due yet.
 * One that fell due while the clock was moved counts as made at its own moment, and leaves only when nothing that is under
 * way could still be followed by an earlier one. Whatever else is late (no server ran) is made now.
 * @param owed in the order of their moments, those under way among them
 */
export function select(
  owed: readonly DueDelivery[],
  { deliveries, room }: Share,
  { nowMs, movedUntilMs }: Moments,
): { readonly chosen: readonly { delivery: DueDelivery; atMs: number }[]; readonly nextAtMs: number | null } {
  const underWay = new Set(deliveries.map(({ delivery }) => delivery.id));
  const chosen: { delivery: DueDelivery; atMs: number }[] = [];
  let horizonMs = Math.min(...deliveries.map(({ delivery, atMs }) => earliestRetryMs(delivery, atMs)));
  for (const delivery of owed) {
    if (underWay.has(delivery.id)) continue;
    const dueMs = delivery.next_attempt_at;
    if (dueMs > nowMs) return { chosen, nextAtMs: dueMs };
    const atMs = dueMs <= movedUntilMs ? dueMs : nowMs;
    if (chosen.length === room || atMs > horizonMs) break;
    chosen.push({ delivery, atMs });
    horizonMs = Math.min(horizonMs, earliestRetryMs(delivery, atMs));
  }
  return { chosen, nextAtMs: null };
}
