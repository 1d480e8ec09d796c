/** The store as a whole: how much is in it, and emptying it. */
import type { Companies } from './companies.js';
import type { Database } from '../../runtime/database.js';
import { MADE_BY } from '../../runtime/database-statements.js';
import type { Settings } from './settings.js';

export interface Counts {
  readonly companies: number;
  readonly operations: number;
  readonly events: number;
  readonly pending_deliveries: number;
  readonly armed_faults: number;
}

/** All others are emptied by a reset. Of these it takes what neither the ready key nor an old cursor needs. */
const KEPT: readonly string[] = ['meta', 'counters', 'companies', 'keys', MADE_BY];
const TABLES = `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'`;

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
  const tables = db.query<{ name: string }>(TABLES).all();
  for (const { name } of tables) if (!KEPT.includes(name)) db.run(`DELETE FROM ${name}`);
  companies.keepOnly(readyKey);
  settings.resetCounters();
  settings.setClockOffsetMs(0);
  settings.setMovedUntilMs(0);
}
