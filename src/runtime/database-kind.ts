/** What a SQLite file is for: its tables, the number of their version, and the steps that bring older files to it. */
import type { DatabaseSync } from 'node:sqlite';
import {
  dropCopy,
  makeCopy,
  MEMORY,
  type Prepare,
  signFile,
  type SqlQuery,
  type SqlValue,
} from './database-file.js';
import { databaseError, DatabaseUnusable, type NamedDatabase } from './database-unusable.js';
import { Failure } from './failure.js';

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

/** The steps from that version to the current one; null where none begins there. */
export function stepsFrom(found: number, { version, migrations = [] }: DatabaseKind): Migration[] | null {
  const first = migrations.findIndex(({ from }) => from === found);
  if (first === -1) return null;
  const steps = migrations.slice(first);
  if (steps.some(({ from }, index) => from !== found + index) || found + steps.length !== version)
    throw new Error(`the migrations from version ${found} to ${version} have a gap`);
  return steps;
}

/**
 * Runs the steps and commits. To be called within a transaction that changed nothing yet.
 * @throws DatabaseUnusable where the copy or a step fails: the file is as it was
 */
export function migrate(
  { connection, prepare }: { readonly connection: DatabaseSync; readonly prepare: Prepare },
  steps: readonly Migration[],
  file: string,
  kind: DatabaseKind,
): void {
  // Half a second for 600 MB: what is damaged is not carried over, nor copied and then called good.
  if (prepare('PRAGMA integrity_check(1)').get()?.['integrity_check'] !== 'ok')
    throw new DatabaseUnusable('damaged', kind, file);
  if (file !== MEMORY) makeCopy(file, kind.version);
  try {
    // What a step moves or drops must not stay behind in pages that nothing uses: it may be personal data.
    connection.exec('PRAGMA secure_delete = ON');
    const db = stepDatabase(connection, prepare);
    for (const { run } of steps) {
      if (typeof run === 'string') connection.exec(run);
      else run(db);
      if (!connection.isTransaction) throw new Error('a step ended the transaction');
    }
    signFile(prepare, false);
    connection.exec(`PRAGMA user_version = ${kind.version}`);
  } catch (error) {
    if (connection.isTransaction) connection.exec('ROLLBACK');
    if (file !== MEMORY) dropCopy(file, kind.version);
    throw unmigrated(error, file, kind);
  }
  // A commit that fails may still have reached the disk: the copy stays until the next opening knows.
  connection.exec('COMMIT');
  connection.exec('PRAGMA secure_delete = OFF');
}

function stepDatabase(connection: DatabaseSync, prepare: Prepare): MigrationDatabase {
  return {
    exec: (sql) => connection.exec(sql),
    run: (sql, ...values) => Number(prepare(sql).run(...values).changes),
    insert: (sql, ...values) => Number(prepare(sql).run(...values).lastInsertRowid),
    query: <Row>(sql: string) => prepare(sql) as unknown as SqlQuery<Row>,
  };
}

/** A full disk is one; whatever else a step fails with is in the file: steps are the same every time. */
function unmigrated(error: unknown, file: string, kind: DatabaseKind): unknown {
  const known = databaseError(error, kind, file);
  return known instanceof Failure ? known : new DatabaseUnusable('unmigrated', kind, file, { cause: error });
}
