/** The store of batches whose exchanges run in a thread of their own; everything else is done where it is asked for. */
import { Failure } from '../../runtime/failure.js';
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
      const rows = await thread.ask(question).catch((error: unknown) => {
        throw error instanceof Failure ? error : threadFailed(error);
      });
      return new UnpackedRows(rows as PackedRows);
    },
    close: async () => {
      await thread?.end();
      await store.close();
    },
  };
}

/** It ended, or has a defect: whether its last commit was done is not known, so it is as good as a disk that failed. */
function threadFailed(cause: unknown): Failure {
  const text = 'What writes to the store of batches failed. What was recorded is kept.';
  return new Failure('local_state', text, { code: 'store_unusable', outcome: 'not_sent', cause });
}
