import type { Endpoint, EndpointId, QueryName } from '../endpoints.js';
import type { EventType } from '../events.js';
import type { Direction } from '../operation.js';
import { DEFAULT_CODE } from '../sandbox-code.js';
import type { JsonSchema } from './json-schema.js';

export const ID_EXAMPLE = '6f1c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f';
export const QUERY_EXAMPLES: Partial<Readonly<Record<QueryName, string>>> = { country: 'VE' };

const document = { type: 'V', number: '12345678' };
const common = { amount: '150.00', country: 'VE', currency: 'VES' };

export const BODY_EXAMPLES: Readonly<Record<Exclude<Endpoint['body'], 'none' | null>, JsonSchema>> = {
  new_payin: {
    ...common,
    method: 'debit_otp',
    reference: 'order-1001',
    payer: { document, bank_code: '0102', phone: '04121234567' },
  },
  new_payout: {
    ...common,
    method: 'mobile_payment',
    reference: 'refund-1001',
    beneficiary: { document, bank_code: '0105', account_number: '04149876543' },
  },
  confirmation: { code: DEFAULT_CODE },
  webhook_endpoint: { url: 'https://shop.example/hooks' },
};

const CREATED_AT = '2026-09-23T15:04:05Z';
const WAITING = { status: 'pending', bank_reference: null, failure: null };
const CONFIRMED = {
  ...{ status: 'confirmed', pending_reason: null, failure: null },
  ...{ bank_reference: '00000001', confirmed_at: CREATED_AT },
};
const CANCELLED = {
  ...{ status: 'failed', pending_reason: null, bank_reference: null },
  failure: { code: 'cancelled', reason: 'cancelled', message: 'The operation was cancelled.' },
};
const FAILED = {
  ...CANCELLED,
  failure: { code: 'rejected', reason: 'other', message: 'The operation was rejected.' },
};

function operationExample(direction: Direction, state: JsonSchema): JsonSchema {
  const isPayin = direction === 'payin';
  const { payer: _payer, beneficiary: _beneficiary, ...repeated } = BODY_EXAMPLES[`new_${direction}`];
  return {
    ...{ id: ID_EXAMPLE, type: direction, ...repeated, metadata: {}, ...state },
    ...(isPayin ? {} : { purpose: 'remittance' }),
    ...{ concept: `${isPayin ? 'Cobro' : 'Pago'} TCP6F1C2A`, created_by: 'company' },
    ...{ created_at: CREATED_AT, updated_at: CREATED_AT },
  };
}

const AWAITING_CODE = {
  ...WAITING,
  ...{ pending_reason: 'awaiting_code', code_expires_at: '2026-09-23T15:09:05Z' },
};
const PROCESSING = { ...WAITING, pending_reason: 'processing' };

export const ANSWER_EXAMPLES: Partial<Readonly<Record<EndpointId, JsonSchema>>> = {
  'payins.create': operationExample('payin', AWAITING_CODE),
  'payins.get': operationExample('payin', AWAITING_CODE),
  'payins.confirm': operationExample('payin', CONFIRMED),
  'payins.resend': operationExample('payin', AWAITING_CODE),
  'payins.cancel': {
    ...operationExample('payin', CANCELLED),
    ...{ method: 'incoming_mobile_payment', expires_at: null },
  },
  'payouts.create': operationExample('payout', PROCESSING),
  'payouts.get': operationExample('payout', CONFIRMED),
  'payouts.cancel': operationExample('payout', CANCELLED),
  'transactions.get': operationExample('payout', CONFIRMED),
  'webhooks.register': {
    ...{ id: ID_EXAMPLE, ...BODY_EXAMPLES.webhook_endpoint },
    ...{ secret: 'whsec_0123456789abcdef', created_at: CREATED_AT },
  },
};

export function eventExample(type: EventType): JsonSchema {
  const direction = type.startsWith('payout.') ? 'payout' : 'payin';
  const data = operationExample(direction, type.endsWith('.failed') ? FAILED : CONFIRMED);
  const ping = {
    ...operationExample('payin', AWAITING_CODE),
    ...{ id: ID_EXAMPLE.replaceAll(/[0-9a-f]/g, '0'), amount: '0.00', metadata: { test: true } },
  };
  return {
    ...{ id: ID_EXAMPLE, type, occurred_at: CREATED_AT },
    data: type === 'test.ping' ? ping : data,
  };
}
