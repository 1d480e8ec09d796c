/** Errors of the control API say what is accepted, so that nobody has to look it up. */
import { expect, it } from 'vitest';
import { create } from '../support/bodies.js';
import { expectEnvelope } from '../support/expectations.js';
import { openWorld } from '../support/world.js';

const NOBODY = '00000000-0000-4000-8000-000000000001';

it.each<[method: 'GET' | 'POST', path: string, body: unknown, said: string]>([
  ['POST', '/faults', { route: 'payout.create', status: 503 }, 'route must be one of *, '],
  ['POST', '/faults', { route: 'balances', status: 200 }, 'status must be a whole number from 300 to 599.'],
  [
    'POST',
    '/faults',
    { route: 'balances' },
    'Add what goes wrong: status, or a kind: one of status, drop-before',
  ],
  [
    'POST',
    '/faults',
    { route: 'balances', kind: 'lost' },
    'kind must be one of status, drop-before, drop-after',
  ],
  ['POST', '/faults', { status: 503 }, 'Add route: one of *, '],
  [
    'POST',
    '/faults',
    { route: 'balances', status: 503, times: 2 },
    'Unknown field: times. Known fields: route, kind',
  ],
  [
    'POST',
    '/faults',
    { route: 'balances', kind: 'garbage', delay_ms: 1 },
    'delay_ms goes with the kind delay alone',
  ],
  [
    'POST',
    '/faults',
    { route: '*', kind: 'outcome', failure: { code: 'rejected', reason: 'x' } },
    'failure.reason must be one of ',
  ],
  ['POST', '/faults', { route: '*', kind: 'outcome' }, 'Add failure: for example {"code":'],
  ['POST', '/faults', { route: '*', kind: 'outcome' }, ', or "pending":true.'],
  [
    'POST',
    '/faults',
    { route: '*', kind: 'outcome', pending: true, failure: { code: 'rejected', reason: 'other' } },
    'Give failure or pending, not both',
  ],
  ['POST', '/faults', { route: '*', kind: 'silent', after: true }, 'after goes with the kind status alone'],
  ['POST', '/faults', { route: '*', status: 500, after: 'yes' }, 'after must be one of true, false.'],
  [
    'POST',
    '/faults',
    { delivery: 'twice' },
    'delivery must be one of duplicate, reorder, hold, bad-signature, before-answer.',
  ],
  ['POST', '/faults', { delivery: 'hold', for: 'soon' }, 'for must be a duration such as 30s, 5m, 48h or 2d'],
  [
    'POST',
    '/faults',
    { delivery: 'hold', route: '*' },
    'Unknown field: route. Known fields: delivery, count, for.',
  ],
  ['POST', '/faults', { delivery: 'hold', count: 0 }, 'count must be a whole number from 1 to 1000000.'],
  ['POST', '/keys', { company: '' }, 'company must be a name of 1 to 64 printable characters.'],
  ['POST', '/keys', { scopes: ['all'] }, 'scopes.0 must be one of '],
  [
    'POST',
    '/payments',
    {},
    'Give for, the id of a pay-in; or method, currency, amount, bank_code, and phone or document.',
  ],
  ['POST', '/payments', { amount: 1 }, 'amount must be an amount as text, such as "10.00".'],
  ['POST', '/payments', { for: NOBODY }, `No operation has the id "${NOBODY}".`],
  ['POST', '/ping', {}, 'The company "default" has no registered URL (sandbox).'],
  ['POST', `/operations/${NOBODY}/expire`, {}, `No operation has the id "${NOBODY}".`],
  ['GET', '/deliveries/x', undefined, 'No delivery has the id "x".'],
  ['GET', '/deliveries?status=lost', undefined, 'status must be one of pending, delivered, exhausted.'],
  ['GET', '/deliveries?limit=0', undefined, 'limit must be a whole number from 1 to 200.'],
  ['GET', '/deliveries?limit=1&limit=2', undefined, 'Give limit once'],
  ['GET', '/operations?status=open', undefined, 'status must be one of pending, confirmed, failed.'],
  ['GET', '/operations?waits=1', undefined, 'waits must be true or false.'],
  ['GET', '/requests?status=9xx', undefined, 'status must be a status such as 404'],
  ['GET', '/requests/none', undefined, 'No request has the number "none".'],
  ['GET', '/clocks', undefined, 'No route has this path. Below /_control/ are clock, payments'],
  ['GET', '/reset', undefined, 'The path accepts POST.'],
])('%s %s %j', async (method, path, body, said) => {
  const world = await openWorld();
  const reply = await world.control(method, path, body);
  expect(reply.status).toBeGreaterThanOrEqual(400);
  expectEnvelope(reply);
  expect(reply.json.error.message).toContain(said);
});

it.each([
  ['mobile_payment', 'settle', { status: 'confirmed' }, 'is confirmed, which is final.'],
  ['debit_otp', 'settle', { status: 'confirmed' }, 'waits for its code: POST /v2/payins/'],
  ['incoming_transfer', 'settle', { status: 'confirmed' }, 'waits for a payment: POST payments {"for":"'],
  ['debit_otp', 'settle', { status: 'failed' }, 'Add failure, for example {"code":'],
  ['debit_otp', 'settle', { status: 'failed', failure: { code: 'rejected' } }, 'Add failure.reason: one of '],
] as const)('a %s that cannot %s %j says what it waits for', async (method, step, body, said) => {
  const world = await openWorld();
  const { id } = (await create(world, method)).json;
  const reply = await world.control('POST', `/operations/${id}/${step}`, body);
  expectEnvelope(reply);
  expect(reply.json.error.message).toContain(said);
});
