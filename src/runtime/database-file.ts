/** A database's file before SQLite opens it: itself 0600, in a folder that is 0700 where it has to be made. */
import { accessSync, chmodSync, closeSync, constants, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from './disk.js';
import { syncFolder } from './folders.js';

/** Instead of a file's path: a database that ends with the process. */
export const MEMORY = ':memory:';

const OTHERS = 0o077;

/**
 * Makes folder and file where they are missing, and takes the rights of group and others from the file. A folder that is
 * there stays as it is: with `--store` it may be any.
 * @throws the file system's own errors
 */
export function preparePath(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  try {
    closeSync(openSync(file, 'ax', 0o600));
    syncFolder(dirname(file));
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
  // SQLite would open a file that it may only read, and leave companions beside it that nobody can write later.
  accessSync(file, constants.R_OK | constants.W_OK);
  // SQLite gives its two companion files the mode of this one.
  if ((statSync(file).mode & OTHERS) !== 0) chmodSync(file, 0o600);
}
