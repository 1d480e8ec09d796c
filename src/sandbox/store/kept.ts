/** Everything that a store holds, taken out of it at once and put into it at once: what a kept sandbox is made of. */
import type { Environment, Scope } from '../../contract/access.js';
import type { EventType } from '../../contract/events.js';
import type { Creator } from '../../contract/operation.js';
import type { Database } from '../../runtime/database.js';
import type { Armed, ArmedDelivery, faultsIn } from './faults.js';
import type { Funds, OperationRecord } from '../machine/operation.js';
import { entriesOf } from '../machine/settle.js';
import type { RegisteredUrl } from './feed.js';
import { operationRow } from './operations.js';
import { insertAll, insertInto } from './rows.js';
import type { StoredDelivery } from './deliveries.js';

export interface KeptCompany {
  readonly environment: Environment;
  readonly name: string;
  readonly keys: readonly {
    readonly key: string;
    readonly scopes: readonly Scope[];
    readonly createdBy: Creator;
  }[];
  readonly idempotency: readonly {
    readonly key: string;
    /** Of the operation that it made; null where the request was refused. */
    readonly operation: string | null;
    readonly fingerprint: Uint8Array;
    readonly expiresAt: number;
  }[];
  readonly urls: readonly RegisteredUrl[];
}

/** Companies are places in the list of them. */
export interface WholeOperation {
  readonly company: number;
  readonly held: OperationRecord;
  /** As the caller wrote it. */
  readonly metadata: string;
  readonly json: string;
}

export interface KeptEvent {
  readonly id: string;
  readonly company: number;
  readonly sequence: number;
  readonly type: EventType;
  readonly occurredIso: string;
  /** The id of its operation. */
  readonly operation: string;
  /** That operation. */
  readonly data: string;
}

export type KeptDelivery = Omit<StoredDelivery, 'row'>;

/** Times in sandbox ms. */
export interface KeptState {
  readonly nowMs: number;
  readonly movedUntilMs: number;
  /** The key of the ready line; null: the store keeps its own. */
  readonly apiKey: string | null;
  /** Null: the store keeps its own. */
  readonly cursorSecret: string | null;
  readonly bankReferences: Readonly<Record<Environment, number>>;
  readonly companies: readonly KeptCompany[];
  readonly operations: readonly WholeOperation[];
  /** Of each company in turn, by currency. */
  readonly balances: readonly ReadonlyMap<string, Funds>[];
  readonly events: readonly KeptEvent[];
  readonly deliveries: readonly KeptDelivery[];
  readonly faults: readonly (Omit<Armed, 'row'> | Omit<ArmedDelivery, 'row'>)[];
}

/** @param db the database in a transaction @param empty takes everything out that a reset takes out */
export function keptIn(db: Database, faults: ReturnType<typeof faultsIn>, empty: () => void) {
  return {
    /** What no other part of the store hands out whole: a row of each table. Companies and operations are named by their rows. */
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
        .query<{
          sequence: number;
          id: string;
          type: EventType;
          occurred_iso: string;
          operation: number;
        }>('SELECT sequence, id, type, occurred_iso, operation FROM events ORDER BY sequence')
        .all(),
    }),
    /** Replaces everything. Sequence numbers of events go on behind the largest that there ever was here, so that an old cursor skips nothing. */
    replace(state: KeptState): void {
      empty();
      for (const table of ['counters', 'keys', 'companies']) db.run(`DELETE FROM ${table}`);
      const companies = state.companies.map((company) => insertCompany(db, company));
      const companyAt = (place: number): number => {
        const id = companies[place];
        if (id === undefined) throw new Error('a company of a checked state is there');
        return id;
      };
      const rows = new Map(state.operations.map(({ held }, index) => [held.operation.id, index + 1]));
      const rowOf = (id: string): number => {
        const row = rows.get(id);
        if (row === undefined) throw new Error('an operation of a checked state is there');
        return row;
      };
      const operations = state.operations.map(({ company, held, metadata, json }, index) => ({
        row: index + 1,
        ...operationRow(companyAt(company), held, metadata, json),
      }));
      const ledger = state.operations.flatMap(({ company, held }, index) =>
        entriesOf(held).map(({ kind, currency, minor }) => ({
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

/** @returns its number */
function insertCompany(db: Database, { environment, name, keys, urls }: KeptCompany): number {
  const id = insertInto(db, 'companies', { environment, name });
  for (const { key, scopes, createdBy } of keys)
    insertInto(db, 'keys', { key, company: id, scopes: scopes.join(' '), created_by: createdBy });
  for (const { id: url, created_at: createdIso, ...rest } of urls)
    insertInto(db, 'webhook_endpoints', { id: url, company: id, created_iso: createdIso, ...rest });
  return id;
}
