/** Opens a batch that is there for a command that goes on with it: nobody else runs it, and this session may act for its company. */
import type { Batch } from '../../bulk/store/batch.js';
import type { BatchStore } from '../../bulk/store/batch-store.js';
import type { House } from '../command.js';
import { openSession, type Session } from '../session/session.js';
import { requireCompany } from './company.js';
import type { AskingFlags } from './flags.js';
import { openKnowledge, type OpenKnowledge } from './knowledge.js';
import { requireSame } from './refusals.js';
import { knownBatch, withLockedBatch } from '../stores/batches.js';

export interface OpenBatch {
  readonly batch: Batch;
  readonly store: BatchStore;
  readonly session: Session;
  readonly known: OpenKnowledge;
}

/**
 * @param concurrency connections that the work needs at a time
 * @throws Failure `not_found`, `locked`, `unsafe` (another environment or company)
 */
export async function withBatch(
  house: House,
  name: string,
  flags: AskingFlags,
  concurrency: number,
  work: (open: OpenBatch) => Promise<void>,
): Promise<void> {
  const { ports } = house;
  await withLockedBatch(ports, name, async (store) => {
    const found = await knownBatch(store, name);
    await withSession(house, flags, concurrency, async (session, known) => {
      requireSame(found, { environment: session.environment, direction: found.direction });
      const batch = await requireCompany(found, store, known.mirror, session, house, flags);
      await work({ batch, store, session, known });
    });
  });
}

/** A session, and what is known of payments for it. */
export async function withSession(
  house: House,
  flags: AskingFlags,
  concurrency: number,
  work: (session: Session, known: OpenKnowledge) => Promise<void>,
): Promise<void> {
  const session = await openSession(house.ports, flags, concurrency);
  try {
    const known = await openKnowledge(session, house, flags);
    try {
      await work(session, known);
    } finally {
      await known.close();
    }
  } finally {
    await session.close();
  }
}
