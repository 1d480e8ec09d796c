import { expect, onTestFinished } from 'vitest';
import { startSandbox } from '../../../src/sandbox/testing/start-sandbox.js';
import type { TestSandbox, TestSandboxOptions } from '../../../src/sandbox/testing/types.js';

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

export async function started(options: TestSandboxOptions = {}): Promise<TestSandbox> {
  const sandbox = await startSandbox(options);
  onTestFinished(() => sandbox.close());
  return sandbox;
}

type Sender = Pick<TestSandbox, 'serviceUrl' | 'apiKey' | 'fetch'>;

let keys = 0;
export function post(
  at: Sender,
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

export async function created(
  at: Sender,
  path: string,
  body: object,
  how: Parameters<typeof post>[3] = {},
): Promise<{ id: string }> {
  const response = await post(at, path, body, how);
  expect(response.ok, await response.clone().text()).toBe(true);
  return (await response.json()) as { id: string };
}
