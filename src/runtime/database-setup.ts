/** A connection before its first use: durability, the tables in their current version, and files that are none of ours. */
import type { DatabaseSync } from 'node:sqlite';
import { hasCopy, MEMORY } from './database-file.js';
import { type DatabaseKind, migrate, stepsFrom } from './database-kind.js';
import { headerNumber, lastWriter, signFile, type Prepare } from './database-statements.js';
import { DatabaseUnusable } from './database-unusable.js';

/** Acknowledged means on the disk: a commit is synced before it returns. */
export const SYNCED = 'PRAGMA synchronous = FULL';

/**
 * Every commit is synced from now on. The tables are there in their current version; another process may have made them.
 * @returns true where a copy from before a migration stands beside the file
 * @throws DatabaseUnusable for a file of another version or of another program; SQLite's own errors
 */
export function prepareSchema(
  connection: DatabaseSync,
  prepare: Prepare,
  file: string,
  kind: DatabaseKind,
): boolean {
  // Past the drive's own memory on macOS too.
  connection.exec(`${SYNCED}; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON`);
  if (kind.tuning !== undefined) connection.exec(`PRAGMA wal_autocheckpoint = ${kind.tuning.logPages}`);
  if (!isCurrent(prepare, kind)) {
    const version = versionOfOurs(connection, prepare, file, kind);
    if (!isWithinReach(version, kind)) throw otherVersion(prepare, version, file, kind);
    makeCurrent({ connection, prepare }, version, file, kind);
  }
  return file !== MEMORY && kind.migrations !== undefined && hasCopy(file, kind.version);
}

/** The error for a file of another version than this program can work with. */
export function otherVersion(
  prepare: Prepare,
  found: number,
  file: string,
  kind: DatabaseKind,
): DatabaseUnusable {
  return found > kind.version
    ? new DatabaseUnusable('newer', kind, file, { writer: lastWriter(prepare) })
    : new DatabaseUnusable('older', kind, file, { version: found });
}

/** True for a file without tables, a current one, and one that can be brought to the current version. */
function isWithinReach(found: number, kind: DatabaseKind): boolean {
  return found === 0 || found === kind.version || stepsFrom(found, kind) !== null;
}

function makeCurrent(
  { connection, prepare }: { readonly connection: DatabaseSync; readonly prepare: Prepare },
  version: number,
  file: string,
  kind: DatabaseKind,
): void {
  if (file !== MEMORY && version === 0) {
    if (kind.tuning !== undefined) connection.exec(`PRAGMA page_size = ${kind.tuning.pageBytes}`);
    switchToWriteAhead(connection);
  }
  connection.exec('BEGIN IMMEDIATE');
  // Another process may have made the tables, or brought them to its version, while this one waited.
  const found = headerNumber(prepare, 'user_version');
  if (found === 0) {
    connection.exec(kind.schema);
    signFile(prepare, true);
    connection.exec(`PRAGMA application_id = ${kind.applicationId}`);
    connection.exec(`PRAGMA user_version = ${kind.version}`);
    connection.exec('COMMIT');
    return;
  }
  if (!isWithinReach(found, kind)) throw otherVersion(prepare, found, file, kind);
  const steps = stepsFrom(found, kind);
  if (steps === null) connection.exec('COMMIT');
  else migrate({ connection, prepare }, steps, file, kind);
  // One that was put back from a copy logs otherwise.
  if (file !== MEMORY) switchToWriteAhead(connection);
}

function isCurrent(prepare: Prepare, { version, applicationId }: DatabaseKind): boolean {
  return (
    headerNumber(prepare, 'user_version') === version &&
    headerNumber(prepare, 'application_id') === applicationId
  );
}

/**
 * The version of a file that is ours, or that has no tables yet. All of it is read at one moment: between two reads another process may have
 * made everything. A database that has tables and not our mark is somebody else's, whatever its version: it is left as it is.
 */
function versionOfOurs(connection: DatabaseSync, prepare: Prepare, file: string, kind: DatabaseKind): number {
  connection.exec('BEGIN');
  try {
    const version = headerNumber(prepare, 'user_version');
    const isOurs = headerNumber(prepare, 'application_id') === kind.applicationId;
    if (isOurs && version !== 0) return version;
    const tables = prepare('SELECT count(*) AS count FROM sqlite_schema').get()?.['count'];
    // Tables and number are made in one transaction: ours without a number is damaged.
    if (tables !== 0) throw new DatabaseUnusable(isOurs ? 'damaged' : 'foreign', kind, file);
    return version;
  } finally {
    if (connection.isTransaction) connection.exec('ROLLBACK');
  }
}

/** The switch does not wait for its turn as everything else does, so this waits by taking an ordinary turn first. */
function switchToWriteAhead(connection: DatabaseSync): void {
  for (let attempt = 1; ; attempt += 1) {
    try {
      connection.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== 5 || attempt === 100) throw error;
      connection.exec('BEGIN EXCLUSIVE; COMMIT');
    }
  }
}
