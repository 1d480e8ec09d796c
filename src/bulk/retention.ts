/** Which bodies a store still needs: they hold personal data. The books of a batch stay, for they keep rows from being paid twice. */
import type { RowState } from './row-state.js';
import type { BatchStore } from './store/batch-store.js';

/** Neither a resume nor a retry needs the bodies of these. */
const SETTLED = ['confirmed', 'conflict'] as const satisfies readonly RowState[];

/** Nothing is under way, and no resume sends one of these. */
export const FINAL = [...SETTLED, 'failed', 'rejected'] as const satisfies readonly RowState[];

/** Rows of one commit. */
const BLOCK_ROWS = 5000;

/** Removes the bodies that nothing needs any more from batches that were planned before that moment. */
export async function dropOldBodies(
  store: Pick<BatchStore, 'list' | 'dropBodies'>,
  beforeMs: number,
): Promise<void> {
  for (const { id, createdAtMs } of await store.list())
    if (createdAtMs < beforeMs) await dropBodies(store, id, SETTLED);
}

/** Removes the bodies of all rows in these states; answers how many. */
export async function dropBodies(
  store: Pick<BatchStore, 'dropBodies'>,
  batch: number,
  states: readonly RowState[],
): Promise<number> {
  for (let dropped = 0; ;) {
    const count = await store.dropBodies(batch, states, BLOCK_ROWS);
    dropped += count;
    if (count < BLOCK_ROWS) return dropped;
  }
}
