/** The store as a whole: how much is in it, and emptying it. */
import type { Companies } from './companies.js';
import type { Database } from '../../runtime/database.js';
import type { Settings } from './settings.js';

export interface Counts {
  readonly companies: number;
  readonly operations: number;
  readonly events: number;
  readonly pending_deliveries: number;
  readonly armed_faults: number;
}

/** Companies, keys and settings are not among them: they keep what the ready key and old cursors need. */
const EMPTIED = [
  'operations',
  'balances',
  'ledger',
  'events',
  'idempotency',
  'webhook_endpoints',
  'deliveries',
  'faults',
] as const;

const COUNTS = `SELECT
  (SELECT count(*) FROM companies) AS companies,
  (SELECT count(*) FROM operations) AS operations,
  (SELECT count(*) FROM events) AS events,
  (SELECT count(*) FROM deliveries WHERE status = 'pending') AS pending_deliveries,
  (SELECT coalesce(sum(remaining), 0) FROM faults) AS armed_faults`;

const WAITING = `SELECT
  EXISTS (SELECT 1 FROM deliveries WHERE next_attempt_at IS NOT NULL)
  OR EXISTS (SELECT 1 FROM operations WHERE due_at IS NOT NULL) AS waiting`;

/** Whether time alone will bring about anything. */
export function isWaiting(db: Database): boolean {
  return db.query<{ waiting: number }>(WAITING).get()?.waiting === 1;
}

/** How much there is of what a person asks about. @param db the database in a transaction */
export function countAll(db: Database): Counts {
  const counts = db.query<Counts>(COUNTS).get();
  if (counts === undefined) throw new Error('a count is always there');
  return { ...counts };
}

/** Empties everything but this key and its company; sequence numbers go on, so that an old cursor skips nothing new. */
export function resetAll(db: Database, companies: Companies, settings: Settings, readyKey: string): void {
  for (const table of EMPTIED) db.run(`DELETE FROM ${table}`);
  companies.keepOnly(readyKey);
  settings.resetCounters();
  settings.setClockOffsetMs(0);
  settings.setMovedUntilMs(0);
}
