/** Operations as they are stored: the JSON that callers get, ready to be sent, and the fields that callers never see. */
import type { Operation } from '../../contract/operation-members.js';
import type { Database } from '../../runtime/database.js';
import type { HiddenFacts, OperationRecord } from '../machine/operation.js';
import type { StoredCompany } from './companies.js';
import type { Environment } from '../../contract/access.js';
import type { EventType } from '../../contract/events.js';
import type { SqlValue } from '../../runtime/database-file.js';
import { insertInto, lowered, pageBounds, type From } from './rows.js';

/** One stored operation; `json` is the answer's body. */
export interface StoredOperation {
  readonly row: number;
  readonly company: number;
  readonly json: string;
  /** The metadata as the caller wrote it, numbers and all; JSON without white space. */
  readonly metadata: string;
  /** Parsed where it is first asked for. */
  record(): OperationRecord;
}

interface StoredOperationRow {
  readonly row: number;
  readonly company: number;
  readonly json: string;
  readonly metadata: string;
  readonly hidden: string;
}

const STORED_COLUMNS = 'row, company, json, metadata, hidden';

/** @param db the database in a transaction */
export function operationsIn(db: Database) {
  const select = (rest: string, ...values: SqlValue[]): StoredOperation[] =>
    db
      .query<StoredOperationRow>(`SELECT ${STORED_COLUMNS} FROM operations WHERE ${rest}`)
      .all(...values)
      .map(fromOperationRow);
  return {
    insert(company: StoredCompany, record: OperationRecord, metadata: string): StoredOperation {
      const json = operationJson(record.operation, metadata);
      const row = insertInto(db, 'operations', operationRow(company.id, record, metadata, json));
      return { row, company: company.id, json, metadata, record: () => record };
    },
    update(stored: StoredOperation, record: OperationRecord): StoredOperation {
      const json = operationJson(record.operation, stored.metadata);
      db.run(
        'UPDATE operations SET json = ?, hidden = ?, due_at = ?, awaits = ?, status = ? WHERE row = ?',
        json,
        JSON.stringify(record.hidden),
        record.hidden.due_at,
        awaitsOf(record.operation),
        record.operation.status,
        stored.row,
      );
      return { ...stored, json, record: () => record };
    },
    /** By its uuid in lower case, in that company alone. */
    find: (company: StoredCompany, id: string) => select('id = ? AND company = ?', id, company.id)[0],
    /** By its uuid in lower case, whatever company it is of. */
    findAnywhere: (id: string) => select('id = ?', id)[0],
    byRow(row: number): StoredOperation {
      const [found] = select('row = ?', row);
      if (found === undefined) throw new Error(`operation ${row} is referred to and not there`);
      return found;
    },
    /** The operation that changes by itself next, at that moment or before; of several at once the oldest. */
    nextDue: (untilMs: number) => select('due_at <= ? ORDER BY due_at, row LIMIT 1', untilMs)[0],
    /** The one that changes by itself next of all, whenever that is. */
    firstDue: () => select('due_at IS NOT NULL ORDER BY due_at, row LIMIT 1')[0],
    /** Sandbox time in ms at which that happens; null where nothing changes by itself. */
    nextDueAt: () =>
      db
        .query<{ at: number | null }>('SELECT min(due_at) AS at FROM operations WHERE due_at IS NOT NULL')
        .get()?.at ?? null,
    /** The incoming pay-ins that wait for a payment of that method, currency and about that amount, oldest first. */
    awaiting: (method: string, currency: string, amount: string) =>
      select('awaits = ? ORDER BY row', awaitKey(method, currency, amount)),
  };
}

function fromOperationRow({ row, company, json, metadata, hidden }: StoredOperationRow): StoredOperation {
  let record: OperationRecord | null = null;
  return {
    row,
    company,
    json,
    metadata,
    record: () =>
      (record ??= { operation: JSON.parse(json) as Operation, hidden: JSON.parse(hidden) as HiddenFacts }),
  };
}

/** Puts the metadata in as it was written: parsed and written again, `1.10` and 20-digit numbers would not survive. */
export function operationJson(operation: Operation, metadata: string): string {
  // Inside a string the quotes would be escaped, so the first match is the field itself.
  return JSON.stringify({ ...operation, metadata: null }).replace(
    '"metadata":null',
    () => `"metadata":${metadata}`,
  );
}

/** @param company its number @param json of `operationJson` */
export function operationRow(
  company: number,
  { operation, hidden }: OperationRecord,
  metadata: string,
  json: string,
): Readonly<Record<string, SqlValue>> {
  return {
    ...{ id: operation.id, company, json, metadata, hidden: JSON.stringify(hidden) },
    ...{ due_at: hidden.due_at, awaits: awaitsOf(operation), status: operation.status },
    reference: operation.reference ?? null,
  };
}

/** What a waiting operation is found by when a payment arrives; null where it waits for none. */
function awaitsOf({ pending_reason: reason, method, currency, amount }: Operation): string | null {
  return reason === 'awaiting_payment' ? awaitKey(method, currency, amount) : null;
}

/** Amounts that are equal as numbers (`10` is `10.00`) have the same whole part. Compare the rest after a search by this key. */
function awaitKey(method: string, currency: string, amount: string): string {
  const [whole = ''] = amount.split('.', 1);
  return `${method} ${currency} ${whole.replace(/^0+/, '')}`;
}

export interface ListedOperation {
  readonly stored: StoredOperation;
  readonly environment: Environment;
  /** Its name. */
  readonly company: string;
}

/** What a list is narrowed down to; null: anything. */
interface ListedFilter {
  readonly status: string | null;
  /** A part of its id or of its reference. */
  readonly search: string | null;
  readonly company: string | null;
  readonly environment: string | null;
  readonly method: string | null;
  /** Created then or later, to the second; */
  readonly fromIso: string | null;
  /** and before that. */
  readonly toIso: string | null;
}

type Row = StoredOperationRow & { readonly environment: Environment; readonly name: string };

const SELECTED = `SELECT ${STORED_COLUMNS.replaceAll(/\w+/g, 'operations.$&')}, environment, name
  FROM operations JOIN companies ON companies.id = operations.company`;
const CONDITIONS: Readonly<Record<Exclude<keyof ListedFilter, 'search'>, string>> = {
  status: 'status = ?',
  company: 'companies.name = ?',
  environment: 'companies.environment = ?',
  method: "json ->> '$.method' = ?",
  fromIso: "json ->> '$.created_at' >= ?",
  toIso: "json ->> '$.created_at' < ?",
};
/** Each half is read from an index alone; as a UNION both would read every operation. */
const NAMED = `(row IN (SELECT row FROM operations WHERE instr(id, ?) > 0)
  OR row IN (SELECT row FROM operations WHERE reference IS NOT NULL AND instr(lower(reference), ?) > 0))`;

/** @param db the database in a transaction */
export function operationListIn(db: Database) {
  return {
    /** Those behind an operation's row, oldest first, or those before one, newest first. */
    page(from: From, { search, ...others }: ListedFilter, limit: number): ListedOperation[] {
      const [condition, row, order] = pageBounds('row', from);
      const conditions: string[] = [condition];
      const values: SqlValue[] = [row];
      for (const [name, value] of Object.entries(others)) {
        if (value === null) continue;
        conditions.push(CONDITIONS[name as keyof typeof CONDITIONS]);
        values.push(value);
      }
      if (search !== null) {
        conditions.push(NAMED);
        values.push(lowered(search), lowered(search));
      }
      return db
        .query<Row>(`${SELECTED} WHERE ${conditions.join(' AND ')} ${order}`)
        .all(...values, limit)
        .map(fromRow);
    },
    find: (id: string): ListedOperation | undefined =>
      db.query<Row>(`${SELECTED} WHERE operations.id = ?`).all(id).map(fromRow)[0],
    /** The row of an operation, by its uuid in lower case. */
    rowOf: (id: string) => db.query<{ row: number }>('SELECT row FROM operations WHERE id = ?').get(id)?.row,
    /** What its events are called, and when they happened. */
    eventsOf: (row: number) =>
      db
        .query<{ id: string; type: EventType; occurred_at: string }>(
          `SELECT events.id AS id, type, occurred_iso AS occurred_at FROM events
           WHERE operation = ? ORDER BY sequence`,
        )
        .all(row),
    /** The ids of the deliveries of an event. */
    deliveriesOf: (event: string) =>
      db
        .query<{ id: string }>('SELECT id FROM deliveries WHERE event_id = ? ORDER BY row')
        .all(event)
        .map(({ id }) => id),
  };
}

function fromRow(row: Row): ListedOperation {
  return { stored: fromOperationRow(row), environment: row.environment, company: row.name };
}
