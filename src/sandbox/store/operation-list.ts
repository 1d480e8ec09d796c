/** Operations as a person looks through them: of all companies, in pages, by where they stand and by what they are called. */
import type { Environment } from '../../contract/access.js';
import type { EventType } from '../../contract/events.js';
import type { SqlValue } from '../../runtime/database-statements.js';
import type { Database } from '../../runtime/database.js';
import {
  fromOperationRow,
  STORED_COLUMNS,
  type StoredOperationRow,
  type StoredOperation,
} from './operations.js';

export interface ListedOperation {
  readonly stored: StoredOperation;
  readonly environment: Environment;
  /** Its name. */
  readonly company: string;
}

/** What a list is narrowed down to; null: anything. */
export interface ListedFilter {
  readonly status: string | null;
  /** A part of its id or of its reference. */
  readonly search: string | null;
}

export interface OperationList {
  /** Those behind an operation's row, oldest first, or those before one, newest first. */
  page(
    from: { readonly after: number } | { readonly before: number },
    filter: ListedFilter,
    limit: number,
  ): ListedOperation[];
  find(id: string): ListedOperation | undefined;
  /** The row of an operation, by its uuid in lower case. */
  rowOf(id: string): number | undefined;
  /** What its events are called, and when they happened. */
  eventsOf(row: number): { id: string; type: EventType; occurred_at: string }[];
  /** The ids of the deliveries of an event. */
  deliveriesOf(event: string): string[];
}

type Row = StoredOperationRow & { readonly environment: Environment; readonly name: string };

const SELECTED = `SELECT ${STORED_COLUMNS.replaceAll(/\w+/g, 'operations.$&')}, environment, name
  FROM operations JOIN companies ON companies.id = operations.company`;
/** Each half is read from an index alone; as a UNION both would read every operation. */
const NAMED = `(row IN (SELECT row FROM operations WHERE instr(id, ?) > 0)
  OR row IN (SELECT row FROM operations WHERE reference IS NOT NULL AND instr(lower(reference), ?) > 0))`;

/** @param db the database in a transaction */
export function operationListIn(db: Database): OperationList {
  return {
    page(from, { status, search }, limit) {
      const [where, order, row] =
        'after' in from
          ? (['row > ?', 'ASC', from.after] as const)
          : (['row < ?', 'DESC', from.before] as const);
      const conditions: string[] = [where];
      const values: SqlValue[] = [row];
      if (status !== null) {
        conditions.push('status = ?');
        values.push(status);
      }
      if (search !== null) {
        conditions.push(NAMED);
        values.push(lowered(search), lowered(search));
      }
      return db
        .query<Row>(`${SELECTED} WHERE ${conditions.join(' AND ')} ORDER BY row ${order} LIMIT ?`)
        .all(...values, limit)
        .map(fromRow);
    },
    find: (id) => db.query<Row>(`${SELECTED} WHERE operations.id = ?`).all(id).map(fromRow)[0],
    rowOf: (id) => db.query<{ row: number }>('SELECT row FROM operations WHERE id = ?').get(id)?.row,
    eventsOf: (row) =>
      db
        .query<{ id: string; type: EventType; occurred_at: string }>(
          `SELECT events.id AS id, type, occurred_iso AS occurred_at FROM events
           WHERE operation = ? ORDER BY sequence`,
        )
        .all(row),
    deliveriesOf: (event) =>
      db
        .query<{ id: string }>('SELECT id FROM deliveries WHERE event_id = ? ORDER BY row')
        .all(event)
        .map(({ id }) => id),
  };
}

function fromRow(row: Row): ListedOperation {
  return { stored: fromOperationRow(row), environment: row.environment, company: row.name };
}

/** As SQLite's `lower` does it: the letters of English alone. */
function lowered(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
