/** Statements of one connection, each prepared once. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';

export type Value = SQLInputValue;

export interface Query<Row> {
  get(...values: Value[]): Row | undefined;
  all(...values: Value[]): Row[];
  /** One row after the other; the query is not asked again meanwhile. */
  iterate(...values: Value[]): Iterable<Row>;
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
