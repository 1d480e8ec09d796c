/** Private files of one user: read where only the user could have changed them, replaced whole, and held by one process at a time. */
import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  currentUser,
  errorCode,
  onDisk,
  refusal,
  shellPath,
  ensurePrivateFolder,
  syncFolder,
} from './folders.js';
import { Failure } from './failure.js';
import { openUnlinked } from './small-file.js';
import { systemRandom, type Clock } from './clock.js';
import type { DatabaseSync } from 'node:sqlite';
import { databaseError } from './database-unusable.js';

const FILE_MODE = 0o600;
const SHARED = 0o077;

/**
 * The bytes of a private file, or null where there is none.
 * It must be a regular file (no link), owned by the user, with no permission for group or others.
 * The checks are made on the opened file, so that it can't be exchanged between check and read.
 * @param userId whose file it must be
 * @throws Failure `local_state` saying what to type
 */
export function readPrivate(path: string, userId = currentUser()): Buffer | null {
  return onDisk('read', path, () => {
    const file = openIfThere(path);
    if (file === null) return null;
    try {
      const stats = fs.fstatSync(file);
      requireOwn(path, stats, userId);
      if ((stats.mode & SHARED) !== 0)
        throw refusal(
          `Other users of this machine may read or change ${path}.`,
          `Type: chmod 600 ${shellPath(path)}`,
        );
      return fs.readFileSync(file);
    } finally {
      fs.closeSync(file);
    }
  });
}

/**
 * Replaces a private file: after a crash at any point it holds all of the old bytes or all of the new ones.
 * Its folder is one of ours (`Paths`) and is created, or tightened to 0700.
 * @throws Failure `local_state`
 */
export function writePrivate(path: string, bytes: Uint8Array | string): void {
  const folder = dirname(path);
  ensurePrivateFolder(folder);
  onDisk('written', path, () => {
    const temporary = join(folder, `.${basename(path)}.${systemRandom.hex(8)}.tmp`);
    try {
      writeNew(temporary, bytes);
      fs.renameSync(temporary, path);
    } catch (error) {
      fs.rmSync(temporary, { force: true });
      throw error;
    }
    syncFolder(folder);
  });
}

/**
 * Creates an empty private file; one that stands there already is not even opened.
 * @throws Failure `local_state`, also where a link, or something of another user, stands there
 */
export function ensurePrivateFile(path: string): void {
  ensurePrivateFolder(dirname(path));
  onDisk('written', path, () => {
    try {
      writeNew(path, '');
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
      requireOwn(path, fs.lstatSync(path), currentUser());
    }
  });
}

function writeNew(path: string, bytes: Uint8Array | string): void {
  const file = fs.openSync(path, 'wx', FILE_MODE);
  try {
    // The umask may have taken the owner's own permissions.
    fs.fchmodSync(file, FILE_MODE);
    fs.writeFileSync(file, bytes);
    fs.fsyncSync(file);
  } finally {
    fs.closeSync(file);
  }
}

function openIfThere(path: string): number | null {
  try {
    return openUnlinked(path);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT') return null;
    if (code === 'ELOOP') throw linked(path);
    if (code === 'ENXIO') throw refusal(`${path} is not a regular file.`, 'Replace it with a file.');
    throw error;
  }
}

function linked(path: string): Failure {
  return refusal(`${path} is a link.`, 'Name the file itself: svc does not follow links.');
}

function requireOwn(path: string, stats: fs.Stats, userId: number): void {
  if (stats.isSymbolicLink()) throw linked(path);
  if (!stats.isFile()) throw refusal(`${path} is not a regular file.`, 'Replace it with a file.');
  if (stats.uid !== userId) {
    throw refusal(
      `${path} belongs to another user.`,
      `Make it yours: sudo chown "$(id -un)" ${shellPath(path)}`,
    );
  }
}

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
          { retryable: true },
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
  if (!fs.existsSync(path)) return false;
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
