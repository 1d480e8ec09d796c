import { existsSync, statSync } from 'node:fs';
import { type Clock, systemTicker } from '../../../runtime/clock.js';
import { openDatabase, type Database } from '../../../runtime/database.js';
import { isOfAnotherProgram, preparePath } from '../../../runtime/database-file.js';
import { databaseError, DatabaseUnusable } from '../../../runtime/database-unusable.js';
import { Failure } from '../../../runtime/failure.js';
import { withLock } from '../../../runtime/files.js';
import {
  type EventTable,
  type FeedRecord,
  type FeedSource,
  positionIn,
  requireSameFeed,
  tablesInUseFailure,
  missingTablesFailure,
  TableAway,
  leaseLostFailure,
  EVENT_TABLES_VERSION,
} from '../table.js';
import type { EventBatch, OpenTable } from '../batch.js';
import { columnLines, EVENT_NAMES, OPERATION_NAMES, UPDATED_COLUMNS } from '../rows.js';
import { preferredSql } from '../../../contract/operation-facts.js';
import type { Position } from '../../../storage/checkpoints/checkpoint.js';

interface SqliteTableOptions extends FeedSource {
  readonly file: string;
  readonly clock: Clock;
  readonly createCommand: string | null;
}

type FeedRow = FeedRecord & FileState & Readonly<Record<'position' | 'newest_operation', string | null>>;

const CACHE_KILOBYTES = 8000;
const IDLE_CHECK_MS = 1000;
const NO_LOSS = new AbortController().signal;

export function sqliteTable(options: SqliteTableOptions): EventTable {
  const { file, clock, createCommand } = options;
  return async (work) => {
    const hasTables = existsSync(file) && statSync(file).size > 0;
    if (createCommand !== null && !hasTables) throw missingTablesFailure(createCommand);
    await withTableLock(file, clock, async () => {
      const db = openDatabase(file, INTO_KIND);
      try {
        // `NORMAL` is enough, because events whose commit was lost in a power cut are read again.
        db.query('PRAGMA synchronous = NORMAL').get();
        db.query(`PRAGMA cache_size = -${String(CACHE_KILOBYTES)}`).get();
        await runWriting(db, openFeedRow(db, options), clock, work);
      } finally {
        db.close();
      }
    });
  };
}

async function runWriting(
  db: Database,
  row: FeedRow,
  clock: Clock,
  work: (open: OpenTable) => Promise<void>,
): Promise<void> {
  const writer = fileWriter(db, row, clock);
  const stopTicker = systemTicker(IDLE_CHECK_MS, () => {
    writer.indexIfIdle();
  });
  try {
    await work({
      position: positionIn(row.position),
      count: row.events,
      newestOperation: row.newest_operation,
      loss: NO_LOSS,
      write: writer.write,
    });
    writer.index();
  } finally {
    stopTicker();
  }
}

async function withTableLock(file: string, clock: Clock, work: () => Promise<void>): Promise<void> {
  const lock = { isHeld: false };
  try {
    preparePath(file, INTO_KIND);
    if (isOfAnotherProgram(file)) throw new DatabaseUnusable('foreign', INTO_KIND, file);
    await withLock(`${file}.lock`, { clock, waitMs: 0, isBesideFile: true }, () => {
      lock.isHeld = true;
      return work();
    });
  } catch (error) {
    if (lock.isHeld) throw error;
    const isLocked = error instanceof Failure && error.kind === 'locked';
    throw isLocked ? tablesInUseFailure(null) : databaseError(error, INTO_KIND, file);
  }
}

function openFeedRow(db: Database, { environment, origin }: SqliteTableOptions): FeedRow {
  return db.transaction(() => {
    db.run(BEGIN_FEED_FILE, environment, origin);
    const row = db.query<FeedRow>('SELECT * FROM svc_feed').get();
    if (row === undefined) throw new Error('a row that was just there is gone');
    requireSameFeed(row, { environment, origin });
    return row;
  });
}

const FIRST_READING_MIN = 500;

type FileState = Readonly<Record<'events' | 'indexed' | 'sequence', number>>;

export function fileWriter(db: Database, feedState: FileState, clock: Pick<Clock, 'now'>) {
  let { sequence, events: lastNumber } = feedState;
  let isIndexed = feedState.indexed === 1;
  let isIdle = false;
  const index = (): void => {
    indexTables(db);
    db.run('UPDATE svc_feed SET indexed = 1');
  };
  const writeBatch = (batch: EventBatch, position: Position): void => {
    const makesIndexes = !isIndexed && batch.lastNumber - lastNumber < FIRST_READING_MIN;
    db.transaction(() => {
      const writtenAt = new Date(clock.now()).toISOString();
      const values = [JSON.stringify(position), batch.lastNumber, batch.newestOperation, writtenAt, sequence];
      if (db.run(MOVE_FEED, ...values) === 0) throw leaseLostFailure();
      if (makesIndexes) index();
      const hasIndex = isIndexed || makesIndexes;
      for (const row of batch.events)
        db.run(hasIndex ? PUT_EVENT : ADD_EVENT, ...EVENT_NAMES.map((name) => row[name]));
      for (const row of batch.operations)
        db.run(hasIndex ? PUT_OPERATION : ADD_OPERATION, ...OPERATION_NAMES.map((name) => row[name]));
    });
    isIndexed ||= makesIndexes;
    sequence += 1;
    ({ lastNumber } = batch);
  };
  const indexNow = (): void => {
    if (!isIndexed) db.transaction(index);
    isIndexed = true;
  };
  return {
    write: (batch: EventBatch, position: Position) =>
      new Promise<void>((resolve, reject) => {
        isIdle = false;
        try {
          writeBatch(batch, position);
          resolve();
        } catch (error) {
          const isBusy = error instanceof DatabaseUnusable && error.problem === 'busy';
          reject(isBusy ? new TableAway(error) : (error as Error));
        }
      }),
    index: indexNow,
    indexIfIdle: () => {
      try {
        if (isIdle) indexNow();
      } catch {
        return;
      }
      isIdle = true;
    },
  };
}

type Row = Readonly<Record<string, string | number | Uint8Array | null>>;

const CONSTRAINT_CODE = 19;

function indexTables(db: Database): void {
  for (const table of ['svc_events', 'svc_operations'] as const) {
    if (tryIndex(db, table)) continue;
    const rows = takeRepeatedRows(db, table);
    db.run(INDEXES[table]);
    const putSql = table === 'svc_events' ? PUT_EVENT : PUT_OPERATION;
    for (const row of rows) db.run(putSql, ...Object.values(row));
  }
}

function tryIndex(db: Database, table: keyof typeof INDEXES): boolean {
  try {
    db.run(INDEXES[table]);
    return true;
  } catch (error) {
    const { errcode } = error as { errcode?: unknown };
    if (typeof errcode === 'number' && (errcode & 0xff) === CONSTRAINT_CODE) return false;
    throw error;
  }
}

function takeRepeatedRows(db: Database, table: keyof typeof INDEXES): Row[] {
  const columns = (table === 'svc_events' ? EVENT_NAMES : OPERATION_NAMES).join(', ');
  const repeatedIds = db.query<{ id: string }>(`SELECT id FROM ${table} GROUP BY id HAVING count(*) > 1`);
  const ids = JSON.stringify(repeatedIds.all().map(({ id }) => id));
  const whereIds = 'WHERE id IN (SELECT value FROM json_each(?))';
  const rows = db.query<Row>(`SELECT ${columns} FROM ${table} ${whereIds} ORDER BY rowid`).all(ids);
  db.run(`DELETE FROM ${table} ${whereIds}`, ids);
  return rows;
}

/** Amounts are texts, because SQLite has no exact decimals. */
const dbType = (type: string): string => (type === 'bigint' ? 'INTEGER' : type === 'bytea' ? 'BLOB' : 'TEXT');

const withoutIndexes = (lines: string): string =>
  lines.replace(' UNIQUE', '').replace('id TEXT PRIMARY KEY', 'id TEXT NOT NULL');

const INDEXES = {
  svc_events: 'CREATE UNIQUE INDEX svc_events_id ON svc_events (id)',
  svc_operations: 'CREATE UNIQUE INDEX svc_operations_id ON svc_operations (id)',
} as const;

export const INTO_KIND = {
  name: 'events table',
  whenGone: 'svc then reads the events again from the start.',
  version: EVENT_TABLES_VERSION,
  applicationId: 0x73766365,
  tuning: { pageBytes: 4096, logPages: 8000 },
  schema: `
CREATE TABLE svc_events (\n${withoutIndexes(columnLines('svc_events', dbType))}\n) STRICT;
CREATE TABLE svc_operations (\n${withoutIndexes(columnLines('svc_operations', dbType))}\n) STRICT;
CREATE TABLE svc_feed (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  version INTEGER NOT NULL,
  environment TEXT NOT NULL,
  origin TEXT NOT NULL,
  position TEXT,
  events INTEGER NOT NULL DEFAULT 0,
  newest_operation TEXT,
  written_at TEXT,
  indexed INTEGER NOT NULL DEFAULT 0,
  sequence INTEGER NOT NULL DEFAULT 0
) STRICT;
`,
} as const;

const placeholders = (names: readonly string[]): string => names.map(() => '?').join(', ');
const excludedColumns = (names: readonly string[]): string =>
  names.map((name) => `${name} = excluded.${name}`).join(', ');

const ADD_EVENT = `INSERT INTO svc_events (${EVENT_NAMES.join(', ')}) VALUES (${placeholders(EVENT_NAMES)})`;
const ADD_OPERATION = `INSERT INTO svc_operations AS o (${OPERATION_NAMES.join(', ')}) VALUES (${placeholders(OPERATION_NAMES)})`;
const PUT_EVENT = `${ADD_EVENT} ON CONFLICT (id) DO UPDATE SET ${excludedColumns(UPDATED_COLUMNS)}`;
const PUT_OPERATION = `${ADD_OPERATION} ON CONFLICT (id) DO UPDATE SET ${excludedColumns(OPERATION_NAMES)} WHERE ${preferredSql('event', '')}`;

export const BEGIN_FEED_FILE = `INSERT INTO svc_feed (one, version, environment, origin) VALUES (1, ${String(EVENT_TABLES_VERSION)}, ?, ?) ON CONFLICT DO NOTHING`;

const MOVE_FEED =
  'UPDATE svc_feed SET position = ?, events = ?, newest_operation = coalesce(?, newest_operation), written_at = ?, sequence = sequence + 1 WHERE sequence = ?';
