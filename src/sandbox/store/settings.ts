/** The few single values of a store: how far its clock was moved, its secret, its ready key, its counters. */
import type { Environment } from '../../contract/access.js';
import type { Database } from '../../runtime/database.js';

export interface Settings {
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
export function settingsIn(db: Database): Settings {
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
