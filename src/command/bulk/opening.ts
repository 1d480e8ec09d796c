/** Opens a batch that is there for a command that goes on with it: nobody else runs it, and the place is the one it belongs to. */
import type { Batch, BatchStore } from '../../bulk/store/batch-store.js';
import type { GlobalFlags, House } from '../base.js';
import { placeOf } from '../session/address.js';
import { openSession, type Session } from '../session/session.js';
import { requireSame } from './refusals.js';
import { knownBatch, withLockedBatch } from './store.js';

export interface OpenBatch {
  readonly batch: Batch;
  readonly store: BatchStore;
  readonly session: Session;
}

/**
 * @param concurrency connections that the work needs at a time
 * @throws Failure `not_found`, `locked`, `unsafe` (another environment, address or profile)
 */
export async function withBatch(
  { ports }: House,
  name: string,
  flags: GlobalFlags,
  concurrency: number,
  work: (open: OpenBatch) => Promise<void>,
): Promise<void> {
  await withLockedBatch(ports, name, async (store) => {
    const batch = await knownBatch(store, name);
    const session = await openSession(ports, flags, concurrency);
    try {
      const profile = session.target.kind === 'service' ? session.target.profile : null;
      requireSame(batch, { ...placeOf(session), profile, direction: batch.direction });
      await work({ batch, store, session });
    } finally {
      await session.close();
    }
  });
}
