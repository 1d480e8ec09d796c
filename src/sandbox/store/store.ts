import { companiesIn, idempotencyIn, moneyIn } from './companies.js';
import { type Database, openDatabase } from '../../runtime/database.js';
import { deliveriesIn } from './deliveries.js';
import { faultsIn } from './faults.js';
import { feedIn, webhooksIn } from './feed.js';
import { operationsIn } from './operations.js';
import { requestsIn } from './requests.js';
import { APPLICATION_ID, SCHEMA, SANDBOX_VERSION } from './schema.js';
import type { Environment } from '../../contract/access.js';
import { MADE_BY, type SqlValue } from '../../runtime/database-file.js';
import { insertAll } from './rows.js';

export const SANDBOX_KIND = {
  name: "sandbox's store",
  schema: SCHEMA,
  version: SANDBOX_VERSION,
  applicationId: APPLICATION_ID,
  tuning: { pageBytes: 2048, logPages: 4000 },
};

export type Store = ReturnType<typeof openStore>;

/** Call members that write, or that read several values, inside `transaction`, because several processes may share the file. */
export function openStore(file: string) {
  const db = openDatabase(file, SANDBOX_KIND);
  const writeCounts = { operations: 0, deliveries: 0, faults: 0, clock: 0, companies: 0 };
  const countingDb = (subject: keyof typeof writeCounts): Database => ({
    ...db,
    run: (sql, ...values) => {
      writeCounts[subject] += 1;
      return db.run(sql, ...values);
    },
    insert: (sql, ...values) => {
      writeCounts[subject] += 1;
      return db.insert(sql, ...values);
    },
  });
  const companies = companiesIn(countingDb('companies'));
  const settings = settingsIn(countingDb('clock'));
  const emptyTables = (): void => {
    const tables = db.query<{ name: string }>(TABLES_QUERY).all();
    for (const { name } of tables) if (!KEPT_TABLES.includes(name)) db.run(`DELETE FROM ${name}`);
    for (const subject of Object.keys(writeCounts) as (keyof typeof writeCounts)[]) writeCounts[subject] += 1;
  };
  return {
    companies,
    operations: operationsIn(countingDb('operations')),
    money: moneyIn(db),
    feed: feedIn(db),
    idempotency: idempotencyIn(db),
    webhooks: webhooksIn(countingDb('companies')),
    deliveries: deliveriesIn(countingDb('deliveries')),
    faults: faultsIn(countingDb('faults')),
    requests: requestsIn(db),
    settings,
    snapshot: snapshotIn(db, emptyTables),
    transaction: <T>(work: () => T): T => db.transaction(work),
    changes: () => db.changes(),
    counts: (): Counts => {
      const counts = db.query<Counts>(COUNTS_QUERY).get();
      if (counts === undefined) throw new Error('a count is always there');
      return { ...counts };
    },
    hasScheduled: () => db.query<{ waiting: number }>(SCHEDULED_QUERY).get()?.waiting === 1,
    writeCounts: () => ({ ...writeCounts }),
    /** Keeps `sqlite_sequence`, because a reader with an old cursor would miss lower event numbers. */
    reset: (readyKey: string): void => {
      emptyTables();
      companies.keepOnlyKey(readyKey);
      db.run('DELETE FROM counters');
      settings.setClockOffsetMs(0);
      settings.setMovedUntilMs(0);
    },
    ids: (): string => db.query<{ ids: string }>(IDS_QUERY).get()?.ids ?? '',
    restartNumbers: () => void db.run('DELETE FROM sqlite_sequence'),
    close: () => db.close(),
  };
}

const snapshotIn = (db: Database, emptyTables: () => void) => ({
  rows: <Row>(select: string) => db.query<Row>(select).all(),
  replace(tables: Readonly<Record<string, readonly Readonly<Record<string, SqlValue>>[]>>): void {
    emptyTables();
    for (const table of ['counters', 'keys', 'companies']) db.run(`DELETE FROM ${table}`);
    for (const [table, rows] of Object.entries(tables)) insertAll(db, table, rows);
  },
});

export type FixedSetting = 'ready_key' | 'cursor_secret';

function settingsIn(db: Database) {
  const read = (name: string): string | undefined =>
    db.query<{ value: string }>('SELECT value FROM meta WHERE name = ?').get(name)?.value;
  const write = (name: string, value: string): void => {
    db.run('INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)', name, value);
  };
  return {
    /** Sandbox time minus the machine's clock. */
    clockOffsetMs: () => Number(read('clock_offset_ms') ?? 0),
    setClockOffsetMs: (offsetMs: number) => write('clock_offset_ms', String(offsetMs)),
    movedUntilMs: () => Number(read('clock_moved_until_ms') ?? 0),
    setMovedUntilMs: (untilMs: number) => write('clock_moved_until_ms', String(untilMs)),
    readOrMake(name: FixedSetting, make: () => string): string {
      const value = read(name);
      if (value !== undefined) return value;
      const newValue = make();
      write(name, newValue);
      return newValue;
    },
    readFixed(name: FixedSetting): string {
      const value = read(name);
      if (value === undefined) throw new Error(`the store has no ${name}`);
      return value;
    },
    setFixed: (name: FixedSetting, text: string) => write(name, text),
    nextBankReference(environment: Environment): number {
      const counter = db
        .query<{ value: number }>(
          `INSERT INTO counters (name, value) VALUES (?, 1)
         ON CONFLICT (name) DO UPDATE SET value = value + 1 RETURNING value`,
        )
        .get(`bank_reference.${environment}`);
      if (counter === undefined) throw new Error('a counter always has a next value');
      return counter.value;
    },
  };
}

const KEPT_TABLES: readonly string[] = ['meta', 'counters', 'companies', 'keys', MADE_BY];
const TABLES_QUERY = `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'`;

export type Counts = Readonly<
  Record<'companies' | 'operations' | 'events' | 'pending_deliveries' | 'armed_faults', number>
>;

const COUNTS_QUERY = `SELECT
  (SELECT count(*) FROM companies) AS companies,
  (SELECT count(*) FROM operations) AS operations,
  (SELECT count(*) FROM events) AS events,
  (SELECT count(*) FROM deliveries WHERE status = 'pending') AS pending_deliveries,
  (SELECT coalesce(sum(remaining), 0) FROM faults) AS armed_faults`;

const IDS_QUERY = `SELECT group_concat(id, ' ' ORDER BY id) AS ids FROM (
  SELECT key AS id FROM keys UNION SELECT id FROM operations UNION SELECT id FROM events
  UNION SELECT id FROM deliveries UNION SELECT id FROM webhook_endpoints)`;

const SCHEDULED_QUERY = `SELECT
  EXISTS (SELECT 1 FROM deliveries WHERE next_attempt_at IS NOT NULL)
  OR EXISTS (SELECT 1 FROM operations WHERE due_at IS NOT NULL) AS waiting`;
