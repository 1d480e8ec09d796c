import type { Operation } from '../../contract/operation-members.js';
import type { Database } from '../../runtime/database.js';
import type { HiddenData, OperationRecord } from '../machine/operation.js';
import type { StoredCompany } from './companies.js';
import type { Environment } from '../../contract/access.js';
import type { EventType } from '../../contract/events.js';
import type { SqlValue } from '../../runtime/database-file.js';
import { insertInto, toLowerAscii, pageClause, type Condition, type PageStart } from './rows.js';

export interface StoredOperation {
  readonly row: number;
  readonly company: number;
  readonly json: string;
  readonly metadata: string;
  record(): OperationRecord;
}

type StoredOperationRow = Omit<StoredOperation, 'record'> & { readonly hidden: string };

const STORED_COLUMNS = 'row, company, json, metadata, hidden';

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
      const { operation, hidden } = record;
      const json = operationJson(operation, stored.metadata);
      db.run(
        'UPDATE operations SET json = ?, hidden = ?, due_at = ?, awaits = ?, status = ? WHERE row = ?',
        ...[json, JSON.stringify(hidden), hidden.due_at, awaitsOf(operation), operation.status, stored.row],
      );
      return { ...stored, json, record: () => record };
    },
    find: (company: StoredCompany, id: string) => select('id = ? AND company = ?', id, company.id)[0],
    findAnywhere: (id: string) => select('id = ?', id)[0],
    byRow(row: number): StoredOperation {
      const [stored] = select('row = ?', row);
      if (stored === undefined) throw new Error(`operation ${row} is referred to and not there`);
      return stored;
    },
    nextDue: (untilMs: number) => select('due_at <= ? ORDER BY due_at, row LIMIT 1', untilMs)[0],
    firstDue: () => select('due_at IS NOT NULL ORDER BY due_at, row LIMIT 1')[0],
    nextDueAt: () =>
      db
        .query<{ at: number | null }>('SELECT min(due_at) AS at FROM operations WHERE due_at IS NOT NULL')
        .get()?.at ?? null,
    waitingPayins: (method: string, currency: string, amount: string) =>
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
      (record ??= { operation: JSON.parse(json) as Operation, hidden: JSON.parse(hidden) as HiddenData }),
  };
}

/** The metadata is inserted as text, because parsing would change `1.10` and 20-digit numbers. */
export function operationJson(operation: Operation, metadata: string): string {
  // Quotes inside a string are escaped, so the first match is the member `metadata` itself.
  return JSON.stringify({ ...operation, metadata: null }).replace(
    '"metadata":null',
    () => `"metadata":${metadata}`,
  );
}

export const operationRow = (
  company: number,
  { operation, hidden }: OperationRecord,
  metadata: string,
  json: string,
): Readonly<Record<string, SqlValue>> => ({
  ...{ id: operation.id, company, json, metadata, hidden: JSON.stringify(hidden) },
  ...{ due_at: hidden.due_at, awaits: awaitsOf(operation), status: operation.status },
  reference: operation.reference ?? null,
});

const awaitsOf = ({ pending_reason: reason, method, currency, amount }: Operation): string | null =>
  reason === 'awaiting_payment' ? awaitKey(method, currency, amount) : null;

/** Only the whole part of the amount counts, because `10` equals `10.00`. Callers compare the decimals. */
function awaitKey(method: string, currency: string, amount: string): string {
  const [whole = ''] = amount.split('.', 1);
  return `${method} ${currency} ${whole.replace(/^0+/, '')}`;
}

export interface ListedOperation {
  readonly stored: StoredOperation;
  readonly environment: Environment;
  readonly company: string;
}

type OperationFilter = Readonly<
  Record<'status' | 'search' | 'company' | 'environment' | 'method' | 'fromIso' | 'toIso', string | null>
>;

type Row = StoredOperationRow & { readonly environment: Environment; readonly name: string };

const SELECT_LISTED = `SELECT ${STORED_COLUMNS.replaceAll(/\w+/g, 'operations.$&')}, environment, name
  FROM operations JOIN companies ON companies.id = operations.company`;
const CONDITIONS: Readonly<Record<Exclude<keyof OperationFilter, 'search'>, string>> = {
  status: 'status = ?',
  company: 'companies.name = ?',
  environment: 'companies.environment = ?',
  method: "json ->> '$.method' = ?",
  fromIso: "json ->> '$.created_at' >= ?",
  toIso: "json ->> '$.created_at' < ?",
};
const SEARCH_CONDITION = `(row IN (SELECT row FROM operations WHERE instr(id, ?) > 0)
  OR row IN (SELECT row FROM operations WHERE reference IS NOT NULL AND instr(lower(reference), ?) > 0))`;

interface OperationCount {
  readonly company: string;
  readonly environment: Environment;
  readonly count: number;
}

function conditionsOf({ search, ...others }: OperationFilter): Condition[] {
  const conditions = Object.entries(others).flatMap(([name, value]): Condition[] =>
    value === null ? [] : [[CONDITIONS[name as keyof typeof CONDITIONS], value]],
  );
  const text = toLowerAscii(search ?? '');
  return search === null ? conditions : [...conditions, [SEARCH_CONDITION, text, text]];
}

export const operationListIn = (db: Database) => ({
  page(from: PageStart, filter: OperationFilter, limit: number): ListedOperation[] {
    const [clause, ...values] = pageClause('row', from, conditionsOf(filter), limit);
    return db
      .query<Row>(`${SELECT_LISTED} ${clause}`)
      .all(...values)
      .map(fromRow);
  },
  counts(filter: OperationFilter): OperationCount[] {
    const conditions = conditionsOf(filter);
    const where = conditions.map(([sql]) => ` AND ${sql}`).join('');
    return db
      .query<OperationCount>(
        `SELECT name AS company, environment, count(*) AS count FROM operations
         JOIN companies ON companies.id = operations.company WHERE true${where} GROUP BY companies.id`,
      )
      .all(...conditions.flatMap(([, ...values]) => values))
      .map((count) => ({ ...count }));
  },
  find: (id: string): ListedOperation | undefined =>
    db.query<Row>(`${SELECT_LISTED} WHERE operations.id = ?`).all(id).map(fromRow)[0],
  rowOf: (id: string) => db.query<{ row: number }>('SELECT row FROM operations WHERE id = ?').get(id)?.row,
  eventsOf: (row: number) =>
    db
      .query<{ id: string; type: EventType; occurred_at: string }>(
        `SELECT events.id AS id, type, occurred_iso AS occurred_at FROM events
         WHERE operation = ? ORDER BY sequence`,
      )
      .all(row),
  deliveriesOf: (event: string) =>
    db
      .query<{ id: string }>('SELECT id FROM deliveries WHERE event_id = ? ORDER BY row')
      .all(event)
      .map(({ id }) => id),
});

function fromRow(row: Row): ListedOperation {
  return { stored: fromOperationRow(row), environment: row.environment, company: row.name };
}
