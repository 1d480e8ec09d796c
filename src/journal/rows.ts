/** The rows of the journal in a file: reads, inserts and clears requests, and keeps times. The caller opens the transaction. */
import type { TimeAnchor } from '../contract/moment.js';
import type { Database } from '../runtime/database.js';
import type { Clearing, Learnt, TimePlace, TwinQuery } from './journal.js';
import { RECORDED_COLUMNS } from '../state/journal-tables.js';
import { insertSql } from '../state/table.js';
import {
  anchorIn,
  keptRequestOf,
  recordedCells,
  recordedRequest,
  type RequestRecord,
  type TimeRecord,
  wholeMs,
} from './records.js';
import { type KeptRequest, type Leaving, settledAs, type SettledRequest } from './request.js';

/** The requests for which this condition holds. @param values bound to its parameters */
export function selectRequests(
  db: Database,
  where: string,
  ...values: (string | number | Uint8Array)[]
): KeptRequest[] {
  return db
    .query<RequestRecord>(`SELECT * FROM requests WHERE ${where}`)
    .all(...values)
    .map(keptRequestOf);
}

/** Those without a reference that a person takes for the same payment. */
export function selectTwins(
  db: Database,
  { environment, direction, twinMark, metadataMark }: TwinQuery,
): KeptRequest[] {
  return selectRequests(
    db,
    'twin_mark = ? AND reference_mark IS NULL AND metadata_mark = ? AND environment = ? AND direction = ? ORDER BY row',
    ...[twinMark, metadataMark, environment, direction],
  );
}

const INSERT_REQUEST = insertSql('requests', [
  ...RECORDED_COLUMNS,
  ...['recorded_at', 'owners', 'open_sendings', 'is_forgotten', 'may_not_repeat'],
]);

/** A request that has not left. @param owners the processes that may clear it @param recordedMs of this machine's time */
export function insertRequest(
  db: Database,
  leaving: Leaving,
  owners: string,
  recordedMs: number,
): KeptRequest {
  const cells = recordedCells(leaving).map((cell) => (typeof cell === 'boolean' ? Number(cell) : cell));
  const row = db.insert(INSERT_REQUEST, ...cells, leaving.body, recordedMs, owners, 0, 0, 0);
  return recordedRequest(leaving, row, recordedMs);
}

/** One sending more. What left before keeps when that was. */
export function clearRow(
  db: Database,
  { row, body }: Pick<KeptRequest, 'row' | 'body'>,
  { left, sender }: Clearing,
): void {
  const isFirst = 'left_wall_at IS NULL';
  db.run(
    'UPDATE requests SET open_sendings = open_sendings + 1, is_forgotten = 0, body = coalesce(body, ?), key_mask = ?, key_print = ?, ' +
      `address = ?, origin = ?, owners = '[]', left_service_at = CASE WHEN ${isFirst} THEN ? ELSE left_service_at END, ` +
      `left_boot = CASE WHEN ${isFirst} THEN ? ELSE left_boot END, left_boot_at = CASE WHEN ${isFirst} THEN ? ELSE left_boot_at END, ` +
      'left_wall_at = coalesce(left_wall_at, ?) WHERE row = ?',
    ...[body, sender.keyMask, sender.keyPrint, sender.address, sender.origin],
    ...[wholeMs(left.serviceMs), left.bootId, wholeMs(left.bootMs), wholeMs(left.wallMs), row],
  );
}

/** An operation in hand. */
export function settleRow(db: Database, row: number, now: SettledRequest, learnt: Learnt): void {
  const [before] = selectRequests(db, 'row = ? AND left_wall_at IS NOT NULL', row);
  if (before === undefined) return;
  const { operation, status, createdAtMs } = settledAs(before.settled, now);
  db.run(
    'UPDATE requests SET open_sendings = 0, is_forgotten = 0, body = NULL, operation = ?, status = ?, operation_created_at = ?, ' +
      'left_service_at = coalesce(?, left_service_at) WHERE row = ?',
    ...[operation, status, wholeMs(createdAtMs), wholeMs(learnt.leftServiceMs), row],
  );
  noteTimeOfRow(db, row, learnt.anchor);
}

/** One of its sendings stays without an outcome; what settled it meanwhile has settled that one too. */
export function keepRow(db: Database, row: number, body: Uint8Array | null, learnt: Learnt): void {
  db.run(
    'UPDATE requests SET body = coalesce(body, ?), is_forgotten = 0, left_service_at = coalesce(?, left_service_at) ' +
      'WHERE row = ? AND open_sendings > 0',
    ...[body, wholeMs(learnt.leftServiceMs), row],
  );
  noteTimeOfRow(db, row, learnt.anchor);
}

/** One of its sendings was not carried out; without any other, and without an operation, it was never there. */
export function withdrawRow(db: Database, row: number): void {
  db.run('UPDATE requests SET open_sendings = open_sendings - 1 WHERE row = ? AND open_sendings > 0', row);
  const isOver = 'row = ? AND open_sendings = 0 AND left_wall_at IS NOT NULL';
  db.run(`DELETE FROM requests WHERE ${isOver} AND operation IS NULL`, row);
  db.run(`UPDATE requests SET body = NULL WHERE ${isOver}`, row);
}

/** None of its sendings was carried out. */
export function refuteRow(db: Database, row: number): void {
  db.run('UPDATE requests SET open_sendings = 1 WHERE row = ? AND open_sendings > 0', row);
  withdrawRow(db, row);
}

/** @returns false where it has left again meanwhile, or is known to have become an operation */
export function removeRow(db: Database, row: number, sendings: number): boolean {
  const sql =
    'DELETE FROM requests WHERE row = ? AND open_sendings = ? AND left_wall_at IS NOT NULL AND operation IS NULL';
  return db.run(sql, row, sendings) === 1;
}

const NOTE =
  'ON CONFLICT (environment, origin, boot) DO UPDATE SET service_at = excluded.service_at, boot_at = excluded.boot_at ' +
  "WHERE excluded.service_at > service_at OR environment = 'sandbox'";

/** That of this boot, else the newest of any. */
export function selectTime(
  db: Database,
  { environment, origin }: TimePlace,
  bootId: string,
): TimeAnchor | null {
  const found = db
    .query<TimeRecord>(
      'SELECT boot, boot_at, service_at FROM times WHERE environment = ? AND origin = ? ORDER BY boot = ? DESC, service_at DESC LIMIT 1',
    )
    .get(environment, origin, bootId);
  return anchorIn(found);
}

export function noteTime(db: Database, { environment, origin }: TimePlace, anchor: TimeAnchor): void {
  db.run(
    `INSERT INTO times (environment, origin, boot, boot_at, service_at) VALUES (?, ?, ?, ?, ?) ${NOTE}`,
    ...[environment, origin, ...valuesOf(anchor)],
  );
}

/** That of the place where a request was sent. */
export function noteTimeOfRow(db: Database, row: number, anchor: TimeAnchor | null | undefined): void {
  if (anchor === null || anchor === undefined) return;
  db.run(
    `INSERT INTO times (environment, origin, boot, boot_at, service_at) SELECT environment, origin, ?, ?, ? FROM requests WHERE row = ? ${NOTE}`,
    ...[...valuesOf(anchor), row],
  );
}

function valuesOf({ bootId, bootMs, serviceMs }: TimeAnchor): [string, number, number] {
  return [bootId, Math.round(bootMs), Math.round(serviceMs)];
}
