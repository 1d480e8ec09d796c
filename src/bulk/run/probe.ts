/**
 * Asks the service whether it has a payment under a key, without paying: an empty body is refused where the key is unknown (400), and named
 * as another request where it is known (409). Whether this service answers so is tried on two keys first of which that is known.
 */
import type { Direction } from '../../contract/methods.js';
import type { PaidKey } from '../store/batch-store.js';
import type { ShownRow } from '../store/row.js';

/** What an empty body with that key is answered with: 409 reused, 400 refused, or anything else. */
export type ProbeAnswer = 'reused' | 'refused' | 'other';

export interface ProbeWorld {
  /** Sends `{}` with that key to the create of the direction. */
  readonly probe: (direction: Direction, key: string) => Promise<ProbeAnswer>;
  /** A key that nobody has used. */
  readonly freshKey: () => string;
}

/** `none`: the service does not answer so, or there is nothing to try it on. */
export type ProbeResult = 'payment' | 'no_payment' | 'none';

/**
 * @param control a key that has paid and first left no later than the row: a service that forgot the row's key would have forgotten that
 *   one too
 */
export async function probeRow(
  row: Pick<ShownRow, 'key' | 'sentAtMs'>,
  direction: Direction,
  control: PaidKey | null,
  { probe, freshKey }: ProbeWorld,
): Promise<ProbeResult> {
  if (control === null || row.sentAtMs === null || control.sentAtMs > row.sentAtMs) return 'none';
  if ((await probe(control.direction, control.key)) !== 'reused') return 'none';
  if ((await probe(direction, freshKey())) !== 'refused') return 'none';
  const answer = await probe(direction, row.key);
  if (answer === 'other') return 'none';
  return answer === 'reused' ? 'payment' : 'no_payment';
}
