/** Rows of the journal's database as requests. */
import type { Environment } from '../contract/access.js';
import type { EndpointId } from '../contract/endpoints.js';
import type { Direction } from '../contract/operation.js';
import type { KeptRequest, RequestState } from './request.js';

export interface RequestRecord {
  readonly row: number;
  readonly idempotency_key: string;
  readonly is_own_key: number;
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
  readonly amount: string | null;
  readonly currency: string | null;
  readonly body: Uint8Array | null;
  readonly open_sendings: number;
  readonly is_forgotten: number;
  readonly operation: string | null;
  readonly status: string | null;
  readonly first_left_at: number;
}

export function keptRequestOf(record: RequestRecord): KeptRequest {
  const { operation, status } = record;
  return {
    row: record.row,
    idempotencyKey: record.idempotency_key,
    isOwnKey: record.is_own_key === 1,
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
    amount: record.amount,
    currency: record.currency,
    body: record.body,
    state: stateOf(record),
    settled: operation === null ? null : { operation, status: status ?? '' },
    firstLeftMs: record.first_left_at,
  };
}

function stateOf({ open_sendings: open, is_forgotten: forgotten }: RequestRecord): RequestState {
  if (open === 0) return 'settled';
  return forgotten === 1 ? 'forgotten' : 'open';
}
