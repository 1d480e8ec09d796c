/** Starts rows anew that ended definitely without paying: a failed one as another operation, a rejected one with the key it had. */
import { foldReference } from '../../contract/reference.js';
import { evidenceOf, type EvidenceWorld } from '../check/evidence.js';
import { generationOf, type Identity } from '../check/identity.js';
import { deriveKey, sealOf } from '../key.js';
import { RETRIABLE } from '../row-state.js';
import type { BatchStore } from '../store/batch-store.js';
import type { Batch } from '../store/batch.js';
import type { ClaimedRow, RenewedRow, ShownRow } from '../store/row.js';
import { rowBlocks } from '../store/row-blocks.js';

/** The row under the key of that payment. */
function renewedAs(row: ClaimedRow, { ordinal, generation }: Identity, batch: Batch): RenewedRow {
  const key = deriveKey({ ...batch, ...row, ordinal, generation });
  const sealed = { ...row, body: Buffer.from(row.body).toString('utf8'), ordinal, generation, key };
  return { ...row, ordinal, generation, key, seal: sealOf(sealed) };
}

/**
 * A row that never left, under the key that a plan would give it now; empty where it has that. A person's word counts as a try that nothing else knows of: tries
 * never become fewer.
 */
export async function renewedNow(
  batch: Batch,
  row: ShownRow,
  { ordinal, generation: counted }: Identity,
  { store }: { readonly store: Pick<BatchStore, 'peek'> },
): Promise<RenewedRow[]> {
  const generation = ordinal === row.ordinal ? Math.max(counted, row.generation) : counted;
  if (ordinal === row.ordinal && generation === row.generation) return [];
  const bytes = await store.peek(batch.id, { after: row.number - 1, count: 1, states: [row.state] });
  return bytes.map((claimed) => renewedAs(claimed, { ordinal, generation }, batch));
}

/** Puts every failed or rejected row back to planned; answers how many. */
export async function renewRows(
  batch: Batch,
  world: EvidenceWorld & { readonly store: Pick<BatchStore, 'others' | 'peek' | 'renew'> },
): Promise<number> {
  const { store } = world;
  let renewed = 0;
  const read = (after: number, count: number) => store.peek(batch.id, { after, count, states: RETRIABLE });
  for await (const rows of rowBlocks(read)) {
    const evidence = await evidenceOf(batch, rows, world);
    const anew = rows.map((row) => {
      const known = evidence.get(foldReference(row.reference));
      // The failed operation keeps its key for ever; a rejected request has made none.
      const own = row.generation + (row.before === 'failed' ? 1 : 0);
      const generation = known === undefined ? own : Math.max(own, generationOf(known, row.ordinal, batch));
      return renewedAs(row, { ...row, generation }, batch);
    });
    await store.renew(batch.id, anew);
    renewed += rows.length;
  }
  return renewed;
}
