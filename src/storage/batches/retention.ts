/** Removes request bodies, because they hold personal data. The rows stay, because they prevent a second payment. */
import type { RowState } from './row-state.js';
import type { BatchStore } from './batch-store.js';

const SETTLED_STATES = ['confirmed', 'earlier'] as const satisfies readonly RowState[];

export const FINAL_STATES = [...SETTLED_STATES, 'failed', 'rejected'] as const satisfies readonly RowState[];

const BLOCK_ROWS = 5000;
const SWEEP_INTERVAL_MS = 24 * 3_600_000;

export async function dropOldBodies(
  store: Pick<BatchStore, 'unswept' | 'noteSwept' | 'dropBodies' | 'dropPlans'>,
  beforeMs: number,
  nowMs: number,
): Promise<void> {
  await store.dropPlans(beforeMs);
  for (const batch of await store.unswept(beforeMs, nowMs - SWEEP_INTERVAL_MS)) {
    await dropBodies(store, batch, SETTLED_STATES);
    await store.noteSwept(batch, nowMs);
  }
}

export async function dropBodies(
  store: Pick<BatchStore, 'dropBodies'>,
  batch: number,
  states: readonly RowState[],
): Promise<number> {
  let droppedCount = 0;
  for (let after = -1; ;) {
    const { dropped, last } = await store.dropBodies(batch, { states, after, count: BLOCK_ROWS });
    droppedCount += dropped;
    if (last === null) return droppedCount;
    after = last;
  }
}
