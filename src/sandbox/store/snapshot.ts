import type { EventType } from '../../contract/events.js';
import type { SqlValue } from '../../runtime/database-file.js';
import type { Database } from '../../runtime/database.js';
import { insertAll } from './rows.js';

/** `emptyTables` keeps counters, companies and keys. */
export function snapshotIn(db: Database, emptyTables: () => void) {
  return {
    /** Companies and operations are named by row number. */
    rows: () => ({
      bankReferences: db
        .query<{ name: string; value: number }>(
          "SELECT name, value FROM counters WHERE name LIKE 'bank_reference.%'",
        )
        .all(),
      balances: db
        .query<{ company: number; currency: string; available: string; reserved: string }>(
          'SELECT company, currency, available, reserved FROM balances ORDER BY company, currency',
        )
        .all(),
      idempotency: db
        .query<{
          company: number;
          key: string;
          fingerprint: Uint8Array;
          operation: number | null;
          expires_at: number;
        }>('SELECT company, key, fingerprint, operation, expires_at FROM idempotency ORDER BY company, key')
        .all(),
      operations: db
        .query<{ row: number; id: string; company: number; json: string; hidden: string }>(
          'SELECT row, id, company, json, hidden FROM operations ORDER BY row',
        )
        .all(),
      events: db
        .query<{ sequence: number; id: string; type: EventType; occurred_iso: string; operation: number }>(
          'SELECT sequence, id, type, occurred_iso, operation FROM events ORDER BY sequence',
        )
        .all(),
    }),
    /**
     * An old cursor skips no later event, because numbers of events continue after the largest one ever used. All rows of a table must have the
     * same columns.
     */
    replace(tables: Readonly<Record<string, readonly Readonly<Record<string, SqlValue>>[]>>): void {
      emptyTables();
      for (const table of ['counters', 'keys', 'companies']) db.run(`DELETE FROM ${table}`);
      for (const [table, rows] of Object.entries(tables)) insertAll(db, table, rows);
    },
  };
}
