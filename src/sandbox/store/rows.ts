import type { SqlValue } from '../../runtime/database-file.js';
import type { Database } from '../../runtime/database.js';

export function insertInto(
  db: Database,
  table: string,
  row: Readonly<Record<string, SqlValue>>,
  conflictRule: 'ABORT' | 'IGNORE' | 'REPLACE' = 'ABORT',
): number {
  const columns = Object.keys(row);
  const placeholders = columns.map(() => '?').join(', ');
  const sql = `INSERT OR ${conflictRule} INTO ${table} (${columns.join(', ')}) VALUES (${placeholders})`;
  return db.insert(sql, ...Object.values(row));
}

const ROWS_AT_ONCE = 16;

export function insertAll(db: Database, table: string, rows: readonly Readonly<Record<string, SqlValue>>[]) {
  const columns = Object.keys(rows[0] ?? {});
  const placeholders = `(${columns.map(() => '?').join(', ')})`;
  const blockSql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${Array.from({ length: ROWS_AT_ONCE }, () => placeholders).join(', ')}`;
  const blocksEnd = rows.length - (rows.length % ROWS_AT_ONCE);
  for (let from = 0; from < blocksEnd; from += ROWS_AT_ONCE) {
    const values: SqlValue[] = [];
    for (const row of rows.slice(from, from + ROWS_AT_ONCE))
      for (const column of columns) values.push(row[column] ?? null);
    db.run(blockSql, ...values);
  }
  for (const row of rows.slice(blocksEnd)) insertInto(db, table, row);
}

export type PageStart = { readonly after: number } | { readonly before: number };

export type Condition = readonly [sql: string, ...values: SqlValue[]];

export type Filter<Name extends string> = Readonly<Record<Name, string | number | null>>;

/** A filter binds its value to each `?` of its condition. Null is no filter. */
export const conditionsOf = <Name extends string>(
  sqlByName: Readonly<Record<Name, string>>,
  filter: Filter<Name>,
): Condition[] =>
  Object.entries<string | number | null>(filter).flatMap(([name, value]): Condition[] => {
    const sql = sqlByName[name as Name];
    return value === null ? [] : [[sql, ...Array<SqlValue>(sql.split('?').length - 1).fill(value)]];
  });

export function pageClause(
  column: string,
  from: PageStart,
  filterConditions: readonly Condition[],
  limit: number,
): Condition {
  const [start, order]: [Condition, string] =
    'after' in from ? [[`${column} > ?`, from.after], 'ASC'] : [[`${column} < ?`, from.before], 'DESC'];
  const conditions = [start, ...filterConditions];
  const where = conditions.map(([sql]) => sql).join(' AND ');
  const values = conditions.flatMap(([, ...conditionValues]) => conditionValues);
  return [`WHERE ${where} ORDER BY ${column} ${order} LIMIT ?`, ...values, limit];
}
