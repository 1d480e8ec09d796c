import type { SqlValue } from '../../runtime/database-file.js';

export type Ask = <T>(
  text: string,
  values: readonly unknown[],
  read: (records: readonly never[]) => T,
) => Promise<T>;

const POSTGRES_SYNTAX = /= ANY \(\$(\d+)\)|\$(\d+)|encode\(([\w.]+), 'hex'\)|\bsvc\.|::\w+(?:\[\])?/g;

export function forSqlite(
  text: string,
  values: readonly unknown[],
): { readonly sql: string; readonly parameters: SqlValue[] } {
  const parameters: SqlValue[] = [];
  const bind = (newValues: readonly SqlValue[]): string => {
    parameters.push(...newValues);
    return newValues.map(() => '?').join(', ');
  };
  const valueAt = (at: string): unknown => values[Number(at) - 1];
  const sql = text.replaceAll(POSTGRES_SYNTAX, (_, list?: string, one?: string, bytes?: string) => {
    if (list !== undefined) return `IN (${bind(valueAt(list) as SqlValue[])})`;
    if (one !== undefined) return bind([valueAt(one) as SqlValue]);
    return bytes === undefined ? '' : `lower(hex(${bytes}))`;
  });
  return { sql, parameters };
}
