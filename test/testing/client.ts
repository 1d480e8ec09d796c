/** What a program sends to a sandbox of the kit, as a client of the service does it. */
import type { TestSandbox } from '../../src/testing/types.js';

const PLACE = { country: 'VE', currency: 'VES' };
const PARTY = { document: { type: 'V', number: '12345678' }, bank_code: '0102' };

export const payin = (method: string, amount = '10.00'): object => ({
  ...{ method, amount, ...PLACE },
  payer: method === 'incoming_transfer' ? PARTY : { ...PARTY, phone: '04121234567' },
});

export const payout = {
  ...{ method: 'mobile_payment', amount: '5.00', ...PLACE },
  beneficiary: { ...PARTY, account_number: '04121234567' },
};

let keys = 0;
/** @param by over the network, or without it */
export function post(
  at: Pick<TestSandbox, 'serviceUrl' | 'apiKey' | 'fetch'>,
  path: string,
  body: object,
  { by = at.fetch, key = `order-number-${String((keys += 1))}` } = {},
): Promise<Response> {
  const headers = {
    ...{ authorization: `Bearer ${at.apiKey}`, 'content-type': 'application/json' },
    'idempotency-key': key,
  };
  return by(`${at.serviceUrl}/v2/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
}
