/** Sections 4 and 5 are written here again, so that tests notice a wrong row in the code. */
import type { EndpointId } from '../../../src/contract/endpoints.js';

export interface Row {
  readonly id: EndpointId;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly scope: string | null;
}

export const ROWS: readonly Row[] = [
  { id: 'capabilities', method: 'GET', path: '/v2/capabilities', scope: null },
  { id: 'methods', method: 'GET', path: '/v2/methods', scope: null },
  { id: 'banks', method: 'GET', path: '/v2/banks?country=VE', scope: null },
  { id: 'balances', method: 'GET', path: '/v2/balances', scope: 'saldos:leer' },
  { id: 'payins.create', method: 'POST', path: '/v2/payins', scope: 'payins:crear' },
  { id: 'payins.get', method: 'GET', path: '/v2/payins/{id}', scope: 'operaciones:leer' },
  { id: 'payins.confirm', method: 'POST', path: '/v2/payins/{id}/confirm', scope: 'payins:crear' },
  { id: 'payins.resend', method: 'POST', path: '/v2/payins/{id}/resend-code', scope: 'payins:crear' },
  { id: 'payins.cancel', method: 'POST', path: '/v2/payins/{id}/cancel', scope: 'payins:crear' },
  { id: 'payouts.create', method: 'POST', path: '/v2/payouts', scope: 'payouts:crear' },
  { id: 'payouts.get', method: 'GET', path: '/v2/payouts/{id}', scope: 'operaciones:leer' },
  { id: 'payouts.cancel', method: 'POST', path: '/v2/payouts/{id}/cancel', scope: 'payouts:crear' },
  { id: 'transactions.get', method: 'GET', path: '/v2/transactions/{id}', scope: 'operaciones:leer' },
  { id: 'events.list', method: 'GET', path: '/v2/events', scope: 'operaciones:leer' },
  { id: 'webhooks.register', method: 'POST', path: '/v2/webhook-endpoints', scope: 'webhooks:configurar' },
];

export const ALL_SCOPES = 'payins:crear payouts:crear operaciones:leer saldos:leer webhooks:configurar'.split(
  ' ',
);

export const NOBODY = '00000000-0000-4000-8000-000000000001';
