/** A database's file before SQLite opens it: itself 0600, in a folder that is 0700 where it has to be made. */
import { accessSync, chmodSync, closeSync, constants, lstatSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseUnusable, type NamedDatabase } from './database-unusable.js';
import { currentUser, errorCode } from './disk.js';
import { syncFolder } from './folders.js';

/** Instead of a file's path: a database that ends with the process. */
export const MEMORY = ':memory:';

const OTHERS = 0o077;
/** What SQLite keeps beside the file and takes at its word. */
const COMPANIONS: readonly string[] = ['-wal', '-shm', '-journal'];

/**
 * Makes folder and file where they are missing, and takes the rights of group and others from the file. A folder that is
 * there stays as it is: with `--store` it may be any.
 * @throws DatabaseUnusable `linked` where a link, or something of another user, stands there; the file system's own errors
 */
export function preparePath(file: string, database: NamedDatabase): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  try {
    closeSync(openSync(file, 'ax', 0o600));
    syncFolder(dirname(file));
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
  const mode = ownMode(file, database) ?? 0;
  for (const companion of COMPANIONS) ownMode(file + companion, database);
  // SQLite would open a file that it may only read, and leave companions beside it that nobody can write later.
  accessSync(file, constants.R_OK | constants.W_OK);
  // SQLite gives its two companion files the mode of this one.
  if ((mode & OTHERS) !== 0) chmodSync(file, 0o600);
}

/** In a folder where others can write too, a name may be theirs: a link to a file of ours, or a log that SQLite would carry out. */
function ownMode(path: string, database: NamedDatabase): number | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (stats.isSymbolicLink() || stats.uid !== currentUser())
    throw new DatabaseUnusable('linked', database, path);
  return stats.mode;
}
