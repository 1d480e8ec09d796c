/** Which bodies a store still needs: they hold personal data. The rows of a batch stay, because they prevent a second payment. */
import type { RowState } from './row-state.js';
import type { BatchStore } from './store/batch-store.js';

/** Neither a resume nor a retry needs the bodies of these. */
const SETTLED = ['confirmed', 'earlier'] as const satisfies readonly RowState[];

/** Nothing is under way, and no resume sends one of these. */
export const FINAL = [...SETTLED, 'failed', 'rejected'] as const satisfies readonly RowState[];

/** Rows of one commit. */
const BLOCK_ROWS = 5000;
/** What a batch still needs is looked at again after that long, and not at every command. */
const SWEEP_MS = 24 * 3_600_000;

/** Removes what nothing needs any more of batches that were planned before that moment, and plans that never became batches. */
export async function dropOldBodies(
  store: Pick<BatchStore, 'unswept' | 'swept' | 'dropBodies' | 'dropPlans'>,
  beforeMs: number,
  nowMs: number,
): Promise<void> {
  await store.dropPlans(beforeMs);
  for (const batch of await store.unswept(beforeMs, nowMs - SWEEP_MS)) {
    await dropBodies(store, batch, SETTLED);
    await store.swept(batch, nowMs);
  }
}

/** Removes the bodies of all rows in these states; answers how many. */
export async function dropBodies(
  store: Pick<BatchStore, 'dropBodies'>,
  batch: number,
  states: readonly RowState[],
): Promise<number> {
  let all = 0;
  for (let after = -1; ;) {
    const { dropped, last } = await store.dropBodies(batch, states, after, BLOCK_ROWS);
    all += dropped;
    if (last === null) return all;
    after = last;
  }
}
