/** Section 4 and the scopes of section 5 as the tests read them: written here again, so that a wrong row in the code is seen. */

export interface Row {
  readonly method: 'GET' | 'POST';
  /** `{id}` is an operation's uuid. */
  readonly path: string;
  readonly scope: string | null;
}

export const ROWS: readonly Row[] = [
  { method: 'GET', path: '/v2/capabilities', scope: null },
  { method: 'GET', path: '/v2/methods', scope: null },
  { method: 'GET', path: '/v2/banks?country=VE', scope: null },
  { method: 'GET', path: '/v2/balances', scope: 'saldos:leer' },
  { method: 'POST', path: '/v2/payins', scope: 'payins:crear' },
  { method: 'GET', path: '/v2/payins/{id}', scope: 'operaciones:leer' },
  { method: 'POST', path: '/v2/payins/{id}/confirm', scope: 'payins:crear' },
  { method: 'POST', path: '/v2/payins/{id}/resend-code', scope: 'payins:crear' },
  { method: 'POST', path: '/v2/payins/{id}/cancel', scope: 'payins:crear' },
  { method: 'POST', path: '/v2/payouts', scope: 'payouts:crear' },
  { method: 'GET', path: '/v2/payouts/{id}', scope: 'operaciones:leer' },
  { method: 'POST', path: '/v2/payouts/{id}/cancel', scope: 'payouts:crear' },
  { method: 'GET', path: '/v2/transactions/{id}', scope: 'operaciones:leer' },
  { method: 'GET', path: '/v2/events', scope: 'operaciones:leer' },
  { method: 'POST', path: '/v2/webhook-endpoints', scope: 'webhooks:configurar' },
];

export const ALL_SCOPES = [
  'payins:crear',
  'payouts:crear',
  'operaciones:leer',
  'saldos:leer',
  'webhooks:configurar',
] as const;

/** A uuid that no operation has. */
export const NOBODY = '00000000-0000-4000-8000-000000000001';
