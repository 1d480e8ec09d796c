/** A SQLite file to work in that nobody keeps: private, without a name while it is used, and gone with its process, however that ends. */
import { closeSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { statementsOf, type SqlQuery, type SqlValue } from './database-file.js';
import { databaseError, type NamedDatabase } from './database-unusable.js';
import { makeFolders } from './folders.js';

/** What is read at once stays in memory, and nothing else: a sort takes as much. */
const CACHE_KILOBYTES = 6_000;

export type WorkQuery<Row> = Pick<SqlQuery<Row>, 'get' | 'iterate'>;

export interface WorkFile {
  run(sql: string, ...values: SqlValue[]): void;
  /** Rows are arrays of their columns, which are half the work of objects. */
  query<Row>(sql: string): WorkQuery<Row>;
  close(): void;
}

/**
 * Makes the file, which must not be there. Where the system allows it the name is taken away at once; else when it is closed. What SQLite
 * sorts beside it stands in files that have no name either.
 * @throws DatabaseUnusable where the file cannot be used, then and later
 */
export function openWorkFile(file: string, kind: NamedDatabase & { readonly schema: string }): WorkFile {
  const guarded = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw databaseError(error, kind, file);
    }
  };
  const connection = guarded(() => {
    makeFolders(dirname(file));
    closeSync(openSync(file, 'wx', 0o600));
    try {
      const made = new DatabaseSync(file);
      // All of it is one transaction that is never committed: nothing is written but what does not fit into the cache.
      made.exec(
        `PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;
         PRAGMA page_size = 16384; PRAGMA cache_size = -${CACHE_KILOBYTES}; BEGIN EXCLUSIVE; ${kind.schema}`,
      );
      return made;
    } finally {
      takeName(file);
    }
  });
  const prepare = statementsOf(connection);
  return {
    run: (sql, ...values) => guarded(() => void prepare(sql).run(...values)),
    query: <Row>(sql: string): WorkQuery<Row> => {
      const statement = guarded(() => prepare(sql));
      statement.setReturnArrays(true);
      const rows = statement as unknown as SqlQuery<Row>;
      return {
        get: (...values) => guarded(() => rows.get(...values)),
        *iterate(...values) {
          try {
            yield* rows.iterate(...values);
          } catch (error) {
            throw databaseError(error, kind, file);
          }
        },
      };
    },
    close: () => {
      connection.close();
      takeName(file);
    },
  };
}

function takeName(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // A system that keeps the names of open files: the next one takes it.
    return;
  }
}
