import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { BatchStore } from './batches/batch-store.js';
import { BODY_KEPT_MS } from './journal/request.js';
import { DatabaseUnusable } from '../runtime/database-unusable.js';
import { Failure } from '../runtime/failure.js';
import { toDisposable, openTogether } from '../runtime/disposal.js';
import { ensurePrivateFolder } from '../runtime/folders.js';
import { isLocked, takeLock } from '../runtime/files.js';
import type { Ports } from '../runtime/ports.js';
import type { StoreName, Stores } from './stores.js';

const FILES = { batches: 'batches.db', journal: 'requests.db', mirrors: 'feed.db' } as const;

const LOCK_WAIT_MS = 100;
/** No person can give this name to a batch, because it begins with a space. */
const DRY_RUN_BATCH = ' dry run';

export function fileStores(ports: Ports, note = (): Promise<void> => Promise.resolve()): Stores {
  const { paths, clock, random, processes, thread } = ports;
  const fileOf = (store: StoreName): string => join(paths.state, FILES[store]);
  const prepareFile = (store: StoreName): string => {
    ensurePrivateFolder(paths.state);
    return fileOf(store);
  };
  const lockOf = (batch: string): string => {
    const digest = createHash('sha256').update(batch).digest('hex').slice(0, 32);
    return join(paths.state, 'batches', `${digest}.lock`);
  };
  const folder = join(paths.state, 'checkpoints');

  const openBatches = async (): Promise<BatchStore> => {
    const file = prepareFile('batches');
    const { openBatchStore } = await import('./batches/sqlite-store.js');
    const directStore = openBatchStore(file);
    if (thread === undefined) return tidyStore(directStore, ports);
    const [{ threadStarter }, { threadedStore }] = await Promise.all([
      import('../runtime/thread.js'),
      import('./batches/threaded-store.js'),
    ]);
    return tidyStore(threadedStore(directStore, file, threadStarter(thread)), ports);
  };
  const lockBatch = async (batch: string): Promise<BatchStore & AsyncDisposable> => {
    await note();
    const options = { clock, waitMs: LOCK_WAIT_MS };
    const lock = await takeLock(lockOf(batch), options).catch((error: unknown) => {
      if (!(error instanceof Failure) || error.kind !== 'locked') throw error;
      const text = `Another process is running batch ${batch}. Nothing was sent. Wait until it ends.`;
      throw new Failure('locked', text, { code: 'locked', retryable: true, cause: error });
    });
    return openTogether(async (use) => {
      use(lock);
      return use(toDisposable(await openBatches()));
    });
  };
  return {
    where: { isShared: false, text: 'on this machine', address: null },
    has: (store) => existsSync(fileOf(store)),
    openBatches: async () => {
      await note();
      return toDisposable(await openBatches());
    },
    openJournal: async () => {
      await note();
      const file = prepareFile('journal');
      const { openJournal } = await import('./journal/sqlite-journal.js');
      return toDisposable(openJournal(file, { processes, clock }));
    },
    openMirrors: async () => {
      const file = prepareFile('mirrors');
      const { openMirrors } = await import('./mirror/sqlite-mirrors.js');
      return toDisposable(openMirrors(file, random));
    },
    lockBatch,
    openShownPlan: () =>
      openTogether(async (use) => ({ store: use(await lockBatch(DRY_RUN_BATCH)), name: DRY_RUN_BATCH })),
    isAtWork: (batch) => isLocked(lockOf(batch)),
    hasChangedServer: () => Promise.resolve(false),
    rowsOfReference: async (filter, mark) => {
      const { rowsWithReference } = await import('./batches/rows-by-reference.js');
      return rowsWithReference(fileOf('batches'), filter, mark);
    },
    holders: async (operations) => {
      if (!existsSync(fileOf('batches'))) return [];
      const { holdersIn } = await import('./batches/rows-by-reference.js');
      return holdersIn(fileOf('batches'), operations);
    },
    lockCheckpoint: async (namedCheckpoint) => {
      await note();
      const { lockCheckpoint } = await import('./checkpoints/file.js');
      return lockCheckpoint({ ...namedCheckpoint, folder }, clock);
    },
    dropCheckpoints: async (isGone) => {
      const { dropCheckpoints } = await import('./checkpoints/file.js');
      return dropCheckpoints(folder, clock, isGone);
    },
  };
}

export async function tidyStore(
  store: BatchStore,
  { clock, errors }: Ports,
  mayIgnore: (error: unknown) => boolean = () => false,
): Promise<BatchStore> {
  const nowMs = clock.now();
  const { dropOldBodies } = await import('./batches/retention.js');
  try {
    await dropOldBodies(store, nowMs - BODY_KEPT_MS, nowMs);
  } catch (error) {
    if (mayIgnore(error)) return store;
    if (!(error instanceof DatabaseUnusable) || error.problem === 'damaged') {
      await store.close();
      throw error;
    }
    await errors.write(`svc could not remove old request bodies: ${error.message}\n`);
  }
  return store;
}
