/** Whether a row is sent again in the same run. Pure. */
import type { Delivery } from './delivery.js';

/** Sendings of a row in one run; waiting for a rate limit takes no more than the second number. */
const ATTEMPTS = 3;
const LIMITED_ATTEMPTS = 20;

/** True where the same bytes with the same key may be sent once more now. A definite answer is never asked for twice. */
export function isRepeated(deliveries: readonly Delivery[]): boolean {
  const last = deliveries.at(-1);
  if (last === undefined || deliveries.length >= LIMITED_ATTEMPTS) return last === undefined;
  const isLimit = last.kind === 'unavailable' && last.isLimit;
  if (!isLimit && last.kind !== 'unavailable' && last.kind !== 'not_sent' && last.kind !== 'unknown')
    return false;
  return isLimit || countedOf(deliveries) < ATTEMPTS;
}

/** What a rate limit turned away does not use up the attempts. */
export function countedOf(deliveries: readonly Delivery[]): number {
  return deliveries.filter((delivery) => delivery.kind !== 'unavailable' || !delivery.isLimit).length;
}
