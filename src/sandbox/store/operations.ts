import type { Operation } from '../../contract/operation-members.js';
import type { Database } from '../../runtime/database.js';
import type { HiddenData, OperationRecord } from '../machine/operation.js';
import type { StoredCompany } from './companies.js';
import type { Environment } from '../../contract/access.js';
import type { EventType } from '../../contract/events.js';
import type { SqlValue } from '../../runtime/database-file.js';
import { conditionsOf, insertInto, pageClause, type Filter, type PageStart } from './rows.js';

export interface StoredOperation {
  readonly row: number;
  readonly company: StoredCompany;
  readonly json: string;
  readonly metadata: string;
  record(): OperationRecord;
}

interface Row extends Pick<StoredOperation, 'row' | 'json' | 'metadata'>, Omit<StoredCompany, 'id'> {
  readonly company: number;
  readonly hidden: string;
}

const CONDITIONS = {
  status: 'status = ?',
  search: `(row IN (SELECT row FROM operations WHERE instr(id, lower(?)) > 0)
    OR row IN (SELECT row FROM operations WHERE reference IS NOT NULL AND instr(lower(reference), lower(?)) > 0))`,
  company: 'name = ?',
  environment: 'environment = ?',
  method: "json ->> '$.method' = ?",
  fromIso: "json ->> '$.created_at' >= ?",
  toIso: "json ->> '$.created_at' < ?",
};
type OperationFilter = Filter<keyof typeof CONDITIONS>;

export function operationsIn(db: Database) {
  const select = (rest: string, ...values: SqlValue[]): StoredOperation[] =>
    db
      .query<Row>(
        `SELECT row, company, json, metadata, hidden, environment, name
         FROM operations JOIN companies ON companies.id = company ${rest}`,
      )
      .all(...values)
      .map(fromRow);
  return {
    insert(company: StoredCompany, record: OperationRecord, metadata: string): StoredOperation {
      const json = operationJson(record.operation, metadata);
      const row = insertInto(db, 'operations', operationRow(company.id, record, metadata, json));
      return { row, company, json, metadata, record: () => record };
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
    find: (id: string) => select('WHERE operations.id = ?', id)[0],
    byRow(row: number): StoredOperation {
      const [stored] = select('WHERE row = ?', row);
      if (stored === undefined) throw new Error(`operation ${row} is referred to and not there`);
      return stored;
    },
    rowOf: (id: string) => db.query<{ row: number }>('SELECT row FROM operations WHERE id = ?').get(id)?.row,
    page: (from: PageStart, filter: OperationFilter, limit: number) =>
      select(...pageClause('row', from, conditionsOf(CONDITIONS, filter), limit)),
    counts(filter: OperationFilter) {
      const conditions = conditionsOf(CONDITIONS, filter);
      const where = conditions.map(([sql]) => ` AND ${sql}`).join('');
      return db
        .query<{ company: string; environment: Environment; count: number }>(
          `SELECT name AS company, environment, count(*) AS count FROM operations
           JOIN companies ON companies.id = operations.company WHERE true${where} GROUP BY companies.id`,
        )
        .all(...conditions.flatMap(([, ...values]) => values));
    },
    nextDue: (untilMs: number) => select('WHERE due_at <= ? ORDER BY due_at, row LIMIT 1', untilMs)[0],
    firstDue: () => select('WHERE due_at IS NOT NULL ORDER BY due_at, row LIMIT 1')[0],
    nextDueAt: () =>
      db
        .query<{ at: number | null }>('SELECT min(due_at) AS at FROM operations WHERE due_at IS NOT NULL')
        .get()?.at ?? null,
    waitingPayins: (method: string, currency: string, amount: string) =>
      select('WHERE awaits = ? ORDER BY row', awaitKey(method, currency, amount)),
    eventsOf: (row: number) =>
      db
        .query<{ id: string; type: EventType; occurred_at: string }>(
          'SELECT id, type, occurred_iso AS occurred_at FROM events WHERE operation = ? ORDER BY sequence',
        )
        .all(row),
    deliveriesOf: (event: string) =>
      db
        .query<{ id: string }>('SELECT id FROM deliveries WHERE event_id = ? ORDER BY row')
        .all(event)
        .map(({ id }) => id),
  };
}

function fromRow({ row, company: id, environment, name, json, metadata, hidden }: Row): StoredOperation {
  let record: OperationRecord | null = null;
  return {
    row,
    company: { id, environment, name },
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
