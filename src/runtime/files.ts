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
import { openNoLink } from './small-file.js';
import { systemRandom, type Clock } from './clock.js';
import type { DatabaseSync } from 'node:sqlite';
import { databaseError } from './database-unusable.js';

const FILE_MODE = 0o600;
const GROUP_AND_OTHERS = 0o077;

/** The file is checked after it is opened, because somebody could exchange it between a check and the opening. */
export function readPrivate(path: string, userId = currentUser()): Buffer | null {
  return onDisk('read', path, () => {
    const file = openIfThere(path);
    if (file === null) return null;
    try {
      const stats = fs.fstatSync(file);
      requireOwn(path, stats, userId);
      if ((stats.mode & GROUP_AND_OTHERS) !== 0)
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

/** After a crash the file has all of the old bytes or all of the new ones. */
export function writePrivate(path: string, bytes: Uint8Array | string): void {
  const folder = dirname(path);
  ensurePrivateFolder(folder);
  onDisk('written', path, () => {
    const temporaryPath = join(folder, `.${basename(path)}.${systemRandom.hex(8)}.tmp`);
    try {
      writeNew(temporaryPath, bytes);
      fs.renameSync(temporaryPath, path);
    } catch (error) {
      fs.rmSync(temporaryPath, { force: true });
      throw error;
    }
    syncFolder(folder);
  });
}

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
    // `fchmodSync` is needed, because the umask may have removed the owner's own permissions.
    fs.fchmodSync(file, FILE_MODE);
    fs.writeFileSync(file, bytes);
    fs.fsyncSync(file);
  } finally {
    fs.closeSync(file);
  }
}

function openIfThere(path: string): number | null {
  try {
    return openNoLink(path);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT') return null;
    if (code === 'ELOOP') throw linkFailure(path);
    if (code === 'ENXIO') throw refusal(`${path} is not a regular file.`, 'Replace it with a file.');
    throw error;
  }
}

function linkFailure(path: string): Failure {
  return refusal(`${path} is a link.`, 'Name the file itself: svc does not follow links.');
}

function requireOwn(path: string, stats: fs.Stats, userId: number): void {
  if (stats.isSymbolicLink()) throw linkFailure(path);
  if (!stats.isFile()) throw refusal(`${path} is not a regular file.`, 'Replace it with a file.');
  if (stats.uid !== userId) {
    throw refusal(
      `${path} belongs to another user.`,
      `Make it yours: sudo chown "$(id -un)" ${shellPath(path)}`,
    );
  }
}

const LOCK_POLL_MS = 25;
const SQLITE_BUSY = 5;
const SQLITE_NOTADB = 26;

export interface LockOptions {
  readonly clock: Clock;
  readonly waitMs: number;
  readonly isBesideFile?: boolean;
}

/** The lock is an exclusive transaction of SQLite, because Node has no `flock`. */
export async function takeLock(path: string, options: LockOptions): Promise<Disposable> {
  if (options.isBesideFile === true) (await import('./database-file.js')).preparePath(path, { name: 'lock' });
  else ensurePrivateFile(path);
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(path);
  try {
    const { clock, waitMs } = options;
    const startMs = clock.monotonic();
    while (!tryLock(database, path)) {
      if (clock.monotonic() - startMs >= waitMs) {
        const text = `Another run of svc is using ${path}. Wait until it ends, then run this again.`;
        throw new Failure('locked', text, { retryable: true });
      }
      await clock.sleep(LOCK_POLL_MS);
    }
    return { [Symbol.dispose]: () => database.close() };
  } catch (error) {
    database.close();
    throw error;
  }
}

export async function withLock<T>(
  path: string,
  options: LockOptions,
  work: () => T | Promise<T>,
): Promise<T> {
  using _lock = await takeLock(path, options);
  return await work();
}

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
    if (errcode !== SQLITE_NOTADB) throw databaseError(error, { name: 'lock' }, path);
    throw new Failure('local_state', `${path} is not a lock file of svc. Delete it, then run this again.`, {
      cause: error,
    });
  }
}
