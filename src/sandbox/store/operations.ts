/** Operations as they are stored: the JSON that callers get, ready to be sent, and beside it what they never see. */
import type { Operation } from '../../contract/operation-members.js';
import type { Database } from '../../runtime/database.js';
import type { Hidden, OperationRecord } from '../machine/types.js';
import type { StoredCompany } from './companies.js';

/** One stored operation; `json` is the answer's body. */
export interface StoredOperation {
  readonly row: number;
  readonly company: number;
  readonly json: string;
  /** The metadata as the caller wrote it, numbers and all; JSON without white space. */
  readonly metadata: string;
  /** Parsed where it is first asked for. */
  held(): OperationRecord;
}

export interface Operations {
  insert(company: StoredCompany, held: OperationRecord, metadata: string): StoredOperation;
  update(stored: StoredOperation, held: OperationRecord): StoredOperation;
  /** By its uuid in lower case, in that company alone. */
  find(company: StoredCompany, id: string): StoredOperation | undefined;
  /** By its uuid in lower case, whatever company it is of. */
  findAnywhere(id: string): StoredOperation | undefined;
  byRow(row: number): StoredOperation;
  /** The operation that changes by itself next, at that moment or before; of several at once the oldest. */
  nextDue(untilMs: number): StoredOperation | undefined;
  /** The one that changes by itself next of all, whenever that is. */
  firstDue(): StoredOperation | undefined;
  /** Sandbox time in ms at which that happens; null where nothing changes by itself. */
  nextDueAt(): number | null;
  /** The incoming pay-ins that wait for a payment of that method, currency and about that amount, oldest first. */
  awaiting(method: string, currency: string, amount: string): StoredOperation[];
}

export interface StoredOperationRow {
  readonly row: number;
  readonly company: number;
  readonly json: string;
  readonly metadata: string;
  readonly hidden: string;
}

export const STORED_COLUMNS = 'row, company, json, metadata, hidden';

/** @param db the database in a transaction */
export function operationsIn(db: Database): Operations {
  const one = (row: StoredOperationRow | undefined): StoredOperation | undefined =>
    row === undefined ? undefined : fromOperationRow(row);
  return {
    insert(company, held, metadata) {
      const json = jsonOf(held.operation, metadata);
      const row = db.insert(
        `INSERT INTO operations (id, company, json, metadata, hidden, due_at, awaits, status, reference)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        held.operation.id,
        company.id,
        json,
        metadata,
        JSON.stringify(held.hidden),
        held.hidden.due_at,
        awaitsOf(held.operation),
        held.operation.status,
        held.operation.reference ?? null,
      );
      return { row, company: company.id, json, metadata, held: () => held };
    },
    update(stored, held) {
      const json = jsonOf(held.operation, stored.metadata);
      db.run(
        'UPDATE operations SET json = ?, hidden = ?, due_at = ?, awaits = ?, status = ? WHERE row = ?',
        json,
        JSON.stringify(held.hidden),
        held.hidden.due_at,
        awaitsOf(held.operation),
        held.operation.status,
        stored.row,
      );
      return { ...stored, json, held: () => held };
    },
    find: (company, id) =>
      one(
        db
          .query<StoredOperationRow>(`SELECT ${STORED_COLUMNS} FROM operations WHERE id = ? AND company = ?`)
          .get(id, company.id),
      ),
    findAnywhere: (id) =>
      one(db.query<StoredOperationRow>(`SELECT ${STORED_COLUMNS} FROM operations WHERE id = ?`).get(id)),
    byRow(row) {
      const found = db
        .query<StoredOperationRow>(`SELECT ${STORED_COLUMNS} FROM operations WHERE row = ?`)
        .get(row);
      if (found === undefined) throw new Error(`operation ${row} is referred to and not there`);
      return fromOperationRow(found);
    },
    nextDue: (untilMs) =>
      one(
        db
          .query<StoredOperationRow>(
            `SELECT ${STORED_COLUMNS} FROM operations WHERE due_at <= ? ORDER BY due_at, row LIMIT 1`,
          )
          .get(untilMs),
      ),
    firstDue: () =>
      one(
        db
          .query<StoredOperationRow>(
            `SELECT ${STORED_COLUMNS} FROM operations WHERE due_at IS NOT NULL ORDER BY due_at, row LIMIT 1`,
          )
          .get(),
      ),
    nextDueAt: () =>
      db
        .query<{ at: number | null }>('SELECT min(due_at) AS at FROM operations WHERE due_at IS NOT NULL')
        .get()?.at ?? null,
    awaiting: (method, currency, amount) =>
      db
        .query<StoredOperationRow>(`SELECT ${STORED_COLUMNS} FROM operations WHERE awaits = ? ORDER BY row`)
        .all(awaitKey(method, currency, amount))
        .map(fromOperationRow),
  };
}

export function fromOperationRow({
  row,
  company,
  json,
  metadata,
  hidden,
}: StoredOperationRow): StoredOperation {
  let held: OperationRecord | null = null;
  return {
    row,
    company,
    json,
    metadata,
    held: () => (held ??= { operation: JSON.parse(json) as Operation, hidden: JSON.parse(hidden) as Hidden }),
  };
}

/** Puts the metadata in as it was written: parsed and written again, `1.10` and 20-digit numbers would not survive. */
function jsonOf(operation: Operation, metadata: string): string {
  // Inside a string the quotes would be escaped, so the first match is the field itself.
  return JSON.stringify({ ...operation, metadata: null }).replace(
    '"metadata":null',
    () => `"metadata":${metadata}`,
  );
}

/** What a waiting operation is found by when a payment arrives; null where it waits for none. */
function awaitsOf({ pending_reason: reason, method, currency, amount }: Operation): string | null {
  return reason === 'awaiting_payment' ? awaitKey(method, currency, amount) : null;
}

/** Amounts that are equal as numbers (`10` is `10.00`) have the same whole part; whoever finds by this key compares the rest. */
function awaitKey(method: string, currency: string, amount: string): string {
  const [whole = ''] = amount.split('.', 1);
  return `${method} ${currency} ${whole.replace(/^0+/, '')}`;
}
