/** The store of batches whose exchanges run in a thread of their own; everything else is done where it is asked for. */
import type { StartThread, Thread } from '../../runtime/thread.js';
import type { BatchStore } from './batch-store.js';
import { packResults, UnpackedRows, type ExchangeQuestion, type PackedRows } from './packing.js';

/** @param file of the same store: the thread opens it for itself, at the first exchange */
export function inThread(store: BatchStore, file: string, startThread: StartThread): BatchStore {
  let thread: Thread | null = null;
  return {
    ...store,
    exchange: async (batch, results, claim) => {
      thread ??= startThread('bulk/store/exchange-thread', file);
      const question: ExchangeQuestion = { batch, results: packResults(results), claim };
      return new UnpackedRows((await thread.ask(question)) as PackedRows);
    },
    close: async () => {
      await thread?.end();
      await store.close();
    },
  };
}
