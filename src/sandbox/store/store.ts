/** The store of the sandbox, by kinds of rows: one SQLite file, or memory. */
import {
  companiesIn,
  type Companies,
  type Idempotency,
  idempotencyIn,
  type Money,
  moneyIn,
} from './companies.js';
import { type Database, openDatabase } from '../../runtime/database.js';
import { deliveriesIn, type Deliveries } from './deliveries.js';
import { type Faults, faultsIn } from './faults.js';
import { type Feed, feedIn, type Webhooks, webhooksIn } from './feed.js';
import { keptIn, type Kept } from './kept.js';
import { type Operations, operationsIn, operationListIn, type OperationList } from './operations.js';
import { type Requests, requestsIn } from './requests.js';
import { APPLICATION_ID, SCHEMA, SANDBOX_VERSION } from './schema.js';
import type { Environment } from '../../contract/access.js';
import { MADE_BY } from '../../runtime/database-file.js';

/** What the file is. */
export const SANDBOX_KIND = {
  name: "sandbox's store",
  schema: SCHEMA,
  version: SANDBOX_VERSION,
  applicationId: APPLICATION_ID,
  // Ids and keys are random: each lands on a page of its own, and small pages make a group's commit a third shorter.
  tuning: { pageBytes: 2048, logPages: 4000 },
};

/** What a follower hears about. */
export interface Written {
  readonly operations: number;
  readonly deliveries: number;
  readonly faults: number;
  readonly clock: number;
  /** Companies, their keys and the urls that they registered. */
  readonly companies: number;
}

export interface Store {
  readonly companies: Companies;
  readonly operations: Operations;
  readonly operationList: OperationList;
  readonly money: Money;
  readonly feed: Feed;
  readonly idempotency: Idempotency;
  readonly webhooks: Webhooks;
  readonly deliveries: Deliveries;
  readonly faults: Faults;
  readonly requests: Requests;
  readonly settings: StoreSettings;
  readonly kept: Kept;
  /**
   * Everything above is called inside `work`, and nowhere else: it is durable when this returns, and undone when `work` throws.
   * @throws DatabaseUnusable where the file cannot be used
   */
  transaction<T>(work: () => T): T;
  /** How often something was written here about each of these; it only grows. */
  written(): Written;
  /** How many rows were changed here so far: whether something was is a comparison. */
  changes(): number;
  /** How much there is of what a person asks about. */
  counts(): Counts;
  /** Whether time alone will bring about anything; asked without a transaction, which would cost ten times as much. */
  isWaiting(): boolean;
  /** Empties everything but this key, its company, and what makes old cursors readable. */
  reset(readyKey: string): void;
  close(): void;
}

/**
 * Opens the store in that file, or a new one in `:memory:`; many processes may do so at once.
 * @throws DatabaseUnusable where the file cannot be used
 */
export function openStore(file: string): Store {
  const db = openDatabase(file, SANDBOX_KIND);
  const written = { operations: 0, deliveries: 0, faults: 0, clock: 0, companies: 0 };
  const about = (subject: keyof Written): Database => counted(db, () => (written[subject] += 1));
  const companies = companiesIn(about('companies'));
  const settings = settingsIn(about('clock'));
  return {
    companies,
    operations: operationsIn(about('operations')),
    operationList: operationListIn(db),
    money: moneyIn(db),
    feed: feedIn(db),
    idempotency: idempotencyIn(db),
    webhooks: webhooksIn(about('companies')),
    deliveries: deliveriesIn(about('deliveries')),
    faults: faultsIn(about('faults')),
    requests: requestsIn(db),
    settings,
    kept: keptIn(db, {
      faults: faultsIn(db),
      empty: () => {
        emptyTables(db);
        for (const subject of Object.keys(written) as (keyof Written)[]) written[subject] += 1;
      },
    }),
    transaction: (work) => db.transaction(work),
    changes: () => db.changes(),
    counts: () => countAll(db),
    isWaiting: () => isWaiting(db),
    written: () => ({ ...written }),
    reset: (readyKey) => {
      resetAll(db, companies, settings, readyKey);
      for (const subject of Object.keys(written) as (keyof Written)[]) written[subject] += 1;
    },
    close: () => db.close(),
  };
}

/** The same, which tells of everything that is written through it. */
function counted(db: Database, onWritten: () => void): Database {
  return {
    ...db,
    run: (sql, ...values) => {
      onWritten();
      return db.run(sql, ...values);
    },
    insert: (sql, ...values) => {
      onWritten();
      return db.insert(sql, ...values);
    },
  };
}

/** What a store makes once for itself. */
type LastingText = 'ready_key' | 'cursor_secret';

interface StoreSettings {
  /** How far sandbox time is ahead of the clock, in milliseconds. */
  clockOffsetMs(): number;
  setClockOffsetMs(offsetMs: number): void;
  /** Sandbox time to which the clock was last moved: what is due up to then happened at its own moment. */
  movedUntilMs(): number;
  setMovedUntilMs(untilMs: number): void;
  /** A text that is made once and then the same for ever. */
  once(name: LastingText, make: () => string): string;
  /** That text, which was made before. */
  lasting(name: LastingText): string;
  setLasting(name: LastingText, text: string): void;
  /** The next number of the environment's one counter of bank references; the first is 1. */
  nextBankReference(environment: Environment): number;
  resetCounters(): void;
}

/** @param db the database in a transaction */
function settingsIn(db: Database): StoreSettings {
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
    lasting(name) {
      const known = read(name);
      if (known === undefined) throw new Error(`the store has no ${name}`);
      return known;
    },
    setLasting: write,
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
function countAll(db: Database): Counts {
  const counts = db.query<Counts>(COUNTS).get();
  if (counts === undefined) throw new Error('a count is always there');
  return { ...counts };
}

/** Empties everything but this key and its company; sequence numbers go on, so that an old cursor skips nothing new. */
function resetAll(db: Database, companies: Companies, settings: StoreSettings, readyKey: string): void {
  emptyTables(db);
  companies.keepOnly(readyKey);
  settings.resetCounters();
  settings.setClockOffsetMs(0);
  settings.setMovedUntilMs(0);
}

function emptyTables(db: Database): void {
  const tables = db.query<{ name: string }>(TABLES).all();
  for (const { name } of tables) if (!KEPT.includes(name)) db.run(`DELETE FROM ${name}`);
}
