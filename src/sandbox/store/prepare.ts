/** A connection before its first use: durability, the tables where they are missing, and files that are none of ours. */
import type { DatabaseSync } from 'node:sqlite';
import { MEMORY } from './file.js';
import { APPLICATION_ID, SCHEMA, SCHEMA_VERSION } from './schema.js';
import { StoreUnusable } from './unusable.js';

/**
 * Every commit is synced from now on, and the tables are there, whoever made them.
 * @throws StoreUnusable for a file of a newer version or of another program; SQLite's own errors
 */
export function prepareSchema(connection: DatabaseSync, file: string): void {
  // Acknowledged means on the disk: a commit is synced before it returns.
  connection.exec('PRAGMA synchronous = FULL');
  const version = pragma(connection, 'user_version');
  if (version === SCHEMA_VERSION) return;
  if (version > SCHEMA_VERSION) throw new StoreUnusable('newer', file);
  refuseForeign(connection, file);
  if (file !== MEMORY) switchToWriteAhead(connection);
  connection.exec('BEGIN IMMEDIATE');
  // Another process may have made the tables while this one waited.
  if (pragma(connection, 'user_version') === 0) {
    connection.exec(SCHEMA);
    connection.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    connection.exec(`PRAGMA user_version = ${SCHEMA_VERSION}`);
  }
  connection.exec('COMMIT');
}

/** A database that has tables but no version of ours is somebody else's: it is left as it is. */
function refuseForeign(connection: DatabaseSync, file: string): void {
  const { version, tables } = connection
    .prepare(
      'SELECT (SELECT user_version FROM pragma_user_version) AS version, (SELECT count(*) FROM sqlite_schema) AS tables',
    )
    .get() as { version: number; tables: number };
  if (version === 0 && tables > 0) throw new StoreUnusable('foreign', file);
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
