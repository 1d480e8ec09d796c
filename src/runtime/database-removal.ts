/** Removes a database that can't be used any more, with everything that stands beside it. */
import { closeSync, openSync, readSync, rmSync } from 'node:fs';
import { dropCopies } from './database-copy.js';
import type { DatabaseKind } from './database-kind.js';
import { databaseError, DatabaseUnusable } from './database-unusable.js';
import { errorCode } from './disk.js';

const MAGIC = Buffer.from('SQLite format 3\0', 'latin1');
const HEADER_BYTES = 100;
const APPLICATION_ID_AT = 68;

/**
 * Whatever is in it is lost. Its companions go first: a log without its file may be taken for that of the next one of the name.
 * @throws DatabaseUnusable `foreign` for a database of another program, which is left alone; where nothing can be removed
 */
export function removeDatabase(file: string, kind: Pick<DatabaseKind, 'name' | 'applicationId'>): void {
  try {
    const header = headerOf(file);
    const isDatabase = header.subarray(0, MAGIC.length).equals(MAGIC) && header.length === HEADER_BYTES;
    if (isDatabase && header.readUInt32BE(APPLICATION_ID_AT) !== kind.applicationId)
      throw new DatabaseUnusable('foreign', kind, file);
    for (const companion of ['-wal', '-shm', '-journal']) rmSync(file + companion, { force: true });
    dropCopies(file);
    rmSync(file, { force: true });
  } catch (error) {
    throw databaseError(error, kind, file);
  }
}

/** The first bytes; fewer where there are fewer. */
function headerOf(file: string): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES);
  try {
    const descriptor = openSync(file, 'r');
    try {
      return bytes.subarray(0, readSync(descriptor, bytes));
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return bytes.subarray(0, 0);
  }
}
