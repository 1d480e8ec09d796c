import { statSync } from 'node:fs';
import { DatabaseSync, type StatementResultingChanges } from 'node:sqlite';
import {
  MEMORY,
  preparePath,
  type DatabaseKind,
  headerNumber,
  recordWritingVersion,
  recordMakingVersion,
  statementsOf,
  type Prepare,
  type SqlQuery,
  type SqlValue,
  lastWriter,
} from './database-file.js';
import { databaseError, openingError, DatabaseUnusable } from './database-unusable.js';
import { syncNamesAbove } from './folders.js';

const BUSY_TIMEOUT_MS = 60_000;

export interface Database {
  run(sql: string, ...values: SqlValue[]): number;
  insert(sql: string, ...values: SqlValue[]): number;
  query<Row>(sql: string): SqlQuery<Row>;
  changes(): number;
  /** The writes are durable when this returns, and undone if `work` throws. */
  transaction<T>(work: () => T): T;
  /** A power cut may lose the writes until a later `transaction` returns. */
  unsyncedTransaction<T>(work: () => T): T;
  readTransaction<T>(work: () => T): T;
  close(): void;
}

export function openDatabase(file: string, kind: DatabaseKind): Database {
  let connection: DatabaseSync | null = null;
  try {
    if (file !== MEMORY) {
      preparePath(file, kind);
      // The name of an empty file may not be on the disk yet, because the process that made it may have
      // been killed.
      if (statSync(file).size === 0) syncNamesAbove(file);
    }
    connection = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: false });
    const prepare = statementsOf(connection);
    prepareSchema(connection, prepare, file, kind);
    return makeDatabase(connection, prepare, file, kind);
  } catch (error) {
    connection?.close();
    throw openingError(error, kind, file);
  }
}

function makeDatabase(
  connection: DatabaseSync,
  prepare: Prepare,
  file: string,
  kind: DatabaseKind,
): Database {
  let [hasWritten, isWriterRecorded] = [false, false];
  let changeCount = 0;
  const runAndCount = (sql: string, values: SqlValue[]): StatementResultingChanges => {
    const result = prepare(sql).run(...values);
    changeCount += Number(result.changes);
    hasWritten ||= result.changes !== 0;
    return result;
  };
  const inTransaction = <T>(begin: 'BEGIN' | 'BEGIN IMMEDIATE', job: () => T, isSynced = true): T => {
    try {
      if (!isSynced) connection.exec('PRAGMA synchronous = NORMAL');
      prepare(begin).run();
      requireVersion(prepare, headerNumber(prepare, 'user_version'), file, kind);
      const result = job();
      if (hasWritten && !isWriterRecorded) recordWritingVersion(prepare);
      prepare('COMMIT').run();
      isWriterRecorded = hasWritten;
      return result;
    } catch (error) {
      if (connection.isTransaction) connection.exec('ROLLBACK');
      throw databaseError(error, kind, file);
    } finally {
      if (!isSynced) connection.exec(SYNCED_COMMITS);
    }
  };
  return {
    run: (sql, ...values) => Number(runAndCount(sql, values).changes),
    insert: (sql, ...values) => Number(runAndCount(sql, values).lastInsertRowid),
    query: <Row>(sql: string) => prepare(sql) as unknown as SqlQuery<Row>,
    changes: () => changeCount,
    transaction: (job) => inTransaction('BEGIN IMMEDIATE', job),
    unsyncedTransaction: (job) => inTransaction('BEGIN IMMEDIATE', job, false),
    readTransaction: (job) => inTransaction('BEGIN', job),
    close: () => connection.close(),
  };
}

export const SYNCED_COMMITS = 'PRAGMA synchronous = FULL';

export function prepareSchema(
  connection: DatabaseSync,
  prepare: Prepare,
  file: string,
  kind: DatabaseKind,
): void {
  // `fullfsync` is on, because a sync on macOS otherwise leaves the data in the disk's own cache.
  connection.exec(`${SYNCED_COMMITS}; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON`);
  if (kind.tuning !== undefined) connection.exec(`PRAGMA wal_autocheckpoint = ${kind.tuning.logPages}`);
  const version = readTableVersion(connection, prepare, file, kind);
  if (version !== 0) {
    requireVersion(prepare, version, file, kind);
    return;
  }
  if (file !== MEMORY) {
    if (kind.tuning !== undefined) connection.exec(`PRAGMA page_size = ${kind.tuning.pageBytes}`);
    switchToWriteAhead(connection);
  }
  connection.exec('BEGIN IMMEDIATE');
  const currentVersion = headerNumber(prepare, 'user_version');
  if (currentVersion === 0) {
    connection.exec(kind.schema);
    recordMakingVersion(prepare);
    connection.exec(`PRAGMA application_id = ${kind.applicationId}`);
    connection.exec(`PRAGMA user_version = ${kind.version}`);
  } else requireVersion(prepare, currentVersion, file, kind);
  connection.exec('COMMIT');
}

function requireVersion(prepare: Prepare, version: number, file: string, kind: DatabaseKind): void {
  if (version > kind.version)
    throw new DatabaseUnusable('newer', kind, file, { writer: lastWriter(prepare) });
  if (version < kind.version) throw new DatabaseUnusable('older', kind, file, { version });
}

function readTableVersion(
  connection: DatabaseSync,
  prepare: Prepare,
  file: string,
  kind: DatabaseKind,
): number {
  connection.exec('BEGIN');
  try {
    const version = headerNumber(prepare, 'user_version');
    const isSvcFile = headerNumber(prepare, 'application_id') === kind.applicationId;
    if (isSvcFile && version !== 0) return version;
    const entryCount = prepare('SELECT count(*) AS count FROM sqlite_schema').get()?.['count'];
    if (entryCount !== 0) throw new DatabaseUnusable(isSvcFile ? 'damaged' : 'foreign', kind, file);
    return version;
  } finally {
    if (connection.isTransaction) connection.exec('ROLLBACK');
  }
}

/** The switch is tried again after an exclusive transaction, because the switch itself does not wait for a busy file. */
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
