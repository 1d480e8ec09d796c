/** Opens a batch that is there for a command that goes on with it: nobody else runs it, and this session may act for its company. */
import type { Batch } from '../../bulk/store/batch.js';
import type { BatchStore } from '../../bulk/store/batch-store.js';
import type { Run } from '../command.js';
import { type SessionRun, withSession } from '../session/session.js';
import { requireCompany } from './company.js';
import type { AskingFlags } from './flags.js';
import { openKnowledge, type OpenKnowledge } from './knowledge.js';
import { requireSame } from './refusals.js';
import { knownBatch, withLockedBatch } from '../stores/batches.js';

/** A session that knows what was paid. */
export type Informed<R> = R & SessionRun & { readonly known: OpenKnowledge };

/** The same over a batch that is there. */
export type Opened<R> = Informed<R> & { readonly batch: Batch; readonly store: BatchStore };

/**
 * @param concurrency connections that the work needs at a time
 * @throws Failure `not_found`, `locked`, `unsafe` (another environment or company)
 */
export async function withBatch<R extends Run<AskingFlags>>(
  run: R,
  name: string,
  concurrency: number,
  work: (open: Opened<R>) => Promise<void>,
): Promise<void> {
  await withLockedBatch(run.ports, name, async (store) => {
    const found = await knownBatch(store, name);
    await withKnowledge(run, concurrency, async (informed) => {
      const { session, known } = informed;
      requireSame(found, { environment: session.environment, direction: found.direction });
      const batch = await requireCompany(found, store, known.mirror, informed);
      await work({ ...informed, batch, store });
    });
  });
}

/** A session, and what is known of payments for it. */
export async function withKnowledge<R extends Run<AskingFlags>>(
  run: R,
  concurrency: number,
  work: (open: Informed<R>) => Promise<void>,
): Promise<void> {
  const steps = async (open: R & SessionRun<AskingFlags>): Promise<void> => {
    const known = await openKnowledge(open);
    try {
      await work({ ...open, known });
    } finally {
      await known.close();
    }
  };
  await withSession(run, steps, concurrency);
}
