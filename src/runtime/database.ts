/** One SQLite file (or memory) and the few ways to use it: prepared statements, and transactions that wait for their turn. */
import { DatabaseSync } from 'node:sqlite';
import { dropCopies, keepName, MEMORY, preparePath } from './database-file.js';
import type { DatabaseKind } from './database-kind.js';
import { otherVersion, prepareSchema, SYNCED } from './database-setup.js';
import {
  headerNumber,
  signIfKept,
  statementsOf,
  type Prepare,
  type SqlQuery,
  type SqlValue,
} from './database-statements.js';
import { databaseError, openingError } from './database-unusable.js';

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
  /** Removes the copy from before a migration too, where everything that was done here went well. */
  close(): void;
}

/**
 * Opens the file, making it (0600, its folder 0700) and its tables where they are missing, and bringing those of an older version to
 * the current one. Safe when many processes do so at once.
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
    const hasCopy = prepareSchema(connection, prepare, file, kind);
    return wrap({ connection, prepare, hasCopy }, file, kind);
  } catch (error) {
    connection?.close();
    throw openingError(error, kind, file);
  }
}

/** A connection that is ready, and whether a copy from before a migration stands beside its file. */
interface Ready {
  readonly connection: DatabaseSync;
  readonly prepare: Prepare;
  readonly hasCopy: boolean;
}

function wrap({ connection, prepare, hasCopy }: Ready, file: string, kind: DatabaseKind): Database {
  let [hasWritten, isSigned] = [false, false];
  let changed = 0;
  let work: 'none' | 'good' | 'failed' = 'none';
  const change = (
    sql: string,
    values: SqlValue[],
  ): { changes: number | bigint; lastInsertRowid: number | bigint } => {
    const result = prepare(sql).run(...values);
    changed += Number(result.changes);
    hasWritten ||= result.changes !== 0;
    return result;
  };
  const inTurn = <T>(job: () => T, isSynced: boolean): T => {
    try {
      if (!isSynced) connection.exec('PRAGMA synchronous = NORMAL');
      prepare('BEGIN IMMEDIATE').run();
      // Another process may have brought the file to its own version since this one opened it.
      const version = headerNumber(prepare, 'user_version');
      if (version !== kind.version) throw otherVersion(prepare, version, file, kind);
      const result = job();
      if (hasWritten && !isSigned) signIfKept(prepare);
      prepare('COMMIT').run();
      isSigned = hasWritten;
      if (work === 'none') work = 'good';
      return result;
    } catch (error) {
      work = 'failed';
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
    transaction: (job) => inTurn(job, true),
    unsynced: (job) => inTurn(job, false),
    close: () => {
      connection.close();
      if (hasCopy && work === 'good') forgetCopies(file, kind);
    },
  };
}

/** The next to work with the file does it where this one can't: no reason for a command to fail that has done its work. */
function forgetCopies(file: string, { version }: DatabaseKind): void {
  try {
    dropCopies(file, version);
  } catch {
    return;
  }
}
