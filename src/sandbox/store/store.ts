/** The store of the sandbox, by kinds of rows: one SQLite file, or memory. */
import { companiesIn, idempotencyIn, moneyIn } from './companies.js';
import { type Database, openDatabase } from '../../runtime/database.js';
import { deliveriesIn } from './deliveries.js';
import { faultsIn } from './faults.js';
import { feedIn, webhooksIn } from './feed.js';
import { keptIn } from './kept.js';
import { operationsIn, operationListIn } from './operations.js';
import { requestsIn } from './requests.js';
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

export type Store = ReturnType<typeof openStore>;

/**
 * Opens the store in that file, or a new one in `:memory:`; many processes may do so at once. Everything in it but `isWaiting`, `written`
 * and `close` is called inside the work of a transaction, and nowhere else.
 * @throws DatabaseUnusable where the file cannot be used
 */
export function openStore(file: string) {
  const db = openDatabase(file, SANDBOX_KIND);
  const written = { operations: 0, deliveries: 0, faults: 0, clock: 0, companies: 0 };
  const about = (subject: keyof Written): Database => counted(db, () => (written[subject] += 1));
  const companies = companiesIn(about('companies'));
  const settings = settingsIn(about('clock'));
  const emptyAll = (): void => {
    const tables = db.query<{ name: string }>(TABLES).all();
    for (const { name } of tables) if (!KEPT.includes(name)) db.run(`DELETE FROM ${name}`);
    for (const subject of Object.keys(written) as (keyof Written)[]) written[subject] += 1;
  };
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
    kept: keptIn(db, faultsIn(db), emptyAll),
    /** What `work` does is durable when this returns, and undone when it throws. @throws DatabaseUnusable where the file cannot be used */
    transaction: <T>(work: () => T): T => db.transaction(work),
    /** How many rows were changed here so far: whether something was is a comparison. */
    changes: () => db.changes(),
    /** How much there is of what a person asks about. */
    counts: (): Counts => {
      const counts = db.query<Counts>(COUNTS).get();
      if (counts === undefined) throw new Error('a count is always there');
      return { ...counts };
    },
    /** Whether time alone will bring about anything; asked without a transaction, which would cost ten times as much. */
    isWaiting: () => db.query<{ waiting: number }>(WAITING).get()?.waiting === 1,
    /** How often something was written here about each of these; it only grows. */
    written: (): Written => ({ ...written }),
    /** Empties everything but this key and its company; sequence numbers go on, so that an old cursor skips nothing new. */
    reset: (readyKey: string): void => {
      emptyAll();
      companies.keepOnly(readyKey);
      db.run('DELETE FROM counters');
      settings.setClockOffsetMs(0);
      settings.setMovedUntilMs(0);
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

/** @param db the database in a transaction */
function settingsIn(db: Database) {
  const read = (name: string): string | undefined =>
    db.query<{ value: string }>('SELECT value FROM meta WHERE name = ?').get(name)?.value;
  const write = (name: string, value: string): void => {
    db.run('INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)', name, value);
  };
  return {
    /** How far sandbox time is ahead of the clock, in milliseconds. */
    clockOffsetMs: () => Number(read('clock_offset_ms') ?? 0),
    setClockOffsetMs: (offsetMs: number) => write('clock_offset_ms', String(offsetMs)),
    /** Sandbox time to which the clock was last moved: what is due up to then happened at its own moment. */
    movedUntilMs: () => Number(read('clock_moved_until_ms') ?? 0),
    setMovedUntilMs: (untilMs: number) => write('clock_moved_until_ms', String(untilMs)),
    /** A text that is made once and then the same for ever. */
    once(name: LastingText, make: () => string): string {
      const known = read(name);
      if (known !== undefined) return known;
      const made = make();
      write(name, made);
      return made;
    },
    /** That text, which was made before. */
    lasting(name: LastingText): string {
      const known = read(name);
      if (known === undefined) throw new Error(`the store has no ${name}`);
      return known;
    },
    setLasting: (name: LastingText, text: string) => write(name, text),
    /** The next number of the environment's one counter of bank references; the first is 1. */
    nextBankReference(environment: Environment): number {
      const next = db
        .query<{ value: number }>(
          `INSERT INTO counters (name, value) VALUES (?, 1)
         ON CONFLICT (name) DO UPDATE SET value = value + 1 RETURNING value`,
        )
        .get(`bank_reference.${environment}`);
      if (next === undefined) throw new Error('a counter always has a next value');
      return next.value;
    },
  };
}

/** All others are emptied by a reset. Of these it takes what neither the ready key nor an old cursor needs. */
const KEPT: readonly string[] = ['meta', 'counters', 'companies', 'keys', MADE_BY];
const TABLES = `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'`;

export interface Counts {
  readonly companies: number;
  readonly operations: number;
  readonly events: number;
  readonly pending_deliveries: number;
  readonly armed_faults: number;
}

const COUNTS = `SELECT
  (SELECT count(*) FROM companies) AS companies,
  (SELECT count(*) FROM operations) AS operations,
  (SELECT count(*) FROM events) AS events,
  (SELECT count(*) FROM deliveries WHERE status = 'pending') AS pending_deliveries,
  (SELECT coalesce(sum(remaining), 0) FROM faults) AS armed_faults`;

const WAITING = `SELECT
  EXISTS (SELECT 1 FROM deliveries WHERE next_attempt_at IS NOT NULL)
  OR EXISTS (SELECT 1 FROM operations WHERE due_at IS NOT NULL) AS waiting`;
