/** The journal in one SQLite file in the user's state folder, for many processes at once. Clearing and outcomes are synced. */
import { openDatabase, type Database } from '../runtime/database.js';
import type { BookQuery, Journal } from './journal.js';
import { bury, clear, leave, record, type RecordingWorld, release } from './recording.js';
import {
  keepRow,
  noteTime,
  refuteRow,
  removeRow,
  selectRequests,
  selectTime,
  selectTwins,
  settleRow,
  withdrawRow,
} from './rows.js';
import {
  BODY_KEPT_MS,
  type KeptRequest,
  MARKS_KEPT_MS,
  NAMELESS_KEPT_MS,
  type OpenRequest,
} from './request.js';
import { JOURNAL_KIND } from './schema.js';

/**
 * Opens the journal in that file; many processes may do so at once.
 * @throws DatabaseUnusable where the file can't be used: then nothing may be sent
 */
export function openJournal(file: string, world: RecordingWorld): Journal {
  const db = openDatabase(file, JOURNAL_KIND);
  // What is removed is overwritten: bodies hold personal data.
  db.query('PRAGMA secure_delete = ON').get();
  const turn = <T>(work: () => T): Promise<T> => new Promise((resolve) => resolve(db.transaction(work)));
  // Nothing has left by what is written so: a power cut may take it.
  const lightly = <T>(work: () => T): Promise<T> => new Promise((resolve) => resolve(db.unsynced(work)));
  const found = (select: () => KeptRequest[]): Promise<KeptRequest[]> =>
    lightly(() => {
      bury(db, world);
      return select();
    });
  return {
    keySalt: null,
    record: (leaving, options) => lightly(() => record(db, leaving, options, world)),
    leave: (leaving, bootId, clearingAt) => turn(() => leave(db, leaving, clearingAt, { ...world, bootId })),
    clear: (request, clearing) => turn(() => clear(db, request, clearing)),
    release: ({ row }) => lightly(() => release(db, row, world)),
    settle: ({ row }, settled, learnt = {}) => turn(() => settleRow(db, row, settled, learnt)),
    keep: ({ row, body }, learnt = {}) => turn(() => keepRow(db, row, body, learnt)),
    withdraw: ({ row }) => turn(() => withdrawRow(db, row)),
    refute: ({ row }) => turn(() => refuteRow(db, row)),
    remove: ({ row, sendings }) => turn(() => removeRow(db, row, sendings)),
    note: (operation, status) => lightly(() => note(db, operation, status)),
    knows: (key) =>
      turn(
        () => selectRequests(db, 'idempotency_key = ? AND left_wall_at IS NOT NULL LIMIT 1', key).length > 0,
      ),
    open: (key) => turn(() => selectOpen(db, key)),
    listed: () => turn(() => selectOpen(db, undefined)),
    withKey: (key) =>
      turn(() => selectRequests(db, 'idempotency_key = ? AND left_wall_at IS NOT NULL ORDER BY row', key)),
    ofReferences: (query) => found(() => ofReferences(db, query)),
    ofTwins: (query) => found(() => selectTwins(db, query)),
    behind: (row) =>
      found(() => selectRequests(db, 'row > ? AND reference_mark IS NOT NULL ORDER BY row', row)),
    lastRow: () =>
      turn(() => db.query<{ last: number | null }>('SELECT max(row) AS last FROM requests').get()?.last ?? 0),
    ofOperations: (environment, beginning, after, count) =>
      turn(() =>
        selectRequests(
          db,
          'row > ? AND operation IS NOT NULL AND environment = ? AND substr(lower(operation), 1, ?) = ? ORDER BY row LIMIT ?',
          ...[after, environment, beginning.length, beginning, count],
        ),
      ),
    newestOf: (keyPrint, environment, leftUntilMs) =>
      turn(
        () =>
          selectRequests(
            db,
            `operation IS NOT NULL AND key_print = ? AND environment = ? ${leftUntilMs === undefined ? '' : 'AND left_service_at <= ?'} ` +
              'ORDER BY row DESC LIMIT 1',
            ...[keyPrint, environment, ...(leftUntilMs === undefined ? [] : [leftUntilMs])],
          )[0] ?? null,
      ),
    newestTime: (place, bootId) => turn(() => selectTime(db, place, bootId)),
    noteTime: (place, anchor) => lightly(() => noteTime(db, place, anchor)),
    takenOverAtMs: () => Promise.resolve(null),
    sweep: (nowMs) => turn(() => sweep(db, nowMs)),
    forget: (key) => turn(() => forget(db, key)),
    drop: (environment, origin) => turn(() => drop(db, environment, origin)),
    close: () => {
      db.close();
      return Promise.resolve();
    },
  };
}

function ofReferences(db: Database, { environment, direction, referenceMarks }: BookQuery): KeptRequest[] {
  const where = 'reference_mark = ? AND environment = ? AND direction = ?';
  const found = referenceMarks.flatMap((mark) => selectRequests(db, where, mark, environment, direction));
  return found.sort((a, b) => a.row - b.row);
}

function selectOpen(db: Database, key: string | undefined): OpenRequest[] {
  const open = 'body IS NOT NULL AND open_sendings > 0';
  const requests =
    key === undefined
      ? selectRequests(db, `${open} ORDER BY coalesce(left_service_at, left_wall_at), row`)
      : selectRequests(db, `${open} AND idempotency_key = ? ORDER BY row`, key);
  return requests.filter(
    (request): request is OpenRequest => request.state === 'open' && request.body !== null,
  );
}

function note(db: Database, operation: string, status: string): void {
  db.run(
    'UPDATE requests SET status = ? WHERE operation IS NOT NULL AND lower(operation) = lower(?) ' +
      "AND status NOT IN ('confirmed', 'failed') AND status <> ?",
    ...[status, operation, status],
  );
}

function sweep(db: Database, nowMs: number): void {
  const settledAt = 'coalesce(operation_created_at, left_service_at, left_wall_at)';
  db.run(`DELETE FROM requests WHERE open_sendings = 0 AND ${settledAt} < ?`, nowMs - MARKS_KEPT_MS);
  // What is pending is found by its operation until the feed tells of it.
  db.run(
    'DELETE FROM requests WHERE reference_mark IS NULL AND is_own_key = 0 AND open_sendings = 0 ' +
      `AND status <> 'pending' AND ${settledAt} < ?`,
    nowMs - NAMELESS_KEPT_MS,
  );
  db.run(
    'UPDATE requests SET body = NULL, is_forgotten = 1 WHERE body IS NOT NULL AND coalesce(left_service_at, left_wall_at) < ?',
    nowMs - BODY_KEPT_MS,
  );
}

function forget(db: Database, key: string | undefined): number {
  const sql =
    'UPDATE requests SET body = NULL, is_forgotten = 1 WHERE body IS NOT NULL AND open_sendings > 0';
  const recorded = 'DELETE FROM requests WHERE body IS NOT NULL AND left_wall_at IS NULL';
  if (key === undefined) return db.run(sql) + db.run(recorded);
  return db.run(`${sql} AND idempotency_key = ?`, key) + db.run(`${recorded} AND idempotency_key = ?`, key);
}

function drop(db: Database, environment: string, origin: string): number {
  const place = 'environment = ? AND origin = ?';
  db.run(`DELETE FROM times WHERE ${place}`, environment, origin);
  return db.run(`DELETE FROM requests WHERE ${place}`, environment, origin);
}
