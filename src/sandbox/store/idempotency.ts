/** What a key was used for: which request, and which operation came of it (section 4). */
import type { StoredCompany } from './companies.js';
import type { Database } from '../../runtime/database.js';

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
