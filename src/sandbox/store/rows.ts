/** What all tables of the store share: how a row is written, where a page of rows begins, and how text is searched. */
import type { SqlValue } from '../../runtime/database-file.js';
import type { Database } from '../../runtime/database.js';

/** @param row by its columns @returns its rowid, where the table has one */
export function insertInto(
  db: Database,
  table: string,
  row: Readonly<Record<string, SqlValue>>,
  otherwise: 'ABORT' | 'IGNORE' | 'REPLACE' = 'ABORT',
): number {
  const columns = Object.keys(row);
  const places = columns.map(() => '?').join(', ');
  const sql = `INSERT OR ${otherwise} INTO ${table} (${columns.join(', ')}) VALUES (${places})`;
  return db.insert(sql, ...Object.values(row));
}

/** So many rows go with one statement; what is left over goes one by one, so that few statements are kept. */
const ROWS_AT_ONCE = 16;

/** Many rows of the same columns, in half the time. */
export function insertAll(
  db: Database,
  table: string,
  rows: readonly Readonly<Record<string, SqlValue>>[],
): void {
  const columns = Object.keys(rows[0] ?? {});
  const places = `(${columns.map(() => '?').join(', ')})`;
  const many = `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${Array.from({ length: ROWS_AT_ONCE }, () => places).join(', ')}`;
  const whole = rows.length - (rows.length % ROWS_AT_ONCE);
  for (let from = 0; from < whole; from += ROWS_AT_ONCE) {
    const values: SqlValue[] = [];
    for (const row of rows.slice(from, from + ROWS_AT_ONCE))
      for (const column of columns) values.push(row[column] ?? null);
    db.run(many, ...values);
  }
  for (const row of rows.slice(whole)) insertInto(db, table, row);
}

/** Where a page begins, by a position that only grows; newest first where it goes back. */
export type From = { readonly after: number } | { readonly before: number };

/** @param column the position */
export function pageBounds(
  column: string,
  from: From,
): readonly [condition: string, position: number, order: string] {
  return 'after' in from
    ? [`${column} > ?`, from.after, `ORDER BY ${column} ASC LIMIT ?`]
    : [`${column} < ?`, from.before, `ORDER BY ${column} DESC LIMIT ?`];
}

/** As SQLite's `lower` does it: the letters of English alone. */
export function lowered(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
