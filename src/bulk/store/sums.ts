/** Sums over the rows of a batch, exact however large. */
import type { Database } from '../../runtime/database.js';
import type { TallyEntry } from './row.js';
import type { PaidKey, PendingMoney } from './batch-store.js';
import { IS_SKIPPED, PENDING_REASON } from './conditions.js';
import { batchOf, stateOf, whole, type BatchRecord } from './records.js';

/** Sums beyond 2^53 come in two halves. */
const HALF = 1_000_000_000;

interface Group {
  readonly currency: string;
  readonly state: string;
  readonly skipped: number;
  readonly reason: string | null;
  readonly rows: number;
  readonly high: number;
  readonly low: number;
}

/** Rows and exact money by currency and state; those that are pending, by why they are. */
export function sumStates(db: Database, batch: number): TallyEntry[] {
  const sql =
    `SELECT currency, state, ${IS_SKIPPED} AS skipped, ${PENDING_REASON} AS reason, count(*) AS rows, ` +
    `sum(minor / ${String(HALF)}) AS high, sum(minor % ${String(HALF)}) AS low ` +
    'FROM rows WHERE batch = ? GROUP BY currency, state, skipped, reason';
  return db
    .query<Group>(sql)
    .all(batch)
    .map(({ currency, state, skipped, reason, rows, high, low }) => ({
      currency,
      state: stateOf(state),
      isSkipped: skipped === 1,
      reason,
      rows,
      minor: BigInt(high) * BigInt(HALF) + BigInt(low),
    }));
}

/** True where a row of a batch of that company was ever confirmed; a batch whose company was never proved counts as its own. */
export function selectConfirmed(db: Database, environment: string, company: string | null): boolean {
  const sql =
    'SELECT 1 FROM batches b CROSS JOIN rows r ON r.batch = b.batch ' +
    "WHERE b.ready = 1 AND b.environment = ? AND (b.company IS ? OR b.company IS NULL) AND r.state = 'confirmed' LIMIT 1";
  return db.query(sql).all(environment, company).length > 0;
}

/** What is pending in the batches of a company, by currency. */
export function sumPending(
  db: Database,
  environment: string,
  direction: string,
  company: string | null,
): PendingMoney[] {
  const batches = db
    .query<BatchRecord>(
      'SELECT * FROM batches WHERE ready = 1 AND environment = ? AND direction = ? AND company IS ?',
    )
    .all(environment, direction, company)
    .map(batchOf);
  return batches.flatMap(({ id, currencies }) =>
    sumStates(db, id)
      .filter(({ state }) => state === 'accepted')
      .map(({ currency, minor }) => ({ currency, minor, decimals: currencies.get(currency)?.decimals ?? 0 })),
  );
}

/** The newest key that has made a payment and first left no later than that. */
export function selectPaidBefore(
  db: Database,
  environment: string,
  company: string | null,
  beforeMs: number,
): PaidKey | null {
  const sql =
    'SELECT r.key AS key, r.sent_at AS sentAtMs, b.direction AS direction FROM batches b CROSS JOIN rows r ON r.batch = b.batch ' +
    "WHERE b.ready = 1 AND b.environment = ? AND b.company IS ? AND r.state = 'confirmed' AND r.sent_at <= ? ORDER BY r.sent_at DESC LIMIT 1";
  return db.query<PaidKey>(sql).get(environment, company, whole(beforeMs)) ?? null;
}
