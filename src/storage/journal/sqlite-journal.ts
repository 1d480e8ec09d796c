import { openDatabase, type Database } from '../../runtime/database.js';
import { bodyMark } from '../../contract/marks.js';
import type { KeyNote } from '../../contract/key-use.js';
import type { Journal, Departure, RecordOutcome } from './journal.js';
import {
  keepRow,
  noteTime,
  HAS_NO_OPERATION,
  selectRequests,
  selectTime,
  selectTwins,
  settleRow,
  mergedStatusSql,
  withdrawRow,
  addSending,
  insertRequest,
  noteTimeOfRow,
} from './records.js';
import {
  BODY_KEPT_MS,
  type JournalRequest,
  knownOperation,
  MARKS_KEPT_MS,
  UNREFERENCED_KEPT_MS,
  type OpenRequest,
  type UnsentRequest,
} from './request.js';
import { JOURNAL_KIND } from './tables.js';
import type { Clock } from '../../runtime/clock.js';
import type { ProcessName, Processes } from '../../runtime/processes.js';
import type { TimeAnchor } from '../../contract/moment.js';
import { GONE } from '../../contract/operation.js';
import { isSamePayment, precedenceOf, type PrecedenceOptions } from './precedence.js';

export function openJournal(file: string, world: RecordingWorld): Journal {
  const db = openDatabase(file, JOURNAL_KIND);
  db.query('PRAGMA secure_delete = ON').get();
  const inTransaction = <T>(work: () => T): Promise<T> =>
    new Promise((resolve) => resolve(db.transaction(work)));
  const inUnsyncedTransaction = <T>(work: () => T): Promise<T> =>
    new Promise((resolve) => resolve(db.unsyncedTransaction(work)));
  const findLiving = (select: () => JournalRequest[]): Promise<JournalRequest[]> =>
    inUnsyncedTransaction(() => {
      removeDead(db, world);
      return select();
    });
  return {
    keySalt: null,
    record: (unsent, options) => inUnsyncedTransaction(() => record(db, unsent, options, world)),
    recordAndClear: (unsent, bootId, clearingAt) =>
      inTransaction(() => recordAndClear(db, unsent, clearingAt, { ...world, bootId })),
    clear: (request, departure) => inTransaction(() => clear(db, request, departure)),
    release: ({ row }) =>
      inUnsyncedTransaction(() => {
        const owners = withoutOwner(ownersOf(db, row), world.processes.self());
        if (owners === null) db.run('DELETE FROM requests WHERE row = ? AND left_wall_at IS NULL', row);
        else db.run('UPDATE requests SET owners = ? WHERE row = ? AND left_wall_at IS NULL', owners, row);
      }),
    settle: ({ row }, settled, learntTimes = {}) =>
      inTransaction(() => settleRow(db, row, settled, learntTimes)),
    keepOpen: ({ row, body }, learntTimes = {}) => inTransaction(() => keepRow(db, row, body, learntTimes)),
    withdraw: ({ row }) => inTransaction(() => withdrawRow(db, row)),
    refute: ({ row }) =>
      inTransaction(() => {
        db.run('UPDATE requests SET open_sendings = 1 WHERE row = ? AND open_sendings > 0', row);
        withdrawRow(db, row);
      }),
    remove: ({ row, sendings }) =>
      inTransaction(() => {
        const isThisRow = 'row = ? AND open_sendings = ? AND left_wall_at IS NOT NULL';
        const emptyFailedSql = `UPDATE requests SET open_sendings = 0, body = NULL WHERE ${isThisRow} AND status = 'failed'`;
        const deleteSql = `DELETE FROM requests WHERE ${isThisRow} AND ${HAS_NO_OPERATION}`;
        return db.run(deleteSql, row, sendings) === 1 || db.run(emptyFailedSql, row, sendings) === 1;
      }),
    noteStatus: (operation, status) =>
      inUnsyncedTransaction(() => {
        const hasOperation = 'lower(operation) = lower(?)';
        if (status === GONE) {
          const isPending =
            "open_sendings = 0 AND status NOT IN ('confirmed', 'failed', 'contradicted', 'gone')";
          const reopenedCells = `status = '${GONE}', open_sendings = 1, is_forgotten = 1`;
          db.run(`UPDATE requests SET ${reopenedCells} WHERE ${hasOperation} AND ${isPending}`, operation);
        } else {
          const sql = `UPDATE requests SET status = ${mergedStatusSql('status', '?')} WHERE operation IS NOT NULL AND ${hasOperation}`;
          db.run(sql, status, status, status, operation);
        }
      }),
    setStatus: (operation, status) =>
      inTransaction(
        () =>
          void db.run('UPDATE requests SET status = ? WHERE lower(operation) = lower(?)', status, operation),
      ),
    hasLeft: (key) =>
      inTransaction(
        () => selectRequests(db, 'idempotency_key = ? AND left_wall_at IS NOT NULL LIMIT 1', key).length > 0,
      ),
    open: (key) => inTransaction(() => selectOpen(db, key)),
    openForDisplay: () => inTransaction(() => selectOpen(db, undefined)),
    withKey: (key) =>
      inTransaction(() =>
        selectRequests(db, 'idempotency_key = ? AND left_wall_at IS NOT NULL ORDER BY row', key),
      ),
    ofReferences: ({ environment, direction, referenceMarks }) =>
      findLiving(() => {
        const where = 'reference_mark = ? AND environment = ? AND direction = ?';
        return referenceMarks
          .flatMap((mark) => selectRequests(db, where, mark, environment, direction))
          .sort((a, b) => a.row - b.row);
      }),
    ofTwins: (query) => findLiving(() => selectTwins(db, query)),
    afterRow: (row) =>
      findLiving(() => selectRequests(db, 'row > ? AND reference_mark IS NOT NULL ORDER BY row', row)),
    lastRow: () =>
      inTransaction(
        () => db.query<{ last: number | null }>('SELECT max(row) AS last FROM requests').get()?.last ?? 0,
      ),
    withOperations: (operations) => {
      const ids = JSON.stringify(operations.map((id) => id.toLowerCase()));
      const hasOperation = 'operation IS NOT NULL AND lower(operation) IN (SELECT value FROM json_each(?))';
      return new Promise((resolve) =>
        resolve(db.readTransaction(() => selectRequests(db, hasOperation, ids))),
      );
    },
    ofOperations: (environment, beginning, after, count) =>
      inTransaction(() =>
        selectRequests(
          db,
          'row > ? AND operation IS NOT NULL AND environment = ? AND substr(lower(operation), 1, ?) = ? ORDER BY row LIMIT ?',
          ...[after, environment, beginning.length, beginning, count],
        ),
      ),
    newestOf: (keyPrint, environment) =>
      inTransaction(() => {
        const where =
          'operation IS NOT NULL AND status <> ? AND key_print = ? AND environment = ? ORDER BY row DESC LIMIT 1';
        return selectRequests(db, where, GONE, keyPrint, environment)[0] ?? null;
      }),
    newestTime: (place, bootId) => inTransaction(() => selectTime(db, place, bootId)),
    noteTime: (place, anchor) => inUnsyncedTransaction(() => noteTime(db, place, anchor)),
    takenOverAtMs: () => Promise.resolve(null),
    noteKey: ({ idempotencyKey, environment, origin, keyPrint }, { kind, body, notedAtMs }) =>
      inTransaction(() => {
        const keyValues = [idempotencyKey, environment, origin, keyPrint, kind, bodyMark(body)];
        db.run(NOTE_KEY, ...keyValues, body, Math.round(notedAtMs));
      }),
    keyNotes: ({ idempotencyKey, environment, keyPrint }) =>
      inTransaction(() => db.query<KeyNote>(KEY_NOTES).all(idempotencyKey, environment, keyPrint)),
    sweep: (nowMs) => inTransaction(() => sweep(db, nowMs)),
    forget: (key) => inTransaction(() => forget(db, key)),
    drop: (environment, origin) =>
      inTransaction(() => {
        const atPlace = 'environment = ? AND origin = ?';
        for (const table of ['times', 'key_notes'])
          db.run(`DELETE FROM ${table} WHERE ${atPlace}`, environment, origin);
        return db.run(`DELETE FROM requests WHERE ${atPlace}`, environment, origin);
      }),
    close: () => {
      db.close();
      return Promise.resolve();
    },
  };
}

function selectOpen(db: Database, key: string | undefined): OpenRequest[] {
  const isOpenSql = 'body IS NOT NULL AND open_sendings > 0';
  const requests =
    key === undefined
      ? selectRequests(db, `${isOpenSql} ORDER BY coalesce(left_service_at, left_wall_at), row`)
      : selectRequests(db, `${isOpenSql} AND idempotency_key = ? ORDER BY row`, key);
  return requests.filter(isOpen);
}

function isOpen(request: JournalRequest): request is OpenRequest {
  return request.state === 'open' && request.body !== null;
}

const NOTE_KEY =
  'INSERT INTO key_notes (idempotency_key, environment, origin, key_print, kind, body_mark, body, noted_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ' +
  'ON CONFLICT DO UPDATE SET noted_at = excluded.noted_at, body = excluded.body';

const KEY_NOTES =
  'SELECT kind, body, noted_at AS "notedAtMs" FROM key_notes WHERE idempotency_key = ? AND environment = ? AND key_print = ? ORDER BY noted_at';

function sweep(db: Database, nowMs: number): void {
  const keptMs = (kind: string): number => (kind === 'refused' ? BODY_KEPT_MS : MARKS_KEPT_MS);
  for (const kind of ['refused', 'used', 'not_paid'])
    db.run('DELETE FROM key_notes WHERE kind = ? AND noted_at < ?', kind, nowMs - keptMs(kind));
  const settledAt = 'coalesce(operation_created_at, left_service_at, left_wall_at)';
  db.run(`DELETE FROM requests WHERE open_sendings = 0 AND ${settledAt} < ?`, nowMs - MARKS_KEPT_MS);
  db.run(
    'DELETE FROM requests WHERE reference_mark IS NULL AND is_own_key = 0 AND open_sendings = 0 ' +
      `AND status <> 'pending' AND ${settledAt} < ?`,
    nowMs - UNREFERENCED_KEPT_MS,
  );
  db.run(
    'UPDATE requests SET body = NULL, is_forgotten = 1 WHERE body IS NOT NULL AND coalesce(left_service_at, left_wall_at) < ?',
    nowMs - BODY_KEPT_MS,
  );
}

function forget(db: Database, key: string | undefined): number {
  const sql =
    'UPDATE requests SET body = NULL, is_forgotten = 1 WHERE body IS NOT NULL AND open_sendings > 0';
  const deleteRecordedSql = 'DELETE FROM requests WHERE body IS NOT NULL AND left_wall_at IS NULL';
  const [ofKey, values] = key === undefined ? ['', []] : [' AND idempotency_key = ?', [key]];
  db.run(`DELETE FROM key_notes WHERE kind = 'refused'${ofKey}`, ...values);
  return db.run(`${sql}${ofKey}`, ...values) + db.run(`${deleteRecordedSql}${ofKey}`, ...values);
}

interface RecordingWorld {
  readonly processes: Processes;
  readonly clock: Pick<Clock, 'now'>;
}

function record(
  db: Database,
  unsent: UnsentRequest,
  options: PrecedenceOptions,
  world: RecordingWorld,
): RecordOutcome {
  removeDead(db, world);
  const precedence = precedenceOf(unsent, selectCandidates(db, unsent), options);
  const [self, nowMs] = [world.processes.self(), world.clock.now()];
  switch (precedence.kind) {
    case 'new': {
      const request = insertRequest(db, unsent, withOwner('[]', self, nowMs), Math.round(nowMs));
      return { request, settlement: null, isNew: true };
    }
    case 'joins': {
      const { request } = precedence;
      const owners = withOwner(ownersOf(db, request.row), self, nowMs);
      db.run('UPDATE requests SET owners = ? WHERE row = ?', owners, request.row);
      return { request: { ...request, body: unsent.body }, settlement: null, isNew: true };
    }
    case 'repeats':
    case 'known': {
      const request = { ...precedence.request, body: unsent.body };
      return { request, settlement: knownOperation(request), isNew: false };
    }
    default:
      return precedence;
  }
}

function recordAndClear(
  db: Database,
  unsent: UnsentRequest,
  clearingAt: (newest: TimeAnchor | null) => Departure | null,
  world: RecordingWorld & { readonly bootId: string },
): OpenRequest | null {
  removeDead(db, world);
  const others = [...selectCandidates(db, unsent), ...selectTwins(db, unsent)];
  const isRival = (other: JournalRequest): boolean =>
    other.idempotencyKey === unsent.idempotencyKey ||
    (other.state !== 'settled' && isSamePayment(unsent, other));
  if (others.some(isRival)) return null;
  const departure = clearingAt(selectTime(db, unsent, world.bootId));
  if (departure === null) return null;
  return clearAndRead(db, insertRequest(db, unsent, '[]', Math.round(world.clock.now())), departure);
}

function clear(db: Database, request: JournalRequest, departure: Departure): OpenRequest | null {
  const { predecessor } = departure;
  if (request.body === null || findUnchanged(db, request) === null) return null;
  if (predecessor !== undefined) {
    if (findUnchanged(db, predecessor)?.sendings !== predecessor.sendings) return null;
    db.run('UPDATE requests SET may_not_repeat = 1 WHERE row = ?', predecessor.row);
  }
  return clearAndRead(db, request, departure);
}

function clearAndRead(db: Database, request: JournalRequest, departure: Departure): OpenRequest | null {
  addSending(db, request, departure);
  noteTimeOfRow(db, request.row, departure.anchor);
  return selectRequests(db, 'row = ?', request.row).find(isOpen) ?? null;
}

function findUnchanged(db: Database, requestRead: JournalRequest): JournalRequest | null {
  const [requestNow] = selectRequests(db, 'row = ?', requestRead.row);
  const isUnchanged =
    requestNow?.idempotencyKey === requestRead.idempotencyKey &&
    requestNow.state === requestRead.state &&
    requestNow.settled?.operation === requestRead.settled?.operation &&
    requestNow.mayNotRepeat === requestRead.mayNotRepeat;
  return isUnchanged ? requestNow : null;
}

const IS_RECORDED = 'body IS NOT NULL AND left_wall_at IS NULL';

function removeDead(db: Database, { processes, clock }: RecordingWorld): void {
  const query = db.query<{ row: number; owners: string }>(
    `SELECT row, owners FROM requests WHERE ${IS_RECORDED}`,
  );
  for (const { row, owners } of query.all())
    if (!isOwned(owners, processes, clock.now())) db.run('DELETE FROM requests WHERE row = ?', row);
}

function ownersOf(db: Database, row: number): string {
  return db.query<{ owners: string }>('SELECT owners FROM requests WHERE row = ?').get(row)?.owners ?? '[]';
}

function selectCandidates(db: Database, { idempotencyKey, environment }: UnsentRequest): JournalRequest[] {
  const sql = `SELECT row FROM requests WHERE idempotency_key = ? UNION SELECT row FROM requests WHERE ${IS_RECORDED}`;
  return selectRequests(db, `row IN (${sql}) AND environment = ? ORDER BY row`, idempotencyKey, environment);
}

interface Owner extends ProcessName {
  readonly at: number;
}

/** An owner counts as dead after this time, if this machine cannot tell whether its process still runs. */
const DEAD_AFTER_MS = 10 * 60_000;

export function withOwner(owners: string, process: ProcessName, nowMs: number): string {
  const others = ownersIn(owners).filter((owner) => !isSameProcess(owner, process));
  return JSON.stringify([...others, { ...process, at: Math.round(nowMs) }]);
}

export function withoutOwner(owners: string, process: ProcessName): string | null {
  const others = ownersIn(owners).filter((owner) => !isSameProcess(owner, process));
  return others.length === 0 ? null : JSON.stringify(others);
}

export function isOwned(owners: string, processes: Processes, nowMs: number): boolean {
  return ownersIn(owners).some((owner) => {
    const isAlive = processes.isAlive(owner);
    // `Math.abs` is needed, because a clock may have been set back.
    return isAlive ?? Math.abs(nowMs - owner.at) <= DEAD_AFTER_MS;
  });
}

function ownersIn(owners: string): Owner[] {
  return JSON.parse(owners) as Owner[];
}

function isSameProcess(a: ProcessName, b: ProcessName): boolean {
  return a.machine === b.machine && a.bootId === b.bootId && a.pid === b.pid && a.started === b.started;
}
