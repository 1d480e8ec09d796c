import { type Environment, type Scope, SCOPES } from '../../contract/access.js';
import type { Creator } from '../../contract/operation.js';
import type { Database } from '../../runtime/database.js';
import { type Funds, NO_FUNDS, type LedgerEntry } from '../machine/operation.js';
import { insertInto } from './rows.js';

export interface StoredCompany {
  readonly id: number;
  readonly environment: Environment;
  readonly name: string;
}

export interface Bearer {
  readonly company: StoredCompany;
  readonly scopes: readonly Scope[];
  readonly createdBy: Creator;
}

interface KeyRow {
  readonly key: string;
  readonly scopes: string;
  readonly created_by: Creator;
}

export const DEFAULT_COMPANY = 'default';

const EVERY_SCOPE_TEXT = SCOPES.join(' ');

export function companiesIn(db: Database) {
  const find = (environment: Environment, name: string): StoredCompany | undefined =>
    db
      .query<StoredCompany>('SELECT id, environment, name FROM companies WHERE environment = ? AND name = ?')
      .get(environment, name);
  const ensure = (environment: Environment, name: string): StoredCompany => {
    insertInto(db, 'companies', { environment, name }, 'IGNORE');
    const company = find(environment, name);
    if (company === undefined) throw new Error('a company just made is there');
    return company;
  };
  const addKey = (
    key: string,
    { id }: Pick<StoredCompany, 'id'>,
    scopes: readonly Scope[],
    createdBy: Creator = 'company',
  ): void => {
    insertInto(db, 'keys', { key, company: id, scopes: scopes.join(' '), created_by: createdBy });
  };
  return {
    find,
    ensure,
    addKey,
    all: () => db.query<StoredCompany>('SELECT id, environment, name FROM companies ORDER BY id').all(),
    keysOf: ({ id }: StoredCompany) =>
      db
        .query<KeyRow>('SELECT key, scopes, created_by FROM keys WHERE company = ? ORDER BY key')
        .all(id)
        .map(({ key, scopes, created_by: createdBy }) => ({ key, scopes: parseScopes(scopes), createdBy })),
    bearerOf(key: string): Bearer | undefined {
      const row = db
        .query<StoredCompany & Omit<KeyRow, 'key'>>(
          `SELECT companies.id, environment, name, scopes, created_by
         FROM keys JOIN companies ON companies.id = keys.company WHERE key = ?`,
        )
        .get(key);
      if (row === undefined) return undefined;
      const { id, environment, name, scopes, created_by: createdBy } = row;
      return { company: { id, environment, name }, scopes: parseScopes(scopes), createdBy };
    },
    keepOnlyKey(key: string): void {
      // The key is written again, because the old row may be damaged.
      const { id } = ensure('sandbox', DEFAULT_COMPANY);
      db.run('DELETE FROM keys');
      db.run('DELETE FROM companies WHERE id <> ?', id);
      addKey(key, { id }, SCOPES);
    },
  };
}

export type Companies = ReturnType<typeof companiesIn>;

const parseScopes = (text: string): readonly Scope[] =>
  text === EVERY_SCOPE_TEXT ? SCOPES : SCOPES.filter((scope) => text.split(' ').includes(scope));

const USE_LIFETIME_MS = 30 * 24 * 3600 * 1000;

export interface IdempotencyUse {
  readonly fingerprint: Uint8Array;
  /** The row of the operation. Null if the create was refused. */
  readonly operation: number | null;
}

export const idempotencyIn = (db: Database) => ({
  find: (company: StoredCompany, key: string, nowMs: number) =>
    db
      .query<IdempotencyUse>(
        'SELECT fingerprint, operation FROM idempotency WHERE company = ? AND key = ? AND expires_at > ?',
      )
      .get(company.id, key, nowMs),
  remember: (company: StoredCompany, key: string, use: IdempotencyUse, nowMs: number) => {
    const { fingerprint, operation } = use;
    const row = { company: company.id, key, fingerprint, operation, expires_at: nowMs + USE_LIFETIME_MS };
    insertInto(db, 'idempotency', row, 'REPLACE');
  },
});

export const moneyIn = (db: Database) => ({
  funds(company: number, currency: string): Funds {
    const row = db
      .query<{ available: string; reserved: string }>(
        'SELECT available, reserved FROM balances WHERE company = ? AND currency = ?',
      )
      .get(company, currency);
    if (row === undefined) return NO_FUNDS;
    return { available: BigInt(row.available), reserved: BigInt(row.reserved) };
  },
  setFunds: (company: number, currency: string, { available, reserved }: Funds) => {
    const funds = { available: available.toString(), reserved: reserved.toString() };
    insertInto(db, 'balances', { company, currency, ...funds }, 'REPLACE');
  },
  addEntry: (company: number, operation: number, { kind, currency, minor }: LedgerEntry) =>
    insertInto(db, 'ledger', { company, operation, kind, currency, minor: minor.toString() }),
});

export type Money = ReturnType<typeof moneyIn>;
