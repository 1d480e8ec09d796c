/** Translates a plain statement from PostgreSQL to SQLite, so that it is written once. Statements that truly differ are written twice, side by side. Pure. */
import type { SqlValue } from '../runtime/database-file.js';

/** Asks either database one statement that only reads, in the words of PostgreSQL. @param read what the records mean; it may find damage */
export type Ask = <T>(
  text: string,
  values: readonly unknown[],
  read: (records: readonly never[]) => T,
) => Promise<T>;

/** A list of values, a value, bytes as digits; and what SQLite has not: a schema, the type of a value. */
const OTHERWISE = /= ANY \(\$(\d+)\)|\$(\d+)|encode\(([\w.]+), 'hex'\)|\bsvc\.|::\w+(?:\[\])?/g;

/** The statement, and its values in the order in which it names them. */
export function forSqlite(
  text: string,
  values: readonly unknown[],
): { readonly sql: string; readonly bound: SqlValue[] } {
  const bound: SqlValue[] = [];
  const bind = (some: readonly SqlValue[]): string => {
    bound.push(...some);
    return some.map(() => '?').join(', ');
  };
  const valueAt = (at: string): unknown => values[Number(at) - 1];
  const sql = text.replaceAll(OTHERWISE, (_, list?: string, one?: string, bytes?: string) => {
    if (list !== undefined) return `IN (${bind(valueAt(list) as SqlValue[])})`;
    if (one !== undefined) return bind([valueAt(one) as SqlValue]);
    return bytes === undefined ? '' : `lower(hex(${bytes}))`;
  });
  return { sql, bound };
}
