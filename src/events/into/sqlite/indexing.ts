/** The end of the first reading of a file: each id once, and indexed, in one go. To be called in a transaction. */
import type { Database } from '../../../runtime/database.js';
import { EVENT_NAMES, INDEXES, OPERATION_NAMES, PUT_EVENT, PUT_OPERATION } from './schema.js';

type Row = Readonly<Record<string, string | number | Uint8Array | null>>;

/** SQLITE_CONSTRAINT: an id is there twice. */
const CONSTRAINT = 19;

export function indexTables(db: Database): void {
  for (const table of ['svc_events', 'svc_operations'] as const) {
    if (isIndexed(db, table)) continue;
    const rows = takeRepeated(db, table);
    db.run(INDEXES[table]);
    const put = table === 'svc_events' ? PUT_EVENT : PUT_OPERATION;
    for (const row of rows) db.run(put, ...Object.values(row));
  }
}

/** False where something stands twice. */
function isIndexed(db: Database, table: keyof typeof INDEXES): boolean {
  try {
    db.run(INDEXES[table]);
    return true;
  } catch (error) {
    const { errcode } = error as { errcode?: unknown };
    if (typeof errcode === 'number' && (errcode & 0xff) === CONSTRAINT) return false;
    throw error;
  }
}

/** What stands more than once, taken out to be put in again as if the index had been there: in the order in which it came. */
function takeRepeated(db: Database, table: keyof typeof INDEXES): Row[] {
  const columns = (table === 'svc_events' ? EVENT_NAMES : OPERATION_NAMES).join(', ');
  const repeated = db.query<{ id: string }>(`SELECT id FROM ${table} GROUP BY id HAVING count(*) > 1`);
  const ids = JSON.stringify(repeated.all().map(({ id }) => id));
  const those = 'WHERE id IN (SELECT value FROM json_each(?))';
  const rows = db.query<Row>(`SELECT ${columns} FROM ${table} ${those} ORDER BY rowid`).all(ids);
  db.run(`DELETE FROM ${table} ${those}`, ids);
  return rows;
}
