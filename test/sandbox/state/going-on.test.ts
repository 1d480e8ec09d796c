import { createHmac } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/sandbox.js';
import { exported, imported, opened, send, type Opened } from './life.js';
import { requestOf } from '../../../src/sandbox/delivery/attempt.js';
import { PAYOUT } from '../store/request.js';
import { START_MS } from '../support/clock.js';

const OTP = {
  ...{ method: 'debit_otp', country: 'VE', currency: 'VES', amount: '30.00' },
  payer: { bank_code: '0102', phone: '04121234567', document: { type: 'V', number: '12345678' } },
};

let first: Opened;
let key: string;
beforeEach(() => {
  first = opened('first');
  key = first.sandbox.apiKey;
});

function moved(): Opened {
  const other = opened('other', START_MS + 10 * 86_400_000);
  const reply = imported(other.sandbox, exported(first.sandbox));
  expect(reply).toMatchObject({ status: 200, json: { imported: true, api_key: key } });
  return other;
}

const post = (sandbox: Sandbox, path: string, body?: unknown, idempotencyKey?: string) =>
  send(sandbox, 'POST', path, body, { key, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) });

const statusOf = (sandbox: Sandbox, by: string): number =>
  send(sandbox, 'GET', '/sandbox/v2/balances', undefined, { key: by }).status;

it('finds the code expired where its five minutes were over, and not because days are between the machines', () => {
  const { id } = post(first.sandbox, '/sandbox/v2/payins', OTP, 'order-0001').json;
  const { sandbox, clock } = moved();
  clock.advance(5 * 60_000 + 1);
  const { failure } = post(sandbox, `/sandbox/v2/payins/${id}/confirm`, { code: '123456' }).json;
  expect(failure).toMatchObject({ reason: 'code_expired' });
});

it('delivers what was owed, signed by the same secret, and after a rotation by both', () => {
  const register = (url: string) => post(first.sandbox, '/sandbox/v2/webhook-endpoints', { url }).json.secret;
  const before = register('https://old.example/hooks');
  const secret = register('https://shop.example/hooks');
  post(first.sandbox, '/sandbox/v2/payouts', PAYOUT, 'order-0001');
  const { sandbox } = moved();
  const [outgoing] = sandbox.outbox.runRound([], []).deliveries;
  if (outgoing === undefined) throw new Error('a delivery is owed');
  expect(outgoing).toMatchObject({ url: 'https://shop.example/hooks', secrets: [secret, before] });
  const { headers, body } = requestOf(outgoing, START_MS);
  const timestamp = headers['X-Timestamp'] ?? '';
  const firm = createHmac('sha256', secret).update(`${timestamp}.`);
  expect(headers['X-Firma']).toContain(`v1=${firm.update(body ?? '').digest('hex')}`);
});

it('misses nothing with a cursor from after the state either: sequence numbers are not given out twice', () => {
  const document = exported(first.sandbox);
  post(first.sandbox, '/sandbox/v2/payouts', PAYOUT, 'order-0001');
  const { next_cursor: cursor } = send(first.sandbox, 'GET', '/sandbox/v2/events').json;
  imported(first.sandbox, document);
  const { id } = post(first.sandbox, '/sandbox/v2/payouts', PAYOUT, 'order-0001').json;
  const { events } = send(first.sandbox, 'GET', `/sandbox/v2/events?cursor=${String(cursor)}`).json;
  expect(events.map(({ data }) => data.id)).toEqual([id]);
});

it('knows no key of before, and empties to the new one', () => {
  const { sandbox } = moved();
  const own = opened('other');
  expect(statusOf(sandbox, own.sandbox.apiKey)).toBe(401);
  expect(sandbox.apiKey).toBe(key);
  send(sandbox, 'POST', '/_control/reset', {});
  expect([sandbox.apiKey, statusOf(sandbox, key)]).toEqual([key, 200]);
});

it('keeps its own key where a state names none', () => {
  const now = '2030-01-01T00:00:00Z';
  const acme = { name: 'acme', environment: 'sandbox', keys: [{ key: 'svc_test_acme' }] };
  const document = JSON.stringify({ svc_sandbox_state: 1, now, companies: [acme] });
  expect(imported(first.sandbox, document)).toMatchObject({ status: 200, json: { api_key: key, now } });
  for (const known of [key, 'svc_test_acme']) expect(statusOf(first.sandbox, known)).toBe(200);
  first.clock.advance(5000);
  expect(send(first.sandbox, 'GET', '/_control/clock').json.now).toBe('2030-01-01T00:00:05Z');
});

it('is kept behind the hundred millionth bank reference too, which has nine digits', () => {
  const document = exported(first.sandbox).replace('"sandbox":0', '"sandbox":99999999');
  expect(imported(first.sandbox, document).status).toBe(200);
  const { bank_reference: given } = post(first.sandbox, '/sandbox/v2/payouts', PAYOUT, 'order-0001').json;
  expect(given).toBe('100000000');
  expect(imported(first.sandbox, exported(first.sandbox)).status).toBe(200);
});
