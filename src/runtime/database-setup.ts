/** A connection before its first use: durability, the tables where they are missing, and files that are none of ours. */
import type { DatabaseSync } from 'node:sqlite';
import type { DatabaseKind } from './database.js';
import { MEMORY } from './database-file.js';
import { DatabaseUnusable } from './database-unusable.js';

/**
 * Every commit is synced from now on, and the tables are there, whoever made them.
 * @throws DatabaseUnusable for a file of another version or of another program; SQLite's own errors
 */
export function prepareSchema(connection: DatabaseSync, file: string, kind: DatabaseKind): void {
  // Acknowledged means on the disk: a commit is synced before it returns.
  connection.exec('PRAGMA synchronous = FULL');
  if (kind.tuning !== undefined) connection.exec(`PRAGMA wal_autocheckpoint = ${kind.tuning.logPages}`);
  const version = pragma(connection, 'user_version');
  if (version === kind.version && pragma(connection, 'application_id') === kind.applicationId) return;
  if (version > kind.version) throw new DatabaseUnusable('newer', kind.name, file);
  refuseForeign(connection, file, kind);
  refuseOtherVersion(version, file, kind);
  if (file !== MEMORY) {
    if (kind.tuning !== undefined) connection.exec(`PRAGMA page_size = ${kind.tuning.pageBytes}`);
    switchToWriteAhead(connection);
  }
  connection.exec('BEGIN IMMEDIATE');
  // Another process may have made the tables while this one waited, and may be newer.
  const found = pragma(connection, 'user_version');
  refuseOtherVersion(found, file, kind);
  if (found === 0) {
    connection.exec(kind.schema);
    connection.exec(`PRAGMA application_id = ${kind.applicationId}`);
    connection.exec(`PRAGMA user_version = ${kind.version}`);
  }
  connection.exec('COMMIT');
}

/** A file of any other version is left as it is: nothing here knows what is in it. */
function refuseOtherVersion(found: number, file: string, kind: DatabaseKind): void {
  if (found === 0 || found === kind.version) return;
  throw new DatabaseUnusable(found > kind.version ? 'newer' : 'older', kind.name, file);
}

/** A database that has tables and not our mark is somebody else's, whatever its version: it is left as it is. */
function refuseForeign(connection: DatabaseSync, file: string, kind: DatabaseKind): void {
  const { id, tables } = connection
    .prepare(
      'SELECT (SELECT application_id FROM pragma_application_id) AS id, (SELECT count(*) FROM sqlite_schema) AS tables',
    )
    .get() as { id: number; tables: number };
  if (id !== kind.applicationId && tables > 0) throw new DatabaseUnusable('foreign', kind.name, file);
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

function pragma(connection: DatabaseSync, name: string): number {
  return (connection.prepare(`PRAGMA ${name}`).get() as Record<string, number>)[name] ?? 0;
}
