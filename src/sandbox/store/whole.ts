/**
 * A store as a whole: its few single values (how far its clock was moved, its secret, its ready key, its counters), how much is in it,
 * and emptying it.
 */
import type { Environment } from '../../contract/access.js';
import { MADE_BY } from '../../runtime/database-statements.js';
import type { Database } from '../../runtime/database.js';
import type { Companies } from './companies.js';

export interface StoreSettings {
  /** How far sandbox time is ahead of the clock, in milliseconds. */
  clockOffsetMs(): number;
  setClockOffsetMs(offsetMs: number): void;
  /** Sandbox time to which the clock was last moved: what is due up to then happened at its own moment. */
  movedUntilMs(): number;
  setMovedUntilMs(untilMs: number): void;
  /** A text that is made once and then the same for ever. */
  once(name: 'ready_key' | 'cursor_secret', make: () => string): string;
  /** The next number of the environment's one counter of bank references; the first is 1. */
  nextBankReference(environment: Environment): number;
  resetCounters(): void;
}

/** @param db the database in a transaction */
export function settingsIn(db: Database): StoreSettings {
  const read = (name: string): string | undefined =>
    db.query<{ value: string }>('SELECT value FROM meta WHERE name = ?').get(name)?.value;
  const write = (name: string, value: string): void => {
    db.run('INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)', name, value);
  };
  return {
    clockOffsetMs: () => Number(read('clock_offset_ms') ?? 0),
    setClockOffsetMs: (offsetMs) => write('clock_offset_ms', String(offsetMs)),
    movedUntilMs: () => Number(read('clock_moved_until_ms') ?? 0),
    setMovedUntilMs: (untilMs) => write('clock_moved_until_ms', String(untilMs)),
    once(name, make) {
      const known = read(name);
      if (known !== undefined) return known;
      const made = make();
      write(name, made);
      return made;
    },
    nextBankReference(environment) {
      const next = db
        .query<{ value: number }>(
          `INSERT INTO counters (name, value) VALUES (?, 1)
         ON CONFLICT (name) DO UPDATE SET value = value + 1 RETURNING value`,
        )
        .get(`bank_reference.${environment}`);
      if (next === undefined) throw new Error('a counter always has a next value');
      return next.value;
    },
    resetCounters: () => {
      db.run('DELETE FROM counters');
    },
  };
}

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
export function resetAll(
  db: Database,
  companies: Companies,
  settings: StoreSettings,
  readyKey: string,
): void {
  const tables = db.query<{ name: string }>(TABLES).all();
  for (const { name } of tables) if (!KEPT.includes(name)) db.run(`DELETE FROM ${name}`);
  companies.keepOnly(readyKey);
  settings.resetCounters();
  settings.setClockOffsetMs(0);
  settings.setMovedUntilMs(0);
}
