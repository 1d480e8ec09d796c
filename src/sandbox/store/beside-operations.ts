/** What the store books beside operations: what each key was used for (section 4), and the money that moved; minor units, exact. */
import type { Database } from '../../runtime/database.js';
import { type Funds, NO_FUNDS } from '../machine/balance.js';
import type { LedgerEntry } from '../machine/types.js';
import type { StoredCompany } from './companies.js';

/** How long a key is remembered, in sandbox time. */
const KEPT_MS = 30 * 24 * 3600 * 1000;

export interface Used {
  readonly fingerprint: Uint8Array;
  /** The operation's row. */
  readonly operation: number;
}

export interface Idempotency {
  /** What the key was used for, while it is remembered. */
  find(company: StoredCompany, key: string, nowMs: number): Used | undefined;
  remember(company: StoredCompany, key: string, used: Used, nowMs: number): void;
}

/** @param db the database in a transaction */
export function idempotencyIn(db: Database): Idempotency {
  return {
    find: (company, key, nowMs) =>
      db
        .query<Used>(
          'SELECT fingerprint, operation FROM idempotency WHERE company = ? AND key = ? AND expires_at > ?',
        )
        .get(company.id, key, nowMs),
    remember: (company, key, { fingerprint, operation }, nowMs) => {
      db.run(
        'INSERT OR REPLACE INTO idempotency (company, key, fingerprint, operation, expires_at) VALUES (?, ?, ?, ?, ?)',
        company.id,
        key,
        fingerprint,
        operation,
        nowMs + KEPT_MS,
      );
    },
  };
}

/** Balances, and the ledger of every movement that led to them. */
export interface Money {
  /** Zero where nothing moved yet. */
  funds(company: number, currency: string): Funds;
  setFunds(company: number, currency: string, funds: Funds): void;
  /** Notes why a balance changed: the movement and the operation (its row) behind it. */
  note(company: number, operation: number, entry: LedgerEntry): void;
}

/** @param db the database in a transaction */
export function moneyIn(db: Database): Money {
  return {
    funds(company, currency) {
      const row = db
        .query<{ available: string; reserved: string }>(
          'SELECT available, reserved FROM balances WHERE company = ? AND currency = ?',
        )
        .get(company, currency);
      if (row === undefined) return NO_FUNDS;
      return { available: BigInt(row.available), reserved: BigInt(row.reserved) };
    },
    setFunds: (company, currency, { available, reserved }) => {
      db.run(
        'INSERT OR REPLACE INTO balances (company, currency, available, reserved) VALUES (?, ?, ?, ?)',
        company,
        currency,
        available.toString(),
        reserved.toString(),
      );
    },
    note: (company, operation, { kind, currency, minor }) => {
      db.run(
        'INSERT INTO ledger (company, operation, kind, currency, minor) VALUES (?, ?, ?, ?, ?)',
        company,
        operation,
        kind,
        currency,
        minor.toString(),
      );
    },
  };
}
