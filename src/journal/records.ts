/** Rows of the journal's database as requests. */
import type { Environment } from '../contract/access.js';
import type { EndpointId } from '../contract/endpoints.js';
import type { Moment, TimeAnchor } from '../contract/moment.js';
import type { Direction } from '../contract/operation.js';
import type { REQUEST_COLUMNS } from '../state/journal-tables.js';
import type { FileRecord } from '../state/table.js';
import type { About, KeptRequest, Leaving, RequestState } from './request.js';

type RequestCells = FileRecord<typeof REQUEST_COLUMNS>;
type Flag = 'is_own_key' | 'is_forgotten' | 'may_not_repeat';

/** A row of either engine: SQLite says numbers where PostgreSQL says true and false. */
export type RequestRecord = Omit<RequestCells, 'owners' | Flag> & Readonly<Record<Flag, number | boolean>>;

/**
 * What a request is from the moment that it is recorded, in the order of `RECORDED_COLUMNS`, its body left out.
 * @param said how a text that callers gave is written
 */
export function recordedCells(
  request: Omit<Leaving, 'body'> & About,
  said: (text: string | null) => string | null = (text) => text,
): (string | number | boolean | Uint8Array | null)[] {
  return [
    ...[request.idempotencyKey, request.isOwnKey, said(request.series), request.generation],
    ...[request.endpoint, request.direction, request.environment, request.address, request.origin],
    ...[request.path, request.keyMask, request.keyPrint, request.referenceMark, request.bodyMark],
    ...[request.twinMark, request.metadataMark, said(request.amount), said(request.currency)],
    request.accountTail,
  ];
}

export function keptRequestOf(record: RequestRecord): KeptRequest {
  const { operation, status, operation_created_at: createdAtMs } = record;
  const left = leftOf(record);
  return {
    row: record.row,
    idempotencyKey: record.idempotency_key,
    isOwnKey: Boolean(record.is_own_key),
    series: record.series,
    generation: record.generation,
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
    state: stateOf(record),
    sendings: record.open_sendings,
    mayNotRepeat: Boolean(record.may_not_repeat),
    settled: operation === null ? null : { operation, status: status ?? '', createdAtMs },
    left,
    firstLeftMs: left === null ? record.recorded_at : (left.serviceMs ?? left.wallMs),
  };
}

function leftOf(record: RequestRecord): Moment | null {
  const { left_wall_at: wallMs, left_service_at: serviceMs } = record;
  if (wallMs === null) return null;
  return { serviceMs, wallMs, bootId: record.left_boot ?? '', bootMs: record.left_boot_at ?? 0 };
}

function stateOf({
  left_wall_at: left,
  open_sendings: open,
  is_forgotten: forgotten,
}: RequestRecord): RequestState {
  if (left === null) return 'recorded';
  if (open === 0) return 'settled';
  return forgotten ? 'forgotten' : 'open';
}

/** A request that was put into the journal and has not left. @param recordedMs by the clock of the journal */
export function recordedRequest(leaving: Leaving, row: number, recordedMs: number): KeptRequest {
  const facts = { state: 'recorded', sendings: 0, settled: null, left: null, mayNotRepeat: false } as const;
  return { ...leaving, ...facts, row, firstLeftMs: recordedMs };
}

/** The service's time as it was believed last in a boot. */
export interface TimeRecord {
  readonly boot: string;
  readonly boot_at: number;
  readonly service_at: number;
}

export function anchorIn(time: TimeRecord | undefined): TimeAnchor | null {
  return time === undefined ? null : { serviceMs: time.service_at, bootId: time.boot, bootMs: time.boot_at };
}

/** Times are measured with fractions of a millisecond; a column holds whole ones. */
export function wholeMs(ms: number | null | undefined): number | null {
  return ms === undefined || ms === null ? null : Math.round(ms);
}
