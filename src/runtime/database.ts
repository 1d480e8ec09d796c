/** One SQLite file (or memory) and the few ways to use it: prepared statements, and transactions that wait for their turn. */
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { MEMORY, preparePath } from './database-file.js';
import { prepareSchema } from './database-setup.js';
import { databaseError } from './database-unusable.js';

/** How long a process waits for the others that use the same file. */
const BUSY_TIMEOUT_MS = 60_000;

/** What a file is for: its name in messages, and its tables with the version that `PRAGMA user_version` keeps. */
export interface DatabaseKind {
  readonly name: string;
  readonly schema: string;
  /** Raised with every change that an older program could not read. */
  readonly version: number;
  /** Marks the file as ours (`PRAGMA application_id`). */
  readonly applicationId: number;
  /** Where many small commits all over the file matter more than large reads; SQLite's own sizes unless given. */
  readonly tuning?: Tuning;
}

export interface Tuning {
  /** A commit writes whole pages. It is the size of new files; others keep theirs. */
  readonly pageBytes: number;
  /** How many pages the write-ahead log holds before they go into the file itself. */
  readonly logPages: number;
}

export interface Query<Row> {
  get(...values: SQLInputValue[]): Row | undefined;
  all(...values: SQLInputValue[]): Row[];
  /** One row after the other; the query is not asked again meanwhile. */
  iterate(...values: SQLInputValue[]): Iterable<Row>;
}

export interface Database {
  /** Runs a statement and answers how many rows it changed. */
  run(sql: string, ...values: SQLInputValue[]): number;
  /** Runs an insert and answers the rowid of its row. */
  insert(sql: string, ...values: SQLInputValue[]): number;
  /** A statement that answers rows of that shape. */
  query<Row>(sql: string): Query<Row>;
  /**
   * Runs `work` with the file to itself: everything it wrote is durable when this returns, nothing of it remains when it throws.
   * @throws DatabaseUnusable where the file cannot be used
   */
  transaction<T>(work: () => T): T;
  close(): void;
}

/**
 * Opens the file, making it (0600, its folder 0700) and its tables where they are missing. Safe when many processes do so at once.
 * @throws DatabaseUnusable where the file cannot be used
 */
export function openDatabase(file: string, kind: DatabaseKind): Database {
  let connection: DatabaseSync | null = null;
  try {
    if (file !== MEMORY) preparePath(file);
    connection = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: false });
    prepareSchema(connection, file, kind);
    return wrap(connection, file, kind);
  } catch (error) {
    connection?.close();
    throw databaseError(error, kind.name, file);
  }
}

function wrap(connection: DatabaseSync, file: string, kind: DatabaseKind): Database {
  const statements = new Map<string, StatementSync>();
  const prepared = (sql: string): StatementSync => {
    let statement = statements.get(sql);
    if (statement === undefined) {
      statement = connection.prepare(sql);
      statements.set(sql, statement);
    }
    return statement;
  };
  const transaction = <T>(work: () => T): T => {
    try {
      prepared('BEGIN IMMEDIATE').run();
      const result = work();
      prepared('COMMIT').run();
      return result;
    } catch (error) {
      if (connection.isTransaction) connection.exec('ROLLBACK');
      throw databaseError(error, kind.name, file);
    }
  };
  return {
    run: (sql, ...values) => Number(prepared(sql).run(...values).changes),
    insert: (sql, ...values) => Number(prepared(sql).run(...values).lastInsertRowid),
    query: <Row>(sql: string) => prepared(sql) as unknown as Query<Row>,
    transaction,
    close: () => {
      statements.clear();
      connection.close();
    },
  };
}
