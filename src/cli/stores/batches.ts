/** The store of batches as commands reach it: one file in the state folder, and one lock for each batch. */
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

/** The store, without the bodies that nothing has needed for 30 days. @throws DatabaseUnusable, Failure `local_state` */
export async function withBatchStore<T>(
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
    await errors.write(`Bodies that nothing needs any more were not removed now: ${error.message}\n`);
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

/** The same while nobody else runs this batch. @throws Failure `locked` where somebody does */
export async function withLockedBatch<T>(
  ports: Ports,
  name: string,
  work: (store: BatchStore) => Promise<T>,
): Promise<T> {
  return withLock(lockOf(ports, name), { clock: ports.clock, waitMs: LOCK_WAIT_MS }, () =>
    withBatchStore(ports, work),
  ).catch((error: unknown) => {
    if (error instanceof Failure && error.kind === 'locked') throw held(name, error);
    throw error;
  });
}

/** True where somebody runs this batch now. */
export function isRunning(ports: Ports, name: string): Promise<boolean> {
  return isLocked(lockOf(ports, name));
}

function lockOf({ paths }: Ports, name: string): string {
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 32);
  return join(paths.state, 'batches', `${digest}.lock`);
}

/** @throws Failure `not_found` */
export async function knownBatch(store: BatchStore, name: string): Promise<Batch> {
  const batch = await store.find(name);
  if (batch !== null) return batch;
  throw new Failure('not_found', `There is no batch ${name} on this machine. See "svc batches list".`);
}

function held(name: string, cause: Failure): Failure {
  const text = `Another run of batch ${name} is under way. Nothing was sent. Wait until it ends.`;
  return new Failure('locked', text, { code: 'locked', retryable: true, cause });
}
