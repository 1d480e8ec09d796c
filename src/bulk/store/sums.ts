/** Sums over the rows of a batch, exact however large. */
import type { Database } from '../../runtime/database.js';
import type { TallyEntry } from './batch-store.js';
import { stateOf } from './records.js';

/** Sums beyond 2^53 come in two halves. */
const HALF = 1_000_000_000;

/** Rows and exact money by currency and state. */
export function tally(db: Database, batch: number): TallyEntry[] {
  const sql =
    `SELECT currency, state, count(*) AS rows, sum(minor / ${String(HALF)}) AS high, sum(minor % ${String(HALF)}) AS low ` +
    'FROM rows WHERE batch = ? GROUP BY currency, state';
  const groups = db
    .query<{ currency: string; state: string; rows: number; high: number; low: number }>(sql)
    .all(batch);
  return groups.map(({ currency, state, rows, high, low }) => ({
    currency,
    state: stateOf(state),
    rows,
    minor: BigInt(high) * BigInt(HALF) + BigInt(low),
  }));
}
