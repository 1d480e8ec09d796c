/** Reads a SQLite file as it is: never made, never migrated, never waited for, never complained of. For what is nice to know. */
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { DatabaseKind } from './database-kind.js';
import { headerNumber, statementsOf } from './database-statements.js';

/** The rows of a query; none where the file is missing, of another version, in use by somebody who lets nobody read, or damaged. */
export function rowsAsTheyAre<Row>(
  file: string,
  { version, applicationId }: DatabaseKind,
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
