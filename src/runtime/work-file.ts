import { closeSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { statementsOf, type SqlQuery, type SqlValue } from './database-file.js';
import { databaseError, type NamedDatabase } from './database-unusable.js';
import { makeFolders } from './folders.js';

const CACHE_KILOBYTES = 6_000;

export type WorkQuery<Row> = Pick<SqlQuery<Row>, 'get' | 'iterate'>;

export interface WorkFile {
  run(sql: string, ...values: SqlValue[]): void;
  query<Row>(sql: string): WorkQuery<Row>;
  close(): void;
}

export function openWorkFile(file: string, kind: NamedDatabase & { readonly schema: string }): WorkFile {
  const translateErrors = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw databaseError(error, kind, file);
    }
  };
  const connection = translateErrors(() => {
    makeFolders(dirname(file));
    closeSync(openSync(file, 'wx', 0o600));
    try {
      const database = new DatabaseSync(file);
      // The transaction is never committed, because SQLite then writes only the pages that do not fit into
      // the cache.
      database.exec(
        `PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;
         PRAGMA page_size = 16384; PRAGMA cache_size = -${CACHE_KILOBYTES}; BEGIN EXCLUSIVE; ${kind.schema}`,
      );
      return database;
    } finally {
      removeName(file);
    }
  });
  const prepare = statementsOf(connection);
  return {
    run: (sql, ...values) => translateErrors(() => void prepare(sql).run(...values)),
    query: <Row>(sql: string): WorkQuery<Row> => {
      const statement = translateErrors(() => prepare(sql));
      statement.setReturnArrays(true);
      const query = statement as unknown as SqlQuery<Row>;
      return {
        get: (...values) => translateErrors(() => query.get(...values)),
        *iterate(...values) {
          try {
            yield* query.iterate(...values);
          } catch (error) {
            throw databaseError(error, kind, file);
          }
        },
      };
    },
    close: () => {
      connection.close();
      removeName(file);
    },
  };
}

function removeName(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    return;
  }
}
