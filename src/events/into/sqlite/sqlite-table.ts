/** The tables of a feed in a file of SQLite: a lock beside it, which ends with its process, says who writes. */
import { existsSync, statSync } from 'node:fs';
import { type Clock, systemTicker } from '../../../runtime/clock.js';
import { openDatabase, type Database } from '../../../runtime/database.js';
import { isOfAnotherProgram, preparePath } from '../../../runtime/database-file.js';
import { databaseError, DatabaseUnusable } from '../../../runtime/database-unusable.js';
import { Failure } from '../../../runtime/failure.js';
import { withLock } from '../../../runtime/lock.js';
import {
  type EventTable,
  type FeedRecord,
  type IntoPlace,
  type OpenTable,
  positionIn,
  requireOurs,
  tablesInUse,
  tablesMissing,
} from '../table.js';
import { BEGIN_FEED_FILE, INTO_KIND } from './schema.js';
import { type FileStanding, fileWriter } from './writing.js';

export interface SqliteTableOptions extends IntoPlace {
  readonly file: string;
  readonly clock: Clock;
  /** The line that makes them; null where this run may make them itself. */
  readonly creating: string | null;
}

interface FeedRow extends FeedRecord, FileStanding {
  readonly position: string | null;
  readonly newest_operation: string | null;
}

const CACHE_KILOBYTES = 8000;
const REST_MS = 1000;
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
          return await writing(db, row, clock, work);
        } finally {
          db.close();
        }
      });
    },
  };
}

async function writing<T>(
  db: Database,
  row: FeedRow,
  clock: Clock,
  work: (open: OpenTable) => Promise<T>,
): Promise<T> {
  const writer = fileWriter(db, row, clock);
  const end = systemTicker(REST_MS, () => {
    writer.rest();
  });
  try {
    const done = await work({
      position: positionIn(row.position),
      count: row.events,
      operation: row.newest_operation,
      gone: NEVER,
      write: (batch, position) => writer.write(batch, position),
    });
    writer.index();
    return done;
  } finally {
    end();
  }
}

/** An empty one is none: something else may have made it a moment ago. */
function isThere(file: string): boolean {
  return existsSync(file) && statSync(file).size > 0;
}

async function locked<T>(file: string, clock: Clock, work: () => Promise<T>): Promise<T> {
  const lock = { isHeld: false };
  try {
    // What stands there and is no file of the user's is refused before anything is put beside it.
    preparePath(file, INTO_KIND);
    if (isOfAnotherProgram(file)) throw new DatabaseUnusable('foreign', INTO_KIND, file);
    return await withLock(`${file}.lock`, { clock, waitMs: 0, isBesideFile: true }, () => {
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
    if (row === undefined) throw new Error('a row that was just there is gone');
    requireOurs(row, { environment, origin });
    return row;
  });
}
