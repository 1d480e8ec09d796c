/** A plan that is only shown: its rows are in a store of this machine, and it is held against batches that are elsewhere. */
import type { BatchStore } from './batch-store.js';
import type { BatchFacts } from './batch.js';
import type { OtherRow } from './row.js';

/** @param others the rows of batches elsewhere that have one of these references */
export function shownAgainst(
  store: BatchStore,
  others: (facts: BatchFacts, referenceMarks: readonly Uint8Array[]) => Promise<OtherRow[]>,
): BatchStore {
  const begun = new Map<number, BatchFacts>();
  return {
    ...store,
    begin: async (facts) => {
      const batch = await store.begin(facts);
      begun.set(batch, facts);
      return batch;
    },
    others: async (batch, marks) => {
      const facts = begun.get(batch);
      return facts === undefined ? store.others(batch, marks) : others(facts, marks);
    },
  };
}
