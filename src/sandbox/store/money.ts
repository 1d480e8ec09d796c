/** Balances, and the ledger of every movement that led to them; minor units, exact. */
import { NO_FUNDS, type Funds } from '../machine/balance.js';
import type { LedgerEntry } from '../machine/types.js';
import type { Database } from '../../runtime/database.js';

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
