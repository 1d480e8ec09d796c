/** Rows of the journal's database as requests. */
import type { Environment } from '../contract/access.js';
import type { EndpointId } from '../contract/endpoints.js';
import type { Moment } from '../contract/moment.js';
import type { Direction } from '../contract/operation.js';
import type { KeptRequest, RequestState } from './request.js';

export interface RequestRecord {
  readonly row: number;
  readonly idempotency_key: string;
  readonly is_own_key: number;
  readonly series: string | null;
  readonly generation: number | null;
  readonly endpoint: string;
  readonly direction: string;
  readonly environment: string;
  readonly address: string;
  readonly origin: string;
  readonly path: string;
  readonly key_mask: string;
  readonly key_print: string;
  readonly reference_mark: Uint8Array | null;
  readonly body_mark: Uint8Array;
  readonly twin_mark: Uint8Array;
  readonly metadata_mark: Uint8Array;
  readonly amount: string | null;
  readonly currency: string | null;
  readonly account_tail: string | null;
  readonly body: Uint8Array | null;
  readonly recorded_at: number;
  readonly open_sendings: number;
  readonly is_forgotten: number;
  readonly may_not_repeat: number;
  readonly operation: string | null;
  readonly status: string | null;
  readonly operation_created_at: number | null;
  readonly left_service_at: number | null;
  readonly left_wall_at: number | null;
  readonly left_boot: string | null;
  readonly left_boot_at: number | null;
}

export function keptRequestOf(record: RequestRecord): KeptRequest {
  const { operation, status, operation_created_at: createdAtMs } = record;
  const left = leftOf(record);
  return {
    row: record.row,
    idempotencyKey: record.idempotency_key,
    isOwnKey: record.is_own_key === 1,
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
    mayNotRepeat: record.may_not_repeat === 1,
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
  return forgotten === 1 ? 'forgotten' : 'open';
}
