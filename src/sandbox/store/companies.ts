/** Companies and their keys: each environment has its own, and they share nothing. */
import { type Environment, type Scope, SCOPES } from '../../contract/access.js';
import type { Creator } from '../../contract/operation.js';
import type { Database } from '../../runtime/database.js';

export interface StoredCompany {
  readonly id: number;
  readonly environment: Environment;
  readonly name: string;
}

/** Who a key belongs to and what it may do. */
export interface Bearer {
  readonly company: StoredCompany;
  readonly scopes: readonly Scope[];
  /** Who makes an operation with it. */
  readonly createdBy: Creator;
}

/** A key as it was made. */
export interface CompanyKey extends Pick<Bearer, 'scopes' | 'createdBy'> {
  readonly key: string;
}

export interface Companies {
  find(environment: Environment, name: string): StoredCompany | undefined;
  /** The company of that name; made where it is missing. */
  ensure(environment: Environment, name: string): StoredCompany;
  environmentOf(company: number): Environment;
  /** @param createdBy who makes operations with it; the company unless given */
  addKey(key: string, company: StoredCompany, scopes: readonly Scope[], createdBy?: Creator): void;
  /** Every one, in the order in which they were made. */
  all(): StoredCompany[];
  keysOf(company: StoredCompany): CompanyKey[];
  bearerOf(key: string): Bearer | undefined;
  /** Forgets every key but this one of company `default`, which has every scope then, and every other company. */
  keepOnly(key: string): void;
}

interface KeyRow {
  readonly key: string;
  readonly scopes: string;
  readonly created_by: Creator;
}

type BearerRow = StoredCompany & Omit<KeyRow, 'key'>;

const ALL_SCOPES = SCOPES.join(' ');

/** @param db the database in a transaction */
export function companiesIn(db: Database): Companies {
  const find = (environment: Environment, name: string): StoredCompany | undefined =>
    db
      .query<StoredCompany>('SELECT id, environment, name FROM companies WHERE environment = ? AND name = ?')
      .get(environment, name);
  const ensure = (environment: Environment, name: string): StoredCompany => {
    db.run('INSERT OR IGNORE INTO companies (environment, name) VALUES (?, ?)', environment, name);
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
    const values = [key, id, scopes.join(' '), createdBy];
    db.run('INSERT INTO keys (key, company, scopes, created_by) VALUES (?, ?, ?, ?)', ...values);
  };
  return {
    find,
    ensure,
    addKey,
    environmentOf(id) {
      const row = db
        .query<{ environment: Environment }>('SELECT environment FROM companies WHERE id = ?')
        .get(id);
      if (row === undefined) throw new Error(`company ${id} is referred to and not there`);
      return row.environment;
    },
    all: () => db.query<StoredCompany>('SELECT id, environment, name FROM companies ORDER BY id').all(),
    keysOf: ({ id }) =>
      db
        .query<KeyRow>('SELECT key, scopes, created_by FROM keys WHERE company = ? ORDER BY key')
        .all(id)
        .map(({ key, scopes, created_by: createdBy }) => ({ key, scopes: scopesIn(scopes), createdBy })),
    bearerOf(key) {
      const row = db
        .query<BearerRow>(
          `SELECT companies.id, environment, name, scopes, created_by
         FROM keys JOIN companies ON companies.id = keys.company WHERE key = ?`,
        )
        .get(key);
      if (row === undefined) return undefined;
      const { id, environment, name, scopes, created_by: createdBy } = row;
      return { company: { id, environment, name }, scopes: scopesIn(scopes), createdBy };
    },
    keepOnly(key) {
      // Written anew: what may be damaged is not relied on.
      const { id } = ensure('sandbox', 'default');
      db.run('DELETE FROM keys');
      db.run('DELETE FROM companies WHERE id <> ?', id);
      addKey(key, { id }, SCOPES);
    },
  };
}

function scopesIn(text: string): readonly Scope[] {
  return text === ALL_SCOPES ? SCOPES : SCOPES.filter((scope) => text.split(' ').includes(scope));
}
