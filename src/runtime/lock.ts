/** A lock between processes: held by the kernel, so that it ends with the process however that dies. */
import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from './clock.js';
import { databaseError } from './database-unusable.js';
import { Failure } from './failure.js';
import { ensurePrivateFile } from './files.js';

const POLL_MS = 25;
const SQLITE_BUSY = 5;
const SQLITE_NOTADB = 26;

export interface LockOptions {
  readonly clock: Clock;
  /** How long to wait for another holder; 0: not at all. */
  readonly waitMs: number;
  /** It stands in a folder of the user's, which stays as it is; else in one of ours, which is ours alone. */
  readonly isBesideFile?: boolean;
}

/**
 * Runs the work while nobody else holds the lock at `path`, an empty file that stays there.
 * A file with a process id in it would outlive a kill and would have to be stolen, which two can do at once;
 * Node has no `flock`, but an exclusive transaction of SQLite on an empty database is one.
 * @throws Failure `locked` where another holds it longer than `waitMs`; `local_state` where the file is no lock or can't be used
 */
export async function withLock<T>(
  path: string,
  options: LockOptions,
  work: () => T | Promise<T>,
): Promise<T> {
  if (options.isBesideFile === true) (await import('./database-file.js')).preparePath(path, { name: 'lock' });
  else ensurePrivateFile(path);
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(path);
  try {
    const { clock, waitMs } = options;
    const start = clock.monotonic();
    while (!tryLock(database, path)) {
      if (clock.monotonic() - start >= waitMs) {
        throw new Failure(
          'locked',
          `Another run of svc is using ${path}. Wait until it ends, then run this again.`,
        );
      }
      await clock.sleep(POLL_MS);
    }
    return await work();
  } finally {
    database.close();
  }
}

/** True where somebody holds the lock at this moment. @throws Failure `local_state` as above */
export async function isLocked(path: string): Promise<boolean> {
  if (!existsSync(path)) return false;
  ensurePrivateFile(path);
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(path);
  try {
    return !tryLock(database, path);
  } finally {
    database.close();
  }
}

function tryLock(database: DatabaseSync, path: string): boolean {
  try {
    database.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    const { errcode } = error as { errcode?: unknown };
    if (errcode === SQLITE_BUSY) return false;
    // A full disk, or one that can't be written: no reason to delete a lock.
    if (errcode !== SQLITE_NOTADB) throw databaseError(error, { name: 'lock' }, path);
    throw new Failure('local_state', `${path} is not a lock file of svc. Delete it, then run this again.`, {
      cause: error,
    });
  }
}
