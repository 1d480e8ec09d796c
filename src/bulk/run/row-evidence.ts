/** What the service says of the key of one row, and feed and books of its reference. */
import { foldReference } from '../../contract/reference.js';
import { evidenceOf, type Evidence } from '../check/evidence.js';
import { generationOf } from '../check/identity.js';
import type { Knowledge } from '../check/knowledge.js';
import { paymentsIn, relevant } from '../check/payments.js';
import type { BatchStore } from '../store/batch-store.js';
import type { Batch } from '../store/batch.js';
import type { Holder, ShownRow } from '../store/row.js';
import { probeRow, type ProbeResult, type ProbeWorld } from './probe.js';

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
    generationOf(known, row.ordinal, batch) > row.generation &&
    paymentsIn(known, batch.direction).every(({ operation }) => operation === null);
  return isAmongFailed && (await askOfKey(batch, row, world)) === 'payment';
}

/** What the service says of the row's key. */
export async function askOfKey(batch: Batch, row: ShownRow, world: RowWorld): Promise<ProbeResult> {
  const { environment, company, direction } = batch;
  const control = await world.store.paidBefore(environment, company, row.sentAtMs ?? -Infinity);
  return probeRow(row, direction, control, world);
}

/** What feed and books hold of its reference, as far as it counts for the row. */
export async function knownOf(batch: Batch, row: ShownRow, world: RowWorld): Promise<Evidence> {
  const evidence = await evidenceOf(batch, [row.reference], world);
  const known = evidence.get(foldReference(row.reference)) ?? { operations: [], rows: [], singles: [] };
  return relevant(known, { ...batch, twinMark: row.twinMark });
}
