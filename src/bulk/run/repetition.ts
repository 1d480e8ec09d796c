/** Whether a row is sent again in the same run. Pure. */
import { differenceOf, type Asked } from '../../contract/claims.js';
import type { Delivery } from './delivery.js';

/** Sendings of a row in one run; waiting for a rate limit takes no more than the second number. */
const ATTEMPTS = 3;
const LIMITED_ATTEMPTS = 20;
/** An answer about another payment is asked for once more. */
const MISMATCHES = 2;

/** True where the same bytes with the same key may be sent once more now. A definite answer is never asked for twice. */
export function isRepeated(asked: () => Asked, deliveries: readonly Delivery[]): boolean {
  const last = deliveries.at(-1);
  if (last === undefined || deliveries.length >= LIMITED_ATTEMPTS) return last === undefined;
  switch (last.kind) {
    case 'operation':
      return (
        differenceOf(asked(), last.operation) !== null &&
        deliveries.filter(({ kind }) => kind === 'operation').length < MISMATCHES
      );
    case 'unknown':
      return last.isRepeatable && countedOf(deliveries) < ATTEMPTS;
    case 'unavailable':
      return last.isLimit || countedOf(deliveries) < ATTEMPTS;
    case 'not_sent':
      return countedOf(deliveries) < ATTEMPTS;
    default:
      return false;
  }
}

/** What a rate limit turned away does not use up the attempts. */
export function countedOf(deliveries: readonly Delivery[]): number {
  return deliveries.filter((delivery) => delivery.kind !== 'unavailable' || !delivery.isLimit).length;
}
