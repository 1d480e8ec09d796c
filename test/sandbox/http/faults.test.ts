import { describe, expect, it } from 'vitest';
import { create } from '../support/bodies.js';
import { allEvents, arm, expectEnvelope, expectRefusal } from '../support/expectations.js';
import { openWorld } from '../support/world.js';

describe('a status', () => {
  it.each([
    ['payouts.create', 'POST /v2/payouts', 409, 'idempotency_key_reused'],
    ['payouts.create', 'POST /v2/payouts', 400, 'body_invalid'],
    ['payouts.cancel', 'POST /v2/payouts/x/cancel', 409, 'not_cancellable'],
    ['payins.confirm', 'POST /v2/payins/x/confirm', 409, 'code_not_expected'],
    ['payins.get', 'GET /v2/payins/x', 404, 'not_found'],
    ['methods', 'GET /v2/methods', 400, 'field_invalid'],
    ['balances', 'GET /v2/balances', 302, 'temporarily_unavailable'],
  ])('%s (%s) %d is %s', async (route, request, status, code) => {
    const world = await openWorld();
    await arm(world, { route, status });
    const [method, path] = request.split(' ') as [string, string];
    // A fault comes before the check of the API key.
    const reply = await world.send(method, `/sandbox${path}`, { key: null });
    expect([reply.status, reply.json.error.code]).toEqual([status, code]);
    expectEnvelope(reply);
    expectRefusal(await world.send(method, `/sandbox${path}`, { key: null }), 'unauthorized');
  });
});

describe('a status after the request', () => {
  it.each([
    [500, 'internal'],
    [503, 'temporarily_unavailable'],
  ])('%i: it was carried out, and the same key brings it back', async (status, code) => {
    const world = await openWorld();
    await arm(world, { route: 'payouts.create', status, after: true, retry_after: 1 });
    const spoilt = await create(world, 'mobile_payment', { idempotencyKey: 'key-of-the-test' });
    expect([spoilt.status, spoilt.json.error.code]).toEqual([status, code]);
    expectEnvelope(spoilt);
    expect(spoilt.headers['retry-after']).toBe('1');
    const found = await create(world, 'mobile_payment', { idempotencyKey: 'key-of-the-test' });
    expect((await allEvents(world)).map(({ data }) => data.id)).toEqual([found.json.id]);
    const { requests } = (await world.control('GET', '/requests?status=5xx')).json;
    expect(requests).toMatchObject([{ fault: 'status', status }]);
  });

  it('false is a status instead', async () => {
    const world = await openWorld();
    await arm(world, { route: 'payouts.create', status: 503, after: false });
    expect((await create(world, 'mobile_payment')).status).toBe(503);
    expect(await allEvents(world)).toEqual([]);
  });
});

describe('the other kinds', () => {
  it('outcome pending: a confirmed code is no outcome until somebody settles it', async () => {
    const world = await openWorld();
    const { id } = (await create(world, 'debit_otp')).json;
    await arm(world, { route: 'payins.confirm', kind: 'outcome', pending: true });
    const still = { id: 1, route: 'payins.confirm', kind: 'outcome', pending: true, remaining: 1 };
    expect((await world.control('GET', '/faults')).json).toEqual({ faults: [still] });
    const reply = await world.post(`/v2/payins/${id}/confirm`, { code: world.code });
    expect(reply.json).toMatchObject({ status: 'pending', pending_reason: 'processing' });
    await world.control('POST', '/clock', { advance: '366d' });
    expect((await world.get(`/v2/payins/${id}`)).json.status).toBe('pending');
    expect(await allEvents(world)).toEqual([]);
    await world.control('POST', `/operations/${id}/settle`, { status: 'confirmed' });
    expect((await world.get(`/v2/payins/${id}`)).json.status).toBe('confirmed');
    expect((await world.control('GET', '/faults')).json).toEqual({ faults: [] });
  });

  it('outcome: waits for a call that asks the bank, past reads, refusals, replays and wrong codes', async () => {
    const world = await openWorld();
    const before = await create(world, 'mobile_payment', { idempotencyKey: 'key-of-before' });
    const payin = (await create(world, 'debit_otp')).json;
    const failure = { code: 'outside_hours', reason: 'outside_hours' };
    await arm(world, { route: '*', kind: 'outcome', failure });
    await world.get('/v2/balances');
    await world.get(`/v2/payouts/${before.json.id}`);
    expect((await create(world, 'mobile_payment', { amount: '0.00' })).status).toBe(400);
    const replay = await create(world, 'mobile_payment', { idempotencyKey: 'key-of-before' });
    expect(replay.json.status).toBe('confirmed');
    const wrong = await world.post(`/v2/payins/${payin.id}/confirm`, { code: '000000' });
    expect(wrong.json.failure).toMatchObject({ code: 'code_rejected' });
    expect((await create(world, 'mobile_payment')).json.failure).toMatchObject(failure);
    expect((await create(world, 'mobile_payment')).json.status).toBe('confirmed');
  });
});

describe('several faults', () => {
  it('leave other routes, wrong methods and control alone', async () => {
    const world = await openWorld();
    await arm(world, { route: '*', status: 500 });
    expect((await world.send('GET', '/sandbox/v2/nothing')).status).toBe(404);
    expect((await world.send('PUT', '/sandbox/v2/balances')).status).toBe(405);
    expect((await world.control('GET', '/clock')).status).toBe(200);
    expect((await world.get('/v2/balances')).status).toBe(500);
  });
});

describe('which request is met', () => {
  it('is the one after those that pass, of this route alone', async () => {
    const world = await openWorld();
    await arm(world, { route: 'payouts.create', status: 503, skip: 2, count: 2 });
    await create(world, 'debit_otp');
    const statuses: number[] = [];
    for (let sent = 0; sent < 5; sent += 1) statuses.push((await create(world, 'mobile_payment')).status);
    expect(statuses).toEqual([201, 201, 503, 503, 201]);
  });

  it('is counted by every fault that lets some pass, whichever the request meets', async () => {
    const world = await openWorld();
    await arm(world, { route: 'balances', status: 502, skip: 1 });
    await arm(world, { route: 'balances', status: 429 });
    await arm(world, { route: '*', status: 500, skip: 2 });
    const statuses: number[] = [];
    for (let sent = 0; sent < 4; sent += 1) statuses.push((await world.get('/v2/balances')).status);
    expect(statuses).toEqual([429, 502, 500, 200]);
  });

  it('is one whose body, or whose operation, has the reference', async () => {
    const world = await openWorld();
    await arm(world, { route: '*', status: 503, match: 'order-2', count: 2 });
    const made = async (reference: string): Promise<number> =>
      (await create(world, 'mobile_payment', { fields: { reference } })).status;
    expect([await made('order-1'), await made('order-2'), await made('order-22')]).toEqual([201, 503, 201]);
    await world.control('POST', '/faults/clear');
    const { id } = (await create(world, 'mobile_payment', { fields: { reference: 'order-2' } })).json;
    await arm(world, { route: 'payouts.get', status: 503, match: 'order-2', skip: 1 });
    const read = async (): Promise<number> => (await world.get(`/v2/payouts/${id}`)).status;
    expect([await read(), await read(), await read()]).toEqual([200, 503, 200]);
  });

  it('is shown with the fault, and an outcome waits for it too', async () => {
    const world = await openWorld();
    const failure = { code: 'rejected', reason: 'other' };
    const fault = { route: 'payouts.create', kind: 'outcome', failure, skip: 1, match: 'order-3' };
    await arm(world, fault);
    const armed = { id: 1, ...fault, remaining: 1 };
    expect((await world.control('GET', '/faults')).json).toEqual({ faults: [armed] });
    const ends: string[] = [];
    for (const reference of ['order-3', 'order-4', 'order-3', 'order-3'])
      ends.push((await create(world, 'mobile_payment', { fields: { reference } })).json.status);
    expect(ends).toEqual(['confirmed', 'confirmed', 'failed', 'confirmed']);
  });
});
