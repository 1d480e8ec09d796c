/** The journal in one SQLite file in the user's state folder: many processes at once, every commit synced. */
import { bodyMark } from '../contract/marks.js';
import { openDatabase, type Database } from '../runtime/database.js';
import type { BookQuery, Journal } from './journal.js';
import { record } from './recording.js';
import { keep, reopenOrInsert, selectRequests, settleRow, withdrawRow } from './rows.js';
import { BODY_KEPT_MS, MARKS_KEPT_MS, type KeptRequest, type OpenRequest } from './request.js';
import { JOURNAL_KIND } from './schema.js';

/**
 * Opens the journal in that file; many processes may do so at once.
 * @throws DatabaseUnusable where the file can't be used: then nothing may be sent
 */
export function openJournal(file: string): Journal {
  const db = openDatabase(file, JOURNAL_KIND);
  // What is removed is overwritten: bodies hold personal data.
  db.query('PRAGMA secure_delete = ON').get();
  const turn = <T>(work: () => T): Promise<T> => new Promise((resolve) => resolve(db.transaction(work)));
  return {
    keySalt: null,
    record: (leaving, options) => turn(() => record(db, leaving, options)),
    again: (request, sender) => turn(() => reopenOrInsert(db, { ...request, ...sender })),
    settle: ({ row }, settled, firstLeftMs) => turn(() => settleRow(db, row, settled, firstLeftMs)),
    keep: ({ row, body }, firstLeftMs) => turn(() => keep(db, row, body, firstLeftMs)),
    withdraw: ({ row }) => turn(() => withdrawRow(db, row)),
    update: ({ row }, status) =>
      turn(() => void db.run('UPDATE requests SET status = ? WHERE row = ?', status, row)),
    knows: ({ idempotencyKey, body }) =>
      turn(
        () =>
          selectRequests(
            db,
            'idempotency_key = ? OR (body_mark = ? AND open_sendings > 0) LIMIT 1',
            ...[idempotencyKey, bodyMark(body)],
          ).length > 0,
      ),
    open: (key) => turn(() => selectOpen(db, key)),
    listed: () => turn(() => selectOpen(db, undefined)),
    ofReferences: (query) => turn(() => ofReferences(db, query)),
    behind: (row) =>
      turn(() => selectRequests(db, 'row > ? AND reference_mark IS NOT NULL ORDER BY row', row)),
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
    newestOf: (keyPrint, environment) =>
      turn(
        () =>
          selectRequests(
            db,
            'operation IS NOT NULL AND key_print = ? AND environment = ? ORDER BY row DESC LIMIT 1',
            keyPrint,
            environment,
          )[0]?.settled?.operation ?? null,
      ),
    takenOverAtMs: () => Promise.resolve(null),
    clear: (nowMs) => turn(() => clear(db, nowMs)),
    forget: (key) => turn(() => forget(db, key)),
    drop: (environment, origin) =>
      turn(() => db.run('DELETE FROM requests WHERE environment = ? AND origin = ?', environment, origin)),
    close: () => {
      db.close();
      return Promise.resolve();
    },
  };
}

function ofReferences(db: Database, { environment, direction, referenceMarks }: BookQuery): KeptRequest[] {
  return referenceMarks.flatMap((mark) =>
    selectRequests(
      db,
      'reference_mark = ? AND environment = ? AND direction = ?',
      mark,
      environment,
      direction,
    ),
  );
}

function selectOpen(db: Database, key: string | undefined): OpenRequest[] {
  const open = 'open_sendings > 0 AND body IS NOT NULL';
  const requests =
    key === undefined
      ? selectRequests(db, `${open} ORDER BY first_left_at, row`)
      : selectRequests(db, `${open} AND idempotency_key = ? ORDER BY row`, key);
  return requests.filter(
    (request): request is OpenRequest => request.state === 'open' && request.body !== null,
  );
}

function clear(db: Database, nowMs: number): void {
  db.run('DELETE FROM requests WHERE first_left_at < ?', nowMs - MARKS_KEPT_MS);
  db.run(
    'UPDATE requests SET body = NULL, is_forgotten = 1 WHERE first_left_at < ? AND body IS NOT NULL',
    nowMs - BODY_KEPT_MS,
  );
}

function forget(db: Database, key: string | undefined): number {
  const sql =
    'UPDATE requests SET body = NULL, is_forgotten = 1 WHERE open_sendings > 0 AND body IS NOT NULL';
  return key === undefined ? db.run(sql) : db.run(`${sql} AND idempotency_key = ?`, key);
}
