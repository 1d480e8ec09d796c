/** Starts rows anew that ended definitely without paying: a failed one as another operation, a rejected one with the key it had. */
import { deriveKey } from '../key.js';
import { RETRIABLE } from '../row-state.js';
import { sealOf } from '../seal.js';
import type { Batch, BatchStore } from '../store/batch-store.js';

const BLOCK_ROWS = 500;

/** Puts every failed or rejected row back to planned; answers how many. */
export async function renewRows(batch: Batch, store: Pick<BatchStore, 'peek' | 'renew'>): Promise<number> {
  let renewed = 0;
  for (let after = -1; ;) {
    const rows = await store.peek(batch.id, { after, count: BLOCK_ROWS, states: RETRIABLE });
    const last = rows.at(-1);
    if (last === undefined) return renewed;
    const anew = rows.map((row) => {
      // The failed operation keeps its key for ever; a rejected request has made none.
      const generation = row.generation + (row.before === 'failed' ? 1 : 0);
      const body = Buffer.from(row.body).toString('utf8');
      const fixed = { ...row, body, generation, key: deriveKey(batch, row.reference, generation) };
      return { number: row.number, generation, key: fixed.key, seal: sealOf(fixed) };
    });
    await store.renew(batch.id, anew);
    renewed += rows.length;
    after = last.number;
  }
}
