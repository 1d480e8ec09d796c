/** What a SQLite file is for: its tables, the number of their version, and the steps that bring older files to it. */
import type { SqlQuery, SqlValue } from './database-statements.js';
import type { NamedDatabase } from './database-unusable.js';

export interface DatabaseKind extends NamedDatabase {
  /** The tables of a new file, at once in their current version. */
  readonly schema: string;
  /** Kept by `PRAGMA user_version`. Raised with every change that an older program could not read or would get wrong. */
  readonly version: number;
  /** Marks the file as ours (`PRAGMA application_id`). */
  readonly applicationId: number;
  /** In the order of their versions, without a gap, the last one to `version`. Files older than the first are refused. */
  readonly migrations?: readonly Migration[];
  /** Where many small commits all over the file matter more than large reads; SQLite's own sizes unless given. */
  readonly tuning?: Tuning;
}

/** One step, forward only: from the version `from` to the next number. */
export interface Migration {
  readonly from: number;
  /**
   * SQL, or work over the database. All steps of one opening are one transaction, which no step ends; a step that throws leaves the
   * file as it was. A step over many rows takes them by ranges of their key: what it changes while it iterates it may meet again.
   */
  readonly run: string | ((db: MigrationDatabase) => void);
}

export interface MigrationDatabase {
  /** Runs any number of statements. */
  exec(sql: string): void;
  /** Runs a statement and answers how many rows it changed. */
  run(sql: string, ...values: SqlValue[]): number;
  /** Runs an insert and answers the rowid of its row. */
  insert(sql: string, ...values: SqlValue[]): number;
  query<Row>(sql: string): SqlQuery<Row>;
}

export interface Tuning {
  /** A commit writes whole pages. It is the size of new files; others keep theirs. */
  readonly pageBytes: number;
  /** How many pages the write-ahead log holds before they go into the file itself. */
  readonly logPages: number;
}
