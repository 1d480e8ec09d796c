import { randomUUID } from 'node:crypto';

/** @param {number} amount */
export function payin(amount) {
  return {
    country: 'VE',
    currency: 'VES',
    method: 'direct_debit',
    amount: `${amount}.00`,
    payer: {
      document: { type: 'V', number: '12345678' },
      bank_code: '0102',
      account_number: '01020123456789012345',
      name: 'Ana Pérez',
    },
  };
}

export const PAYOUT = {
  country: 'VE',
  currency: 'VES',
  method: 'mobile_payment',
  amount: '1.00',
  beneficiary: {
    document: { type: 'V', number: '12345678' },
    bank_code: '0102',
    account_number: '04121234567',
    name: 'Ana Pérez',
  },
};

/** @param {import('./stage.js').Ready} server @param {string} method @param {string} path @param {unknown} [body] */
export async function send(server, method, path, body) {
  const answer = await fetch(`${server.sandbox_base_url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${server.api_key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json', 'idempotency-key': randomUUID() }),
    },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return text;
}
