/** One SQLite file (or memory): made ready before its first use, and the few ways to use it: prepared statements, and transactions that wait for their turn. */
import { DatabaseSync, type StatementResultingChanges } from 'node:sqlite';
import {
  keepName,
  MEMORY,
  preparePath,
  type DatabaseKind,
  headerNumber,
  signAgain,
  signNew,
  statementsOf,
  type Prepare,
  type SqlQuery,
  type SqlValue,
  lastWriter,
} from './database-file.js';
import { databaseError, openingError, DatabaseUnusable } from './database-unusable.js';

/** How long a process waits for the others that use the same file. */
const BUSY_TIMEOUT_MS = 60_000;

export interface Database {
  /** Runs a statement and answers how many rows it changed. */
  run(sql: string, ...values: SqlValue[]): number;
  /** Runs an insert and answers the rowid of its row. */
  insert(sql: string, ...values: SqlValue[]): number;
  /** A statement that answers rows of that shape. */
  query<Row>(sql: string): SqlQuery<Row>;
  /** How many rows were changed here since it was opened, those of what was undone among them: whether something was is a comparison. */
  changes(): number;
  /**
   * Runs `work` with the file to itself: everything it wrote is durable when this returns, nothing of it remains when it throws.
   * @throws DatabaseUnusable where the file cannot be used
   */
  transaction<T>(work: () => T): T;
  /**
   * The same, but a power cut may take what it wrote, until a transaction that comes after it is durable; a process that dies takes nothing.
   * @throws DatabaseUnusable where the file cannot be used
   */
  unsynced<T>(work: () => T): T;
  /**
   * For what only reads: it waits for nobody who writes, and nobody waits for it.
   * @throws DatabaseUnusable where the file cannot be used
   */
  reading<T>(work: () => T): T;
  close(): void;
}

/**
 * Opens the file, making it (0600, its folder 0700) and its tables where they are missing. Safe when many processes do so at once.
 * @throws DatabaseUnusable where the file cannot be used
 */
export function openDatabase(file: string, kind: DatabaseKind): Database {
  let connection: DatabaseSync | null = null;
  try {
    if (file !== MEMORY) {
      preparePath(file, kind);
      keepName(file);
    }
    connection = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: false });
    const prepare = statementsOf(connection);
    prepareSchema(connection, prepare, file, kind);
    return wrap(connection, prepare, file, kind);
  } catch (error) {
    connection?.close();
    throw openingError(error, kind, file);
  }
}

function wrap(connection: DatabaseSync, prepare: Prepare, file: string, kind: DatabaseKind): Database {
  let [hasWritten, isSigned] = [false, false];
  let changed = 0;
  const change = (sql: string, values: SqlValue[]): StatementResultingChanges => {
    const result = prepare(sql).run(...values);
    changed += Number(result.changes);
    hasWritten ||= result.changes !== 0;
    return result;
  };
  const within = <T>(begin: 'BEGIN' | 'BEGIN IMMEDIATE', job: () => T, isSynced = true): T => {
    try {
      if (!isSynced) connection.exec('PRAGMA synchronous = NORMAL');
      prepare(begin).run();
      // Another process may have given the file its own version since this one opened it.
      requireVersion(prepare, headerNumber(prepare, 'user_version'), file, kind);
      const result = job();
      if (hasWritten && !isSigned) signAgain(prepare);
      prepare('COMMIT').run();
      isSigned = hasWritten;
      return result;
    } catch (error) {
      if (connection.isTransaction) connection.exec('ROLLBACK');
      throw databaseError(error, kind, file);
    } finally {
      if (!isSynced) connection.exec(SYNCED);
    }
  };
  return {
    run: (sql, ...values) => Number(change(sql, values).changes),
    insert: (sql, ...values) => Number(change(sql, values).lastInsertRowid),
    query: <Row>(sql: string) => prepare(sql) as unknown as SqlQuery<Row>,
    changes: () => changed,
    transaction: (job) => within('BEGIN IMMEDIATE', job),
    unsynced: (job) => within('BEGIN IMMEDIATE', job, false),
    reading: (job) => within('BEGIN', job),
    close: () => connection.close(),
  };
}

/** Acknowledged means on the disk: a commit is synced before it returns. */
export const SYNCED = 'PRAGMA synchronous = FULL';

/**
 * Every commit is synced from now on. The tables are there in their current version; another process may have made them.
 * @throws DatabaseUnusable for a file of another version or of another program; SQLite's own errors
 */
export function prepareSchema(
  connection: DatabaseSync,
  prepare: Prepare,
  file: string,
  kind: DatabaseKind,
): void {
  // Past the drive's own memory on macOS too.
  connection.exec(`${SYNCED}; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON`);
  if (kind.tuning !== undefined) connection.exec(`PRAGMA wal_autocheckpoint = ${kind.tuning.logPages}`);
  const version = versionOfOurs(connection, prepare, file, kind);
  if (version !== 0) {
    requireVersion(prepare, version, file, kind);
    return;
  }
  if (file !== MEMORY) {
    if (kind.tuning !== undefined) connection.exec(`PRAGMA page_size = ${kind.tuning.pageBytes}`);
    switchToWriteAhead(connection);
  }
  connection.exec('BEGIN IMMEDIATE');
  // Another process may have made the tables while this one waited.
  const found = headerNumber(prepare, 'user_version');
  if (found === 0) {
    connection.exec(kind.schema);
    signNew(prepare);
    connection.exec(`PRAGMA application_id = ${kind.applicationId}`);
    connection.exec(`PRAGMA user_version = ${kind.version}`);
  } else requireVersion(prepare, found, file, kind);
  connection.exec('COMMIT');
}

function requireVersion(prepare: Prepare, found: number, file: string, kind: DatabaseKind): void {
  if (found > kind.version) throw new DatabaseUnusable('newer', kind, file, { writer: lastWriter(prepare) });
  if (found < kind.version) throw new DatabaseUnusable('older', kind, file, { version: found });
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
