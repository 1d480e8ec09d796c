/** The copy of a database from before its migration: it stands beside the file until somebody has worked with the new one. */
import {
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { syncFolder } from './folders.js';

const COPY = /^\.before-v([0-9]{1,9})(?:\.tmp(?:-journal)?)?$/;

/** Where the file stands as it was before it became that version. */
function copyPath(file: string, version: number): string {
  return `${file}.before-v${version}`;
}

export function hasCopy(file: string, version: number): boolean {
  return existsSync(copyPath(file, version));
}

/**
 * Makes the copy, durable and 0600, with everything that was committed, the write-ahead log included. To be called while the caller
 * holds the write lock and has changed nothing; one that an earlier attempt left is replaced.
 * @throws SQLite's own errors and the file system's; nothing is left then
 */
export function makeCopy(file: string, version: number): void {
  const copy = copyPath(file, version);
  const temporary = `${copy}.tmp`;
  dropCopy(file, version);
  try {
    // SQLite takes a file that is there if it is empty, and would make one that others can read.
    const made = openSync(temporary, 'wx', 0o600);
    fchmodSync(made, 0o600);
    closeSync(made);
    // No statement of the connection that holds the lock may do this: a copy can't be made inside a transaction.
    const reader = new DatabaseSync(file, { readOnly: true });
    try {
      reader.prepare('VACUUM INTO ?').run(temporary);
    } finally {
      reader.close();
    }
    const written = openSync(temporary, 'r+');
    try {
      fsyncSync(written);
    } finally {
      closeSync(written);
    }
    renameSync(temporary, copy);
    syncFolder(dirname(file));
  } catch (error) {
    dropCopy(file, version);
    throw error;
  }
}

/** Removes the copy of one version, and what was begun of it. @throws the file system's own errors */
export function dropCopy(file: string, version: number): void {
  const copy = copyPath(file, version);
  for (const path of [copy, `${copy}.tmp`, `${copy}.tmp-journal`]) rmSync(path, { force: true });
}

/** Removes every copy from before that version or an earlier one. @throws the file system's own errors */
export function dropCopies(file: string, version = Infinity): void {
  const folder = dirname(file);
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(basename(file))) continue;
    const [, number] = COPY.exec(name.slice(basename(file).length)) ?? [];
    if (Number(number) <= version) rmSync(join(folder, name), { force: true });
  }
}
