/** The store of batches as commands reach it: one file in the state folder, and one lock for each batch; or a database that machines share. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { dropOldBodies } from '../../bulk/retention.js';
import type { BatchStore } from '../../bulk/store/batch-store.js';
import type { Batch } from '../../bulk/store/batch.js';
import { BODY_KEPT_MS } from '../../journal/request.js';
import { DatabaseUnusable } from '../../runtime/database-unusable.js';
import { Failure } from '../../runtime/failure.js';
import { ensurePrivateFolder } from '../../runtime/folders.js';
import { isLocked, withLock } from '../../runtime/lock.js';
import type { Ports, ThreadStart } from '../../runtime/ports.js';
import { mayOnlyRead } from '../../state/failures.js';
import { openShared, sharedStateOf, tellOfFiles } from './shared.js';
import type { BookRun, StateRun } from './state-settings.js';

/**
 * The store of a command line, without the bodies that nothing has needed for 30 days.
 * @throws DatabaseUnusable, Failure `local_state`, `unsafe` where that state may not be used for this environment
 */
export async function withBatchStore<T>(run: BookRun, work: (store: BatchStore) => Promise<T>): Promise<T> {
  const { ports } = run;
  const shared = sharedStateOf(run);
  if (shared === null) {
    await tellOfFiles(run);
    return withLocalBatches(ports, work);
  }
  const store = await openShared(shared, run);
  try {
    await tidy(store, ports.clock.now(), ports.errors).catch((error: unknown) => {
      // Whoever may only look has nothing to keep in order.
      if (!mayOnlyRead(error)) throw error;
    });
    return await work(store);
  } finally {
    await store.close();
  }
}

/** The store of this machine, whatever it shares. @throws DatabaseUnusable, Failure `local_state` */
export async function withLocalBatches<T>(
  { paths, clock, errors, thread }: Ports,
  work: (store: BatchStore) => Promise<T>,
): Promise<T> {
  ensurePrivateFolder(paths.state);
  const { openBatchStore } = await import('../../bulk/store/sqlite-store.js');
  const file = join(paths.state, 'batches.db');
  const direct = openBatchStore(file);
  const store = thread === undefined ? direct : await threaded(direct, file, thread);
  try {
    await tidy(store, clock.now(), errors);
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Housekeeping stands in nobody's way: a full disk is no reason not to show how a batch stands. @throws DatabaseUnusable for a damaged store */
async function tidy(store: BatchStore, nowMs: number, errors: Ports['errors']): Promise<void> {
  try {
    await dropOldBodies(store, nowMs - BODY_KEPT_MS, nowMs);
  } catch (error) {
    if (!(error instanceof DatabaseUnusable) || error.problem === 'damaged') throw error;
    await errors.write(`svc could not remove old request bodies: ${error.message}\n`);
  }
}

async function threaded(store: BatchStore, file: string, start: ThreadStart): Promise<BatchStore> {
  const [{ threadsOf }, { inThread }] = await Promise.all([
    import('../../runtime/thread.js'),
    import('../../bulk/store/threaded-store.js'),
  ]);
  return inThread(store, file, threadsOf(start));
}

/** Whoever asks whether a batch is running holds its lock for an instant. */
const LOCK_WAIT_MS = 100;

/**
 * The same while nobody else runs this batch. Where machines share it, whoever sends is joined by others that do.
 * @throws Failure `locked` where somebody does
 */
export async function withLockedBatch<T>(
  run: StateRun,
  name: string,
  mode: 'send' | 'alone',
  work: (store: BatchStore) => Promise<T>,
): Promise<T> {
  const { ports } = run;
  if (sharedStateOf(run) !== null)
    return withBatchStore(run, async (store) => {
      const batch = mode === 'alone' ? await store.find(name) : null;
      if (batch !== null) await store.join(batch.id, 'alone');
      return work(store);
    });
  await tellOfFiles(run);
  return withLockHeld(ports, name, () => withLocalBatches(ports, work));
}

/** Works while nobody else of this machine does under that name. @throws Failure `locked` where somebody does */
export function withLockHeld<T>(ports: Ports, name: string, work: () => Promise<T>): Promise<T> {
  const wait = { clock: ports.clock, waitMs: LOCK_WAIT_MS };
  return withLock(lockOf(ports, name), wait, work).catch((error: unknown) => {
    if (error instanceof Failure && error.kind === 'locked') throw held(name, error);
    throw error;
  });
}

/** True where somebody runs this batch now, on any machine that shares it. */
export async function isAtWork(run: BookRun, name: string): Promise<boolean> {
  if (sharedStateOf(run) === null) return isRunning(run.ports, name);
  return withBatchStore(run, async (store) => {
    const batch = await store.find(name);
    return batch !== null && (await store.workers(batch.id)).some(({ state }) => state === 'at_work');
  });
}

/** True where another database server has taken over since nothing was in doubt about this batch. */
export async function isInDoubt(run: BookRun, name: string): Promise<boolean> {
  if (sharedStateOf(run) === null) return false;
  return withBatchStore(run, async (store) => {
    const batch = await store.find(name);
    return batch !== null && (await store.doubt(batch.id)) !== null;
  });
}

/** True where somebody of this machine runs this batch now. */
export function isRunning(ports: Ports, name: string): Promise<boolean> {
  return isLocked(lockOf(ports, name));
}

function lockOf({ paths }: Ports, name: string): string {
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 32);
  return join(paths.state, 'batches', `${digest}.lock`);
}

/** @throws Failure `not_found` */
export async function knownBatch(store: BatchStore, name: string, run: StateRun): Promise<Batch> {
  const batch = await store.find(name);
  if (batch !== null) return batch;
  const shared = sharedStateOf(run);
  const where = shared === null ? 'on this machine' : `in ${shared.shown}`;
  throw new Failure('not_found', `There is no batch ${name} ${where}. See "svc batches list".`);
}

function held(name: string, cause: Failure): Failure {
  const text = `Another process is running batch ${name}. Nothing was sent. Wait until it ends.`;
  return new Failure('locked', text, { code: 'locked', retryable: true, cause });
}
