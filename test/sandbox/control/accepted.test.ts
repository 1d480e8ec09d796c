import { expect, it } from 'vitest';
import { create } from '../support/bodies.js';
import { NOBODY } from '../support/endpoints.js';
import { expectEnvelope } from '../support/expectations.js';
import type { Reply } from '../support/exchange.js';
import { openWorld } from '../support/world.js';

function expectSaid(reply: Reply, said: string): void {
  expect(reply.status).toBeGreaterThanOrEqual(400);
  expectEnvelope(reply);
  expect(reply.json.error.message).toContain(said);
}

const failure = { code: 'rejected', reason: 'other' };

it.each([
  [{ route: 'payout.create', status: 503 }, 'route must be one of *, '],
  [{ route: 'balances', status: 200 }, 'status must be a whole number from 300 to 599.'],
  [{ route: 'balances' }, 'Add what goes wrong: status, or a kind: one of status, drop-before'],
  [{ route: 'balances', kind: 'lost' }, 'kind must be one of status, drop-before, drop-after'],
  [{ status: 503 }, 'Add route: one of *, '],
  [{ route: 'balances', status: 503, times: 2 }, 'Unknown field: times. Known fields: route, kind'],
  [{ route: 'balances', kind: 'garbage', delay_ms: 1 }, 'delay_ms goes with the kind delay alone'],
  [{ route: '*', kind: 'outcome', failure: { ...failure, reason: 'x' } }, 'failure.reason must be one of '],
  [{ route: '*', kind: 'outcome' }, 'Add failure: for example {"code":'],
  [{ route: '*', kind: 'outcome' }, ', or "pending":true.'],
  [{ route: '*', kind: 'outcome', pending: true, failure }, 'Give failure or pending, not both'],
  [{ route: '*', kind: 'silent', after: true }, 'after goes with the kind status alone'],
  [{ route: '*', status: 500, after: 'yes' }, 'after must be one of true, false.'],
  [{ route: '*', status: '503' }, 'status must be a whole number from 300 to 599.'],
  [{ route: '*', status: 503, count: 1.5 }, 'count must be a whole number from 1 to 1000000.'],
  [{ route: '*', status: 503, retry_after: -1 }, 'retry_after must be a whole number from 0 to 86400.'],
  [{ route: '*', kind: 'garbage', retry_after: 7 }, 'retry_after goes with the kind status alone'],
  [{ route: '*', kind: 'delay', delay_ms: -1 }, 'delay_ms must be a whole number from 0 to 3600000.'],
  [{ route: '*', kind: 'outcome', pending: false }, 'Add failure: for example {"code":'],
  [{ route: '*', status: 503, pending: true }, 'pending goes with the kind outcome alone'],
  [{ delivery: 'twice' }, 'delivery must be one of duplicate, reorder, hold, bad-signature, before-answer.'],
  [{ delivery: 'hold', for: 'soon' }, 'for must be a duration such as 30s, 5m, 48h or 2d'],
  [{ delivery: 'hold', route: '*' }, 'Unknown field: route. Known fields: delivery, count, for.'],
  [{ delivery: 'hold', count: 0 }, 'count must be a whole number from 1 to 1000000.'],
])('POST /faults %j', async (fault, said) => {
  const world = await openWorld();
  expectSaid(await world.control('POST', '/faults', fault), said);
  expect((await world.control('GET', '/faults')).json).toEqual({ faults: [] });
});

const EITHER = 'Give for, the id of a pay-in; or method, currency, amount, bank_code, and phone or document.';

it.each<[method: 'GET' | 'POST', path: string, body: unknown, said: string]>([
  ['POST', '/keys', { company: '' }, 'company must be a name of 1 to 64 printable characters.'],
  ['POST', '/keys', { scopes: ['all'] }, 'scopes.0 must be one of '],
  ['POST', '/keys', { environment: 'production' }, 'environment must be one of sandbox, live.'],
  ['POST', '/keys', { created_by: 'bank' }, 'created_by must be one of company, operator.'],
  ['POST', '/keys', { surprise: 1 }, 'Unknown field: surprise.'],
  ['POST', '/clock', { advance_seconds: -1 }, 'advance_seconds must be '],
  ['POST', '/clock', { advance_seconds: '60' }, 'advance_seconds must be '],
  ['POST', '/clock', { advance_seconds: 1e300 }, 'The clock ends with the year 9999.'],
  ['POST', '/payments', {}, EITHER],
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
  expectSaid(await world.control(method, path, body), said);
});

it.each([
  ['mobile_payment', { status: 'confirmed' }, 'is confirmed, which is final.'],
  ['debit_otp', { status: 'confirmed' }, 'waits for its code: POST /v2/payins/'],
  ['incoming_transfer', { status: 'confirmed' }, 'waits for a payment: POST payments {"for":"'],
  ['debit_otp', { status: 'failed' }, 'Add failure, for example {"code":'],
  ['debit_otp', { status: 'failed', failure: { code: 'rejected' } }, 'Add failure.reason: one of '],
  ['debit_otp', { status: 'failed', failure: { ...failure, reason: 'x' } }, 'failure.reason must be one of '],
  ['debit_otp', { status: 'confirmed', failure }, 'failure goes with "status":"failed" alone.'],
  ['debit_otp', { status: 'pending' }, 'status must be one of confirmed, failed.'],
])('a %s that cannot settle %j says what it waits for', async (method, body, said) => {
  const world = await openWorld();
  const { id } = (await create(world, method)).json;
  expectSaid(await world.control('POST', `/operations/${id}/settle`, body), said);
});
