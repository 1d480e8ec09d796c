import { Failure } from '../../runtime/failure.js';
import type { StartThread, Thread } from '../../runtime/thread.js';
import type { BatchStore } from './batch-store.js';
import { claimedRowOf, type TakenRow } from './records.js';
import type { Claim, RowResult } from './row.js';

export function threadedStore(store: BatchStore, file: string, startThread: StartThread): BatchStore {
  let thread: Thread | null = null;
  return {
    ...store,
    exchange: async (batch, results, claim) => {
      thread ??= startThread('storage/batches/exchange-thread', file);
      const question: ExchangeQuestion = { batch, results, claim };
      const rows = await thread.ask(question).catch((cause: unknown) => {
        if (cause instanceof Failure) throw cause;
        const text = 'What writes to the store of batches failed. What was recorded is kept.';
        throw new Failure('local_state', text, { code: 'store_unusable', outcome: 'not_sent', cause });
      });
      return (rows as TakenRow[]).map(claimedRowOf);
    },
    close: async () => {
      await thread?.end();
      await store.close();
    },
  };
}

export interface ExchangeQuestion {
  readonly batch: number;
  readonly results: readonly RowResult[];
  readonly claim: Claim | null;
}
