/** The table of endpoints (contract section 4). */
import type { ErrorCode } from './errors.js';
import { DIRECTIONS, type Direction } from './operation.js';
import type { Scope } from './access.js';

const CREATE_ERRORS = [
  'amount_out_of_range',
  'bank_unsupported',
  'body_invalid',
  'country_unsupported',
  'currency_unsupported',
  'field_invalid',
  'field_required',
  'idempotency_key_required',
  'method_unavailable',
  'idempotency_key_reused',
  'temporarily_unavailable',
] as const satisfies readonly ErrorCode[];

const ROW = { query: [], list: null, errors: [], lookup: null } as const;
const READ = { ...ROW, method: 'GET', body: null, success: 200, retry: 'safe' } as const;
const POST = { ...ROW, method: 'POST', result: 'operation' } as const;
const CREATE = { ...POST, success: 201, errors: CREATE_ERRORS, retry: 'keyed' } as const;
const ACTION = { ...POST, body: 'none', success: 200, retry: 'once' } as const;
const GET_OPERATION = {
  ...READ,
  scope: 'operaciones:leer',
  result: 'operation',
  errors: ['not_found'],
} as const;

export const ENDPOINTS = {
  capabilities: {
    ...READ,
    path: '/v2/capabilities',
    summary: 'Countries, currencies and methods with their fields, limits and availability',
    scope: null,
    result: 'capabilities',
  },
  methods: {
    ...READ,
    path: '/v2/methods',
    summary: 'The payment methods of a country or a direction',
    scope: null,
    query: ['country', 'direction'],
    result: 'methods',
    list: 'methods',
    errors: ['field_invalid', 'country_unsupported'],
  },
  banks: {
    ...READ,
    path: '/v2/banks',
    summary: 'The banks of a country and the methods each supports',
    scope: null,
    query: ['country', 'method'],
    requires: ['country'],
    result: 'banks',
    list: 'banks',
    errors: ['field_required', 'country_unsupported', 'method_unavailable'],
  },
  balances: {
    ...READ,
    path: '/v2/balances',
    summary: "The company's balance in each currency",
    scope: 'saldos:leer',
    result: 'balances',
    list: 'balances',
  },
  'payins.create': {
    ...CREATE,
    path: '/v2/payins',
    summary: 'Create a pay-in: collect money from a person',
    scope: 'payins:crear',
    body: 'new_payin',
  },
  'payins.get': { ...GET_OPERATION, path: '/v2/payins/{id}', summary: 'Read a pay-in' },
  'payins.confirm': {
    ...ACTION,
    path: '/v2/payins/{id}/confirm',
    summary: 'Confirm a pay-in with the code its payer received',
    scope: 'payins:crear',
    body: 'confirmation',
    errors: ['body_invalid', 'field_required', 'not_found', 'code_not_expected', 'temporarily_unavailable'],
    lookup: 'payins.get',
  },
  'payins.resend': {
    ...ACTION,
    path: '/v2/payins/{id}/resend-code',
    summary: 'Ask for a new code; the one before stops working',
    scope: 'payins:crear',
    errors: ['not_found', 'code_not_expected', 'too_many_codes', 'temporarily_unavailable'],
    lookup: 'payins.get',
  },
  'payins.cancel': {
    ...ACTION,
    path: '/v2/payins/{id}/cancel',
    summary: 'Cancel an incoming pay-in that still awaits its payment',
    scope: 'payins:crear',
    errors: ['not_found', 'not_cancellable'],
    lookup: 'payins.get',
  },
  'payouts.create': {
    ...CREATE,
    path: '/v2/payouts',
    summary: 'Create a payout: send money to a person',
    scope: 'payouts:crear',
    body: 'new_payout',
  },
  'payouts.get': { ...GET_OPERATION, path: '/v2/payouts/{id}', summary: 'Read a payout' },
  'payouts.cancel': {
    ...ACTION,
    path: '/v2/payouts/{id}/cancel',
    summary: 'Cancel a payout that has not been executed',
    scope: 'payouts:crear',
    errors: ['not_found', 'not_cancellable', 'temporarily_unavailable'],
    lookup: 'payouts.get',
  },
  'transactions.get': {
    ...GET_OPERATION,
    path: '/v2/transactions/{id}',
    summary: 'Read an operation of either type',
  },
  'events.list': {
    ...READ,
    path: '/v2/events',
    summary: 'The events in order, a page at a time',
    scope: 'operaciones:leer',
    query: ['cursor', 'limit'],
    result: 'events',
    list: 'events',
    errors: ['field_invalid'],
  },
  'webhooks.register': {
    ...ACTION,
    path: '/v2/webhook-endpoints',
    summary: 'Register the URL that receives the events',
    scope: 'webhooks:configurar',
    success: 201,
    body: 'webhook_endpoint',
    result: 'webhook_endpoint',
    errors: ['body_invalid', 'field_invalid', 'field_required'],
  },
} as const satisfies Record<string, Endpoint>;

export type EndpointId = keyof typeof ENDPOINTS;
export type Noun = EndpointId extends infer Id ? (Id extends `${infer First}.${string}` ? First : Id) : never;
export type Topic = Exclude<Noun, EndpointId>;
export const ENDPOINT_IDS = Object.keys(ENDPOINTS) as readonly EndpointId[];

export function endpoint(id: EndpointId): Endpoint {
  return ENDPOINTS[id];
}

export function endpointDirection(id: EndpointId): Direction | undefined {
  return DIRECTIONS.find((direction) => id.startsWith(`${direction}s.`));
}

/** A `safe` request may be repeated, a `keyed` one only with the same idempotency key and bytes, a `once` request never. */
export type RetryClass = 'safe' | 'keyed' | 'once';

export type ResultKind =
  'capabilities' | 'methods' | 'banks' | 'balances' | 'operation' | 'events' | 'webhook_endpoint';

export type QueryName = 'country' | 'direction' | 'method' | 'cursor' | 'limit';

export interface Endpoint {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly summary: string;
  readonly scope: Scope | null;
  readonly query: readonly QueryName[];
  readonly requires?: readonly QueryName[];
  readonly body: 'new_payin' | 'new_payout' | 'confirmation' | 'webhook_endpoint' | 'none' | null;
  readonly success: 200 | 201;
  readonly result: ResultKind;
  readonly list: string | null;
  readonly errors: readonly ErrorCode[];
  readonly retry: RetryClass;
  readonly lookup: 'payins.get' | 'payouts.get' | null;
}
