/** What the service knows of the key of one row, and what feed and stores know of its reference. */
import type { Direction } from '../../contract/operation.js';
import { foldReference } from '../../contract/reference.js';
import { type Evidence, evidenceOf, type Knowledge, NO_EVIDENCE } from '../check/evidence.js';
import { paymentsIn } from '../check/payments.js';
import type { BatchStore, PaidKey } from '../store/batch-store.js';
import type { Batch } from '../store/batch.js';
import type { Holder, ShownRow } from '../store/row.js';

export interface RowWorld extends ProbeWorld {
  readonly store: Pick<BatchStore, 'others' | 'paidBefore'>;
  readonly knowledge: Knowledge;
}

/**
 * Whether the row's key has made an operation that failed: another row with that key is settled with it; or the service has a payment
 * under the key, and of its reference there are only operations that failed, at least as many as the number of this try.
 */
export async function hasMade(
  batch: Batch,
  row: ShownRow,
  holders: readonly Holder[],
  world: RowWorld,
): Promise<boolean> {
  if (holders.length > 0) return holders.some(({ key }) => key === row.key);
  const known = await knownOf(batch, row, world);
  const isAmongFailed =
    known.operations.filter(({ status }) => status === 'failed').length >= row.generation &&
    paymentsIn(known, batch.direction).every(({ operation }) => operation === null);
  return isAmongFailed && (await askOfKey(batch, row, world)) === 'payment';
}

/** What the service says of the row's key. */
export async function askOfKey(batch: Batch, row: ShownRow, world: RowWorld): Promise<ProbeResult> {
  const { environment, company, direction } = batch;
  const control = await world.store.paidBefore(environment, company, row.sentAtMs ?? -Infinity);
  return probeKey(row, direction, control, world);
}

/** What feed and stores know of its reference, as far as it counts for the row. */
export async function knownOf(batch: Batch, row: ShownRow, world: RowWorld): Promise<Evidence> {
  const evidence = await evidenceOf(batch, [row], world);
  return evidence.get(foldReference(row.reference)) ?? NO_EVIDENCE;
}

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

/** What the service says of a key that shows no payment, for the person who decides. */
export function saidOfKey(probe: ProbeResult): string {
  return probe === 'no_payment'
    ? 'The service has no payment under its key.'
    : 'No evidence: the service does not say whether it has a payment under its key.';
}

/**
 * Asks the service whether it has a payment under a key, without paying: an empty body is refused where the key is unknown (400), and named
 * as another request where it is known (409). Whether this service answers so is tried on two keys first of which that is known.
 * @param row a row of a batch, or a single create
 * @param control a key that has paid and first left no later than the row: a service that forgot the row's key would have forgotten that
 *   one too
 */
export async function probeKey(
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
