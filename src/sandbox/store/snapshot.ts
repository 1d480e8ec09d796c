/** Reads and replaces the whole content of a store, for export and import of a state. */
import type { Environment, Scope } from '../../contract/access.js';
import type { EventType } from '../../contract/events.js';
import type { Creator } from '../../contract/operation.js';
import type { Database } from '../../runtime/database.js';
import type { ArmedFault, ArmedDeliveryFault, faultsIn } from './faults.js';
import type { Funds, OperationRecord } from '../machine/operation.js';
import { entriesOf } from '../machine/settle.js';
import type { RegisteredUrl } from './feed.js';
import { operationRow } from './operations.js';
import { insertAll, insertInto } from './rows.js';
import type { StoredDelivery } from './deliveries.js';

export interface CompanySnapshot {
  readonly environment: Environment;
  readonly name: string;
  readonly keys: readonly {
    readonly key: string;
    readonly scopes: readonly Scope[];
    readonly createdBy: Creator;
  }[];
  readonly idempotency: readonly {
    readonly key: string;
    /** The id of the operation. Null: the request was refused. */
    readonly operation: string | null;
    readonly fingerprint: Uint8Array;
    readonly expiresAt: number;
  }[];
  readonly urls: readonly RegisteredUrl[];
}

/** An operation of a snapshot; `company` is the position of its company in the list of companies. */
export interface OperationSnapshot {
  readonly company: number;
  readonly record: OperationRecord;
  /** The JSON as the caller wrote it, but without white space. */
  readonly metadata: string;
  readonly json: string;
}

export interface EventSnapshot {
  readonly id: string;
  readonly company: number;
  readonly sequence: number;
  readonly type: EventType;
  readonly occurredIso: string;
  /** The id of the operation. */
  readonly operation: string;
  /** The JSON of the operation. */
  readonly data: string;
}

export type DeliverySnapshot = Omit<StoredDelivery, 'row'>;

/** The content of a store. Times are in sandbox ms. */
export interface StoreSnapshot {
  readonly nowMs: number;
  readonly movedUntilMs: number;
  /** The key of company `default` that users are shown. Null: the store keeps its key. */
  readonly apiKey: string | null;
  /** The secret of cursors. Null: the store keeps its own secret. */
  readonly cursorSecret: string | null;
  readonly bankReferences: Readonly<Record<Environment, number>>;
  readonly companies: readonly CompanySnapshot[];
  readonly operations: readonly OperationSnapshot[];
  /** The balances by currency of each company, in the order of `companies`. */
  readonly balances: readonly ReadonlyMap<string, Funds>[];
  readonly events: readonly EventSnapshot[];
  readonly deliveries: readonly DeliverySnapshot[];
  readonly faults: readonly (Omit<ArmedFault, 'row'> | Omit<ArmedDeliveryFault, 'row'>)[];
}

/** @param db the database in a transaction @param emptyTables empties most tables, but not companies and keys */
export function snapshotIn(db: Database, faults: ReturnType<typeof faultsIn>, emptyTables: () => void) {
  return {
    /** Reads the tables that no other part of the store reads as a whole. These rows name companies and operations by row number. */
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
    /** Replaces everything. Later events are numbered after the largest number ever used here, so that an old cursor skips no later event. */
    replace(state: StoreSnapshot): void {
      emptyTables();
      for (const table of ['counters', 'keys', 'companies']) db.run(`DELETE FROM ${table}`);
      const companies = state.companies.map(({ environment, name, keys, urls }) => {
        const id = insertInto(db, 'companies', { environment, name });
        for (const { key, scopes, createdBy } of keys)
          insertInto(db, 'keys', { key, company: id, scopes: scopes.join(' '), created_by: createdBy });
        for (const { id: url, created_at: createdIso, ...rest } of urls)
          insertInto(db, 'webhook_endpoints', { id: url, company: id, created_iso: createdIso, ...rest });
        return id;
      });
      const companyAt = (place: number): number => {
        const id = companies[place];
        if (id === undefined) throw new Error('a company of a checked state is there');
        return id;
      };
      const rows = new Map(state.operations.map(({ record }, index) => [record.operation.id, index + 1]));
      const rowOf = (id: string): number => {
        const row = rows.get(id);
        if (row === undefined) throw new Error('an operation of a checked state is there');
        return row;
      };
      const operations = state.operations.map(({ company, record, metadata, json }, index) => ({
        row: index + 1,
        ...operationRow(companyAt(company), record, metadata, json),
      }));
      const ledger = state.operations.flatMap(({ company, record }, index) =>
        entriesOf(record).map(({ kind, currency, minor }) => ({
          ...{ company: companyAt(company), operation: index + 1, kind, currency },
          minor: minor.toString(),
        })),
      );
      const idempotency = state.companies.flatMap((company, place) =>
        company.idempotency.map(({ key, fingerprint, operation, expiresAt }) => ({
          ...{ company: companyAt(place), key, fingerprint },
          ...{ operation: operation === null ? null : rowOf(operation), expires_at: expiresAt },
        })),
      );
      const balances = state.balances.flatMap((ofCompany, place) =>
        [...ofCompany].map(([currency, { available, reserved }]) => ({
          ...{ company: companyAt(place), currency },
          ...{ available: available.toString(), reserved: reserved.toString() },
        })),
      );
      const events = state.events.map(({ id, company, sequence, type, occurredIso, operation }) => ({
        ...{ sequence, company: companyAt(company), id, type },
        ...{ occurred_iso: occurredIso, operation: rowOf(operation) },
      }));
      const deliveries = state.deliveries.map(({ company, attempts, ...delivery }) => ({
        ...delivery,
        ...{ company: companyAt(company), attempts: JSON.stringify(attempts) },
      }));
      const tables = { operations, ledger, idempotency, balances, events, deliveries };
      for (const [table, list] of Object.entries(tables)) insertAll(db, table, list);
      for (const fault of state.faults) {
        if ('delivery' in fault) faults.armDelivery(fault);
        else faults.arm(fault);
      }
      for (const [environment, value] of Object.entries(state.bankReferences))
        if (value > 0) insertInto(db, 'counters', { name: `bank_reference.${environment}`, value });
    },
  };
}
