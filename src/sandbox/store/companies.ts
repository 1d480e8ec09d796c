/** Companies and their keys: each environment has its own, and they share nothing. */
import { SCOPES, type Environment, type Scope } from '../../contract/access.js';
import type { Database } from '../../runtime/database.js';

export interface Company {
  readonly id: number;
  readonly environment: Environment;
  readonly name: string;
}

/** Who a key belongs to and what it may do. */
export interface Bearer {
  readonly company: Company;
  readonly scopes: readonly Scope[];
}

export interface Companies {
  find(environment: Environment, name: string): Company | undefined;
  /** The company of that name; made where it is missing. */
  ensure(environment: Environment, name: string): Company;
  environmentOf(company: number): Environment;
  addKey(key: string, company: Company, scopes: readonly Scope[]): void;
  bearerOf(key: string): Bearer | undefined;
  /** Forgets every key but this one, and every company but its own. */
  keepOnly(key: string): void;
}

interface BearerRow extends Company {
  readonly scopes: string;
}

const ALL_SCOPES = SCOPES.join(' ');

/** @param db the database in a transaction */
export function companiesIn(db: Database): Companies {
  const find = (environment: Environment, name: string): Company | undefined =>
    db
      .query<Company>('SELECT id, environment, name FROM companies WHERE environment = ? AND name = ?')
      .get(environment, name);
  return {
    find,
    ensure(environment, name) {
      db.run('INSERT OR IGNORE INTO companies (environment, name) VALUES (?, ?)', environment, name);
      const company = find(environment, name);
      if (company === undefined) throw new Error('a company just made is there');
      return company;
    },
    environmentOf(id) {
      const row = db
        .query<{ environment: Environment }>('SELECT environment FROM companies WHERE id = ?')
        .get(id);
      if (row === undefined) throw new Error(`company ${id} is referred to and not there`);
      return row.environment;
    },
    addKey: (key, company, scopes) => {
      db.run('INSERT INTO keys (key, company, scopes) VALUES (?, ?, ?)', key, company.id, scopes.join(' '));
    },
    bearerOf(key) {
      const row = db
        .query<BearerRow>(
          `SELECT companies.id, environment, name, scopes
         FROM keys JOIN companies ON companies.id = keys.company WHERE key = ?`,
        )
        .get(key);
      if (row === undefined) return undefined;
      const { id, environment, name, scopes } = row;
      return {
        company: { id, environment, name },
        scopes: scopes === ALL_SCOPES ? SCOPES : SCOPES.filter((scope) => scopes.split(' ').includes(scope)),
      };
    },
    keepOnly: (key) => {
      db.run('DELETE FROM keys WHERE key <> ?', key);
      db.run('DELETE FROM companies WHERE id NOT IN (SELECT company FROM keys)');
    },
  };
}
