/** The tables of a feed in a file of SQLite: a lock beside it, which ends with its process, says who writes. */
import { existsSync, statSync } from 'node:fs';
import type { Clock } from '../../../runtime/clock.js';
import { openDatabase, type Database } from '../../../runtime/database.js';
import { databaseError, DatabaseUnusable } from '../../../runtime/database-unusable.js';
import { Failure } from '../../../runtime/failure.js';
import { withLock } from '../../../runtime/lock.js';
import type { Position } from '../../walk.js';
import type { EventBatch, NumberedEvent } from '../batch.js';
import type { OperationRow } from '../rows.js';
import {
  type EventTable,
  type FeedRecord,
  type IntoPlace,
  positionIn,
  requireOurs,
  TableAway,
  tablesInUse,
  tablesMissing,
  tablesTakenOver,
} from '../table.js';
import {
  BEGIN_FEED_FILE,
  EVENT_NAMES,
  INTO_KIND,
  MOVE_FEED,
  OPERATION_NAMES,
  PUT_EVENT,
  PUT_OPERATION,
} from './schema.js';

export interface SqliteTableOptions extends IntoPlace {
  readonly file: string;
  readonly clock: Clock;
  /** The line that makes them; null where this run may make them itself. */
  readonly creating: string | null;
}

interface FeedRow extends FeedRecord {
  readonly position: string | null;
  readonly events: number;
  readonly newest_operation: string | null;
  readonly sequence: number;
}

/** Pages of two indexes that are written all over. */
const CACHE_KILOBYTES = 32_000;
const NEVER = new AbortController().signal;

export function sqliteTable(options: SqliteTableOptions): EventTable {
  const { file, clock, creating } = options;
  return {
    within: async (work) => {
      if (creating !== null && !isThere(file)) throw tablesMissing(creating);
      return locked(file, clock, async () => {
        const db = openDatabase(file, INTO_KIND);
        try {
          // A commit that a power cut takes back takes its place along: it is read again, and nothing is missing.
          db.query('PRAGMA synchronous = NORMAL').get();
          db.query(`PRAGMA cache_size = -${String(CACHE_KILOBYTES)}`).get();
          const row = feedIn(db, options);
          return await work({
            position: positionIn(row.position),
            count: row.events,
            operation: row.newest_operation,
            gone: NEVER,
            write: writerTo(db, row.sequence, options),
          });
        } finally {
          db.close();
        }
      });
    },
  };
}

/** An empty one is none: something else may have made it a moment ago. */
function isThere(file: string): boolean {
  return existsSync(file) && statSync(file).size > 0;
}

async function locked<T>(file: string, clock: Clock, work: () => Promise<T>): Promise<T> {
  const lock = { isHeld: false };
  try {
    return await withLock(`${file}.lock`, { clock, waitMs: 0 }, () => {
      lock.isHeld = true;
      return work();
    });
  } catch (error) {
    if (lock.isHeld) throw error;
    const isLocked = error instanceof Failure && error.kind === 'locked';
    throw isLocked ? tablesInUse(null) : databaseError(error, INTO_KIND, file);
  }
}

/** @throws Failure `local_state`, `unsafe` for those of another place */
function feedIn(db: Database, { environment, origin }: SqliteTableOptions): FeedRow {
  return db.transaction(() => {
    db.run(BEGIN_FEED_FILE, environment, origin);
    const row = db.query<FeedRow>('SELECT * FROM svc_feed').get();
    if (row === undefined) throw new Error('the row that was there a moment ago is gone');
    requireOurs(row, { environment, origin });
    return row;
  });
}

function writerTo(
  db: Database,
  first: number,
  { clock }: SqliteTableOptions,
): (batch: EventBatch, position: Position) => Promise<void> {
  let sequence = first;
  const write = (batch: EventBatch, position: Position): void =>
    db.transaction(() => {
      const at = new Date(clock.now()).toISOString();
      const values = [JSON.stringify(position), batch.count, batch.newest, at, sequence];
      if (db.run(MOVE_FEED, ...values) === 0) throw tablesTakenOver();
      for (const event of batch.events) db.run(PUT_EVENT, ...eventCells(event));
      for (const operation of batch.operations) db.run(PUT_OPERATION, ...operationCells(operation));
    });
  return (batch, position) =>
    new Promise((resolve, reject) => {
      try {
        write(batch, position);
        sequence += 1;
        resolve();
      } catch (error) {
        // Another program reads or copies it for longer than anybody waits.
        const isBusy = error instanceof DatabaseUnusable && error.problem === 'busy';
        reject(isBusy ? new TableAway(error) : (error as Error));
      }
    });
}

type Cell = string | number | Uint8Array | null;

function eventCells(event: NumberedEvent): Cell[] {
  return EVENT_NAMES.map((name) => event[name as keyof NumberedEvent]);
}

function operationCells(operation: OperationRow): Cell[] {
  return OPERATION_NAMES.map((name) => operation[name as keyof OperationRow]);
}
