import type { TimeAnchor } from '../../contract/moment.js';
import type { Database } from '../../runtime/database.js';
import type { Departure, LearntTimes, TimePlace, TwinQuery } from './journal.js';
import { RECORDED_COLUMNS, type REQUEST_COLUMNS } from './tables.js';
import { insertSql, type FileRecord, wholeMs } from '../tables/column-tables.js';
import {
  type RequestSubject,
  type JournalRequest,
  type UnsentRequest,
  mergeSettled,
  type SettledRequest,
} from './request.js';
import type { Environment } from '../../contract/access.js';
import type { EndpointId } from '../../contract/endpoints.js';
import { CONTRADICTED, type Direction, GONE } from '../../contract/operation.js';

type FlagColumn = 'is_own_key' | 'is_forgotten' | 'may_not_repeat';

export type RequestRecord = Omit<FileRecord<typeof REQUEST_COLUMNS>, 'owners' | FlagColumn> &
  Readonly<Record<FlagColumn, number | boolean>>;

export function recordedCells(
  request: Omit<UnsentRequest, 'body'> & RequestSubject,
  convert: (text: string | null) => string | null = (text) => text,
): (string | number | boolean | Uint8Array | null)[] {
  return [
    ...[request.idempotencyKey, request.isOwnKey, convert(request.follows), request.generation],
    wholeMs(request.sinceMs),
    ...[request.endpoint, request.direction, request.environment, request.address, request.origin],
    ...[request.path, request.keyMask, request.keyPrint, request.referenceMark, request.bodyMark],
    ...[request.twinMark, request.metadataMark, convert(request.amount), convert(request.currency)],
    request.accountTail,
  ];
}

export function requestOf(record: RequestRecord): JournalRequest {
  const { operation, status, operation_created_at: createdAtMs, left_wall_at: wallMs } = record;
  const { left_service_at: serviceMs, left_boot: bootId, left_boot_at: bootMs } = record;
  const sendings = record.open_sendings;
  const left = wallMs === null ? null : { serviceMs, wallMs, bootId: bootId ?? '', bootMs: bootMs ?? 0 };
  const isForgotten = Boolean(record.is_forgotten);
  return {
    row: record.row,
    idempotencyKey: record.idempotency_key,
    isOwnKey: Boolean(record.is_own_key),
    follows: record.follows,
    generation: record.generation,
    sinceMs: record.since,
    endpoint: record.endpoint as EndpointId,
    direction: record.direction as Direction,
    environment: record.environment as Environment,
    address: record.address,
    origin: record.origin,
    path: record.path,
    keyMask: record.key_mask,
    keyPrint: record.key_print,
    referenceMark: record.reference_mark,
    bodyMark: record.body_mark,
    twinMark: record.twin_mark,
    metadataMark: record.metadata_mark,
    amount: record.amount,
    currency: record.currency,
    accountTail: record.account_tail,
    body: record.body,
    state: left === null ? 'recorded' : sendings === 0 ? 'settled' : isForgotten ? 'forgotten' : 'open',
    sendings,
    mayNotRepeat: Boolean(record.may_not_repeat),
    settled: operation === null ? null : { operation, status: status ?? '', createdAtMs },
    left,
    firstLeftMs: left === null ? record.recorded_at : (left.serviceMs ?? left.wallMs),
  };
}

export function recordedRequest(unsent: UnsentRequest, row: number, recordedAtMs: number): JournalRequest {
  const facts = { state: 'recorded', sendings: 0, settled: null, left: null, mayNotRepeat: false } as const;
  return { ...unsent, ...facts, row, firstLeftMs: recordedAtMs };
}

export interface TimeRecord {
  readonly boot: string;
  readonly boot_at: number;
  readonly service_at: number;
}

export function anchorIn(time: TimeRecord | undefined): TimeAnchor | null {
  return time === undefined ? null : { serviceMs: time.service_at, bootId: time.boot, bootMs: time.boot_at };
}

export function selectRequests(
  db: Database,
  where: string,
  ...values: (string | number | Uint8Array)[]
): JournalRequest[] {
  const query = db.query<RequestRecord>(`SELECT * FROM requests WHERE ${where}`);
  return query.all(...values).map(requestOf);
}

export function selectTwins(
  db: Database,
  { environment, direction, twinMark, metadataMark }: TwinQuery,
): JournalRequest[] {
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

export function insertRequest(
  db: Database,
  unsent: UnsentRequest,
  owners: string,
  recordedAtMs: number,
): JournalRequest {
  const cells = recordedCells(unsent).map((cell) => (typeof cell === 'boolean' ? Number(cell) : cell));
  const row = db.insert(INSERT_REQUEST, ...cells, unsent.body, recordedAtMs, owners, 0, 0, 0);
  return recordedRequest(unsent, row, recordedAtMs);
}

export function addSending(
  db: Database,
  { row, body }: Pick<JournalRequest, 'row' | 'body'>,
  { left, sender }: Departure,
): void {
  const notSentSql = 'left_wall_at IS NULL';
  db.run(
    'UPDATE requests SET open_sendings = open_sendings + 1, is_forgotten = 0, body = coalesce(body, ?), key_mask = ?, key_print = ?, ' +
      `address = ?, origin = ?, owners = '[]', left_service_at = CASE WHEN ${notSentSql} THEN ? ELSE left_service_at END, ` +
      `left_boot = CASE WHEN ${notSentSql} THEN ? ELSE left_boot END, left_boot_at = CASE WHEN ${notSentSql} THEN ? ELSE left_boot_at END, ` +
      'left_wall_at = coalesce(left_wall_at, ?) WHERE row = ?',
    ...[body, sender.keyMask, sender.keyPrint, sender.address, sender.origin],
    ...[wholeMs(left.serviceMs), left.bootId, wholeMs(left.bootMs), wholeMs(left.wallMs), row],
  );
}

export function settleRow(db: Database, row: number, report: SettledRequest, learntTimes: LearntTimes): void {
  const [earlier] = selectRequests(db, 'row = ? AND left_wall_at IS NOT NULL', row);
  if (earlier === undefined) return;
  const { operation, status, createdAtMs } = mergeSettled(earlier.settled, report);
  db.run(
    'UPDATE requests SET open_sendings = 0, is_forgotten = 0, body = NULL, operation = ?, status = ?, operation_created_at = ?, ' +
      'left_service_at = coalesce(?, left_service_at) WHERE row = ?',
    ...[operation, status, wholeMs(createdAtMs), wholeMs(learntTimes.leftServiceMs), row],
  );
  noteTimeOfRow(db, row, learntTimes.anchor);
}

/** Must decide as `mergeSettled` does, because a payment that wrongly counts as failed is made again. */
export function mergedStatusSql(knownStatus: string, newStatus: string): string {
  return `CASE WHEN ${knownStatus} NOT IN ('confirmed', 'failed', '${CONTRADICTED}') THEN ${newStatus}
    WHEN ${knownStatus} <> ${newStatus} AND ${newStatus} IN ('confirmed', 'failed') THEN '${CONTRADICTED}' ELSE ${knownStatus} END`;
}

export function keepRow(db: Database, row: number, body: Uint8Array | null, learntTimes: LearntTimes): void {
  db.run(
    'UPDATE requests SET body = coalesce(body, ?), is_forgotten = 0, left_service_at = coalesce(?, left_service_at) ' +
      'WHERE row = ? AND open_sendings > 0',
    ...[body, wholeMs(learntTimes.leftServiceMs), row],
  );
  noteTimeOfRow(db, row, learntTimes.anchor);
}

export const HAS_NO_OPERATION = `(operation IS NULL OR status = '${GONE}')`;

export function withdrawRow(db: Database, row: number): void {
  db.run('UPDATE requests SET open_sendings = open_sendings - 1 WHERE row = ? AND open_sendings > 0', row);
  const endedSql = 'row = ? AND open_sendings = 0 AND left_wall_at IS NOT NULL';
  db.run(`DELETE FROM requests WHERE ${endedSql} AND ${HAS_NO_OPERATION}`, row);
  db.run(`UPDATE requests SET body = NULL WHERE ${endedSql}`, row);
}

const KEEP_NEWEST_TIME =
  'ON CONFLICT (environment, origin, boot) DO UPDATE SET service_at = excluded.service_at, boot_at = excluded.boot_at ' +
  "WHERE excluded.service_at > service_at OR environment = 'sandbox'";

export function selectTime(
  db: Database,
  { environment, origin }: TimePlace,
  bootId: string,
): TimeAnchor | null {
  const sql =
    'SELECT boot, boot_at, service_at FROM times WHERE environment = ? AND origin = ? ORDER BY boot = ? DESC, service_at DESC LIMIT 1';
  return anchorIn(db.query<TimeRecord>(sql).get(environment, origin, bootId));
}

export function noteTime(db: Database, { environment, origin }: TimePlace, anchor: TimeAnchor): void {
  const sql = `INSERT INTO times (environment, origin, boot, boot_at, service_at) VALUES (?, ?, ?, ?, ?) ${KEEP_NEWEST_TIME}`;
  db.run(sql, environment, origin, ...anchorValues(anchor));
}

export function noteTimeOfRow(db: Database, row: number, anchor: TimeAnchor | null | undefined): void {
  if (anchor === null || anchor === undefined) return;
  db.run(
    `INSERT INTO times (environment, origin, boot, boot_at, service_at) SELECT environment, origin, ?, ?, ? FROM requests WHERE row = ? ${KEEP_NEWEST_TIME}`,
    ...[...anchorValues(anchor), row],
  );
}

function anchorValues({ bootId, bootMs, serviceMs }: TimeAnchor): [string, number, number] {
  return [bootId, Math.round(bootMs), Math.round(serviceMs)];
}
