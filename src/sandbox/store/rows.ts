/** Helpers for all tables of the store: inserts, page bounds, and case for searches. */
import type { SqlValue } from '../../runtime/database-file.js';
import type { Database } from '../../runtime/database.js';

/** @param row values by column @returns the rowid, if the table has one */
export function insertInto(
  db: Database,
  table: string,
  row: Readonly<Record<string, SqlValue>>,
  conflictRule: 'ABORT' | 'IGNORE' | 'REPLACE' = 'ABORT',
): number {
  const columns = Object.keys(row);
  const places = columns.map(() => '?').join(', ');
  const sql = `INSERT OR ${conflictRule} INTO ${table} (${columns.join(', ')}) VALUES (${places})`;
  return db.insert(sql, ...Object.values(row));
}

/** How many rows one statement inserts. The remaining rows are inserted one by one, so that only two statements are prepared. */
const ROWS_AT_ONCE = 16;

/** Inserts rows that have the same columns, in half the time of single inserts. */
export function insertAll(
  db: Database,
  table: string,
  rows: readonly Readonly<Record<string, SqlValue>>[],
): void {
  const columns = Object.keys(rows[0] ?? {});
  const places = `(${columns.map(() => '?').join(', ')})`;
  const insertMany = `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${Array.from({ length: ROWS_AT_ONCE }, () => places).join(', ')}`;
  const blocksEnd = rows.length - (rows.length % ROWS_AT_ONCE);
  for (let from = 0; from < blocksEnd; from += ROWS_AT_ONCE) {
    const values: SqlValue[] = [];
    for (const row of rows.slice(from, from + ROWS_AT_ONCE))
      for (const column of columns) values.push(row[column] ?? null);
    db.run(insertMany, ...values);
  }
  for (const row of rows.slice(blocksEnd)) insertInto(db, table, row);
}

/** The start of a page: after a position (oldest first), or before it (newest first). */
export type PageStart = { readonly after: number } | { readonly before: number };

/** A condition of a query, and the values of its question marks. */
export type Condition = readonly [sql: string, ...values: SqlValue[]];

/**
 * Makes the end of a query for a page, and the values of its question marks; the last is the limit. A page after a position has the oldest
 * row first, a page before a position the newest.
 * @param column the column of the positions, which only grow
 * @param filters null for a filter that the caller does not use
 */
export function pageClause(
  column: string,
  from: PageStart,
  filters: readonly (Condition | null)[],
  limit: number,
): Condition {
  const [start, order]: [Condition, string] =
    'after' in from ? [[`${column} > ?`, from.after], 'ASC'] : [[`${column} < ?`, from.before], 'DESC'];
  const conditions = [start, ...filters.filter((filter) => filter !== null)];
  const where = conditions.map(([sql]) => sql).join(' AND ');
  const values = conditions.flatMap(([, ...ofCondition]) => ofCondition);
  return [`WHERE ${where} ORDER BY ${column} ${order} LIMIT ?`, ...values, limit];
}

/** Converts to lower case as SQLite's `lower` does: only ASCII letters. */
export function toLowerAscii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
