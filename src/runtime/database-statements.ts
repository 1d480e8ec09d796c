/**
 * What a connection is asked: statements, each prepared once, the numbers in the file's header, and which version of svc made the file
 * and which wrote it last.
 */
import { existsSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { VERSION } from './version.js';

export type SqlValue = SQLInputValue;

export interface SqlQuery<Row> {
  get(...values: SqlValue[]): Row | undefined;
  all(...values: SqlValue[]): Row[];
  /** One row after the other; the query is not asked again meanwhile. */
  iterate(...values: SqlValue[]): Iterable<Row>;
}

/** Prepares a statement, or finds it. */
export type Prepare = (sql: string) => StatementSync;

export function statementsOf(connection: DatabaseSync): Prepare {
  const statements = new Map<string, StatementSync>();
  return (sql) => {
    let statement = statements.get(sql);
    if (statement === undefined) {
      statement = connection.prepare(sql);
      statements.set(sql, statement);
    }
    return statement;
  };
}

/** A number that SQLite keeps in the header of the file. */
export function headerNumber(prepare: Prepare, name: 'user_version' | 'application_id'): number {
  return (prepare(`PRAGMA ${name}`).get() as Record<string, number>)[name] ?? 0;
}

/** Its name. To empty a whole file leaves it alone. */
export const MADE_BY = 'made_by';

const IS_THERE = `SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = '${MADE_BY}'`;
/** What may stand in a message. */
const PLAUSIBLE = /^[0-9A-Za-z.+-]{1,40}$/;

/**
 * Notes that this version writes the file, and adds the table where it is missing: then `first` is null, unless the file is new.
 * Within a transaction.
 */
export function signFile(prepare: Prepare, isNew: boolean): void {
  if (prepare(IS_THERE).get() === undefined)
    prepare(`CREATE TABLE ${MADE_BY} (first TEXT, last TEXT NOT NULL) STRICT`).run();
  signAgain(prepare, isNew);
}

/** The same for a file whose tables are current: one that was made without the table stays without it. */
export function signIfKept(prepare: Prepare): void {
  if (prepare(IS_THERE).get() !== undefined) signAgain(prepare, false);
}

function signAgain(prepare: Prepare, isNew: boolean): void {
  const row = prepare(`SELECT last FROM ${MADE_BY}`).get();
  if (row === undefined) prepare(`INSERT INTO ${MADE_BY} VALUES (?, ?)`).run(isNew ? VERSION : null, VERSION);
  else if (row['last'] !== VERSION) prepare(`UPDATE ${MADE_BY} SET last = ?`).run(VERSION);
}

/** The version of svc that wrote the file last, or null where the file does not say. */
export function lastWriter(prepare: Prepare): string | null {
  let last: unknown;
  try {
    last = prepare(`SELECT last FROM ${MADE_BY}`).get()?.['last'];
  } catch {
    // A file of a later version may say it elsewhere, and a damaged one nowhere: neither keeps it from being refused by its number.
    return null;
  }
  return typeof last === 'string' && PLAUSIBLE.test(last) ? last : null;
}

/**
 * The rows of a query over a file as it is: never made, never migrated, never waited for, never complained of. For what is nice to know. None where the file is missing, of another version, in use by somebody who lets nobody read, or damaged.
 */
export function rowsAsTheyAre<Row>(
  file: string,
  { version, applicationId }: { readonly version: number; readonly applicationId: number },
  sql: string,
): Row[] {
  if (!existsSync(file)) return [];
  try {
    const connection = new DatabaseSync(file, { readOnly: true, timeout: 0 });
    try {
      const prepare = statementsOf(connection);
      const isOurs = headerNumber(prepare, 'application_id') === applicationId;
      if (!isOurs || headerNumber(prepare, 'user_version') !== version) return [];
      return prepare(sql).all() as Row[];
    } finally {
      connection.close();
    }
  } catch {
    return [];
  }
}
