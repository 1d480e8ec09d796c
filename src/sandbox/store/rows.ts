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
