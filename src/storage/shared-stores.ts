/** The stores that machines share in one database. Each store opens its own connections. */
import { CALL_PATIENCE, RETRY_AFTER_MAX_MS } from '../contract/retry.js';
import type { SharedCheckpointOptions } from './checkpoints/postgres.js';
import type { SharedRows } from './batches/postgres/rows-by-reference.js';
import { mayOnlyRead } from './postgres/failures.js';
import type { SharedState } from './postgres/place.js';
import { timeoutOf } from '../runtime/typed-time.js';
import { fileStores, tidyStore } from './file-stores.js';
import { type StoresRun, noteUnsealedState, machineOptions } from '../session/state-place.js';
import { withStore, type Stores } from './stores.js';

const REQUEST_MARGIN_MS = 5000;
const LEASE_MIN_MS = 60_000;
/** A run that has not renewed its checkpoint for this long counts as gone. */
const CHECKPOINT_LEASE_MS = 60_000;

export function sharedStores({ place, shown }: SharedState, run: StoresRun): Stores {
  const { ports, flags } = run;
  const options = () => ({ place, ...machineOptions(ports) });
  const checkpoints = (): SharedCheckpointOptions => ({ ...options(), leaseMs: CHECKPOINT_LEASE_MS });

  const openBatches: Stores['openBatches'] = async () => {
    await noteUnsealedState(run);
    const { openPostgresStore } = await import('./batches/postgres/store.js');
    const say = flags.quiet ? { say: () => undefined } : {};
    const storeOptions = options();
    // The lease of a row ends only after its last request was answered or timed out.
    const marginMs = timeoutOf(flags) + REQUEST_MARGIN_MS;
    const leaseMs = Math.max(LEASE_MIN_MS, 2 * marginMs);
    const store = await openPostgresStore({ ...storeOptions, ...say, marginMs, leaseMs });
    // A database role that may only read cannot remove old bodies, so its error is ignored.
    return tidyStore(store, ports, mayOnlyRead);
  };
  const withRows = async <T>(work: (rows: SharedRows) => Promise<T>): Promise<T> => {
    const { openSharedRows } = await import('./batches/postgres/rows-by-reference.js');
    return withStore(openSharedRows(options()), work);
  };
  return {
    where: { isShared: true, text: `in ${shown}`, address: shown },
    has: () => true,
    openBatches,
    openJournal: async () => {
      await noteUnsealedState(run);
      const { openPostgresJournal } = await import('./journal/postgres/journal.js');
      // The longest time that a call with all its attempts and waits can take.
      const answerMs = CALL_PATIENCE.attemptsMax * (timeoutOf(flags) + RETRY_AFTER_MAX_MS);
      return openPostgresJournal({ ...options(), answerMs });
    },
    openMirrors: async () => {
      const { openPostgresMirrors } = await import('./mirror/postgres/mirrors.js');
      return openPostgresMirrors(options(), ports.random);
    },
    withLockedBatch: (name, mode, work) =>
      withStore(openBatches(), async (store) => {
        const batch = mode === 'alone' ? await store.find(name) : null;
        if (batch !== null) await store.join(batch.id, 'alone');
        return work(store);
      }),
    withShownPlan: async (work) => {
      const { openSharedRows, previewStore } = await import('./batches/postgres/rows-by-reference.js');
      const files = fileStores(ports, () => Promise.resolve());
      return withStore(openSharedRows(options()), (sharedRows) =>
        files.withShownPlan((store, name) => work(previewStore(store, sharedRows), name)),
      );
    },
    isAtWork: (name) =>
      withStore(openBatches(), async (store) => {
        const batch = await store.find(name);
        return batch !== null && (await store.workers(batch.id)).some(({ state }) => state === 'at_work');
      }),
    isInDoubt: (name) =>
      withStore(openBatches(), async (store) => {
        const batch = await store.find(name);
        return batch !== null && (await store.findChangedServer(batch.id)) !== null;
      }),
    rowsOfReference: (filter, mark) => withRows((rows) => rows.withReferences(filter, [mark])),
    holders: (operations) => withRows((rows) => rows.holders(operations)),
    withCheckpoint: async (namedCheckpoint, work) => {
      const { withSharedCheckpoint } = await import('./checkpoints/postgres.js');
      return withSharedCheckpoint(namedCheckpoint, checkpoints(), work);
    },
    dropCheckpoints: async (isGone) => {
      const { dropSharedCheckpoints } = await import('./checkpoints/postgres.js');
      return dropSharedCheckpoints(checkpoints(), isGone);
    },
  };
}
