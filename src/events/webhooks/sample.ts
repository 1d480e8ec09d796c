import { jsonIn } from '../../contract/json.js';
import { isObject } from '../../contract/shape.js';
import type { EventType } from '../../contract/events.js';
import type { OperationFailure } from '../../contract/failures.js';
import type { Operation } from '../../contract/operation-members.js';

type SampleIds = Readonly<Record<'eventId' | 'operationId' | 'nowIso', string>>;

export interface Override {
  readonly path: readonly string[];
  readonly text: string;
}

const ZERO_ID = '00000000-0000-0000-0000-000000000000';

const SAMPLE_FAILURE: OperationFailure = {
  code: 'counterparty_rejected',
  reason: 'invalid_account',
  message: 'The account or the phone does not exist.',
};

export function sampleEvent(type: EventType, ids: SampleIds, overrides: readonly Override[]): string {
  const operation: Operation =
    type === 'test.ping'
      ? {
          ...operationOf('payout.confirmed', { ...ids, operationId: ZERO_ID }),
          ...{ amount: '0.00', status: 'pending', pending_reason: 'processing' },
          ...{ bank_reference: null, metadata: { test: true } },
        }
      : operationOf(type, ids);
  const data = structuredClone(operation) as unknown as Data;
  for (const override of overrides) replaceValue(data, override);
  return JSON.stringify({ id: ids.eventId, type, occurred_at: ids.nowIso, data });
}

type Data = Record<string, unknown>;

function operationOf(type: Exclude<EventType, 'test.ping'>, ids: SampleIds): Operation {
  const isPayout = type.startsWith('payout');
  const isConfirmed = type.endsWith('confirmed');
  return {
    id: ids.operationId,
    type: isPayout ? 'payout' : 'payin',
    country: 'VE',
    currency: 'VES',
    method: isPayout ? 'mobile_payment' : 'debit_otp',
    amount: '1500.50',
    status: isConfirmed ? 'confirmed' : 'failed',
    pending_reason: null,
    bank_reference: isConfirmed ? '00000001' : null,
    ...(isConfirmed ? { confirmed_at: ids.nowIso } : {}),
    failure: isConfirmed ? null : SAMPLE_FAILURE,
    reference: 'sample-1',
    metadata: {},
    ...(isPayout ? { purpose: 'remittance' } : {}),
    concept: `${isPayout ? 'Pago' : 'Cobro'} SVC${ids.operationId.slice(0, 6).toUpperCase()}`,
    created_by: 'company',
    created_at: ids.nowIso,
    updated_at: ids.nowIso,
  };
}

function replaceValue(data: Data, { path, text }: Override): void {
  const lastName = path.at(-1) ?? '';
  let holder: unknown = data;
  for (const name of path.slice(0, -1))
    holder = isObject(holder) && Object.hasOwn(holder, name) ? holder[name] : null;
  const isMetadataName = path.length === 2 && path[0] === 'metadata' && lastName !== '__proto__';
  if (!isObject(holder) || (!Object.hasOwn(holder, lastName) && !isMetadataName)) {
    throw new RangeError(`the data of this event has no ${path.join('.')}`);
  }
  const oldValue = holder[lastName];
  const isText = typeof oldValue === 'string' || oldValue === null || oldValue === undefined;
  const value = isText ? text : jsonIn(text);
  if (!isText && (typeof value !== typeof oldValue || value === null)) {
    const kind = typeof oldValue === 'object' ? 'a JSON object' : `a ${typeof oldValue}`;
    throw new RangeError(`${path.join('.')} must be ${kind}`);
  }
  holder[lastName] = value;
}
