import { describe, expect, it } from 'vitest';
import { create } from '../support/bodies.js';
import { advance } from '../support/expectations.js';
import { aWorldForEachTest, world } from '../support/fresh-world.js';

aWorldForEachTest();

const readClock = async () => (await world.control('GET', '/clock')).json;

describe('the clock', () => {
  it('is the time of the machine at first, and runs with it', async () => {
    expect(await readClock()).toEqual({ now: '2026-09-23T15:04:05Z', next_due: null });
    world.clock.advance(5000);
    expect(await readClock()).toEqual({ now: '2026-09-23T15:04:10Z', next_due: null });
  });

  it('advances by seconds, adds up, and keeps running', async () => {
    const reply = await world.control('POST', '/clock', { advance_seconds: 3600 });
    expect([reply.status, reply.json]).toEqual([200, { now: '2026-09-23T16:04:05Z' }]);
    await advance(world, 86_400);
    world.clock.advance(2000);
    expect(await readClock()).toEqual({ now: '2026-09-24T16:04:07Z', next_due: null });
    expect((await create(world, 'bank_transfer')).json.created_at).toBe('2026-09-24T16:04:07Z');
  });

  it.each([
    ['48h', '2026-09-25T15:04:05Z'],
    ['90s', '2026-09-23T15:05:35Z'],
    ['2d', '2026-09-25T15:04:05Z'],
    ['366d', '2027-09-24T15:04:05Z'],
  ])('advances by %s, as the commands do', async (text, now) => {
    const reply = await world.control('POST', '/clock', { advance: text });
    expect([reply.status, reply.json]).toEqual([200, { now }]);
  });

  it.each([
    [{ advance: '367d' }, 'advance must be a duration such as 30s, 5m, 48h or 2d, of at most 366d.'],
    [{ advance: 48 }, 'advance must be a duration such as 30s, 5m, 48h or 2d, of at most 366d.'],
    [{ advance: '1h', advance_seconds: 1 }, 'Give advance or advance_seconds, not both.'],
    [{}, 'Add advance, a duration such as 30s, 5m, 48h or 2d, or advance_seconds, a number.'],
    [{ seconds: 1 }, 'Unknown field: seconds. Known fields: advance, advance_seconds.'],
  ])('says of %j what it takes', async (body, message) => {
    const reply = await world.control('POST', '/clock', body);
    expect([reply.status, reply.json.error.message]).toEqual([400, message]);
    expect((await world.control('GET', '/clock')).json.now).toBe('2026-09-23T15:04:05Z');
  });

  it('needs no key, and takes one without looking', async () => {
    for (const key of [null, world.key, 'svc_live_x'])
      expect((await world.send('GET', '/_control/clock', { key })).status).toBe(200);
  });

  it('has done every state change when it answers', async () => {
    for (let made = 0; made < 20; made++) await create(world, 'incoming_transfer');
    await world.post('/v2/webhook-endpoints', { url: 'https://127.0.0.1:9/hook' });
    expect((await world.control('GET', '/clock')).json.next_due).toHaveProperty('what');
    const moved = (await world.control('POST', '/clock', { advance: '48h' })).json;
    expect(moved).toMatchObject({ expired_payins: 20, due_deliveries: 20 });
    expect(moved).not.toHaveProperty('settled_operations');
    const { events } = (await world.get('/v2/events')).json;
    expect(events.map(({ type }) => type)).toEqual(Array.from({ length: 20 }, () => 'payin.failed'));
  });
});

describe('reset', () => {
  it('empties everything but the ready key', async () => {
    const { api_key: other } = (await world.control('POST', '/keys', { company: 'acme' })).json;
    const made = (await create(world, 'bank_transfer', { idempotencyKey: 'the-same-key' })).json;
    await create(world, 'incoming_transfer');
    await world.post('/v2/webhook-endpoints', { url: 'https://127.0.0.1:9/hook' });
    await create(world, 'direct_debit');
    await world.control('POST', '/faults', { route: '*', status: 503, count: 9 });
    const reply = await world.control('POST', '/reset');
    expect([reply.status, reply.json]).toEqual([200, { reset: true }]);
    expect((await world.get('/v2/events')).json).toEqual({ events: [], next_cursor: null });
    expect((await world.get(`/v2/transactions/${made.id}`)).status).toBe(404);
    for (const { available } of (await world.get('/v2/balances')).json.balances)
      expect(Number(available)).toBe(0);
    expect((await world.get('/v2/balances', { key: other })).status).toBe(401);
    expect((await world.control('GET', '/deliveries')).json).toEqual({ deliveries: [] });
    const again = await create(world, 'bank_transfer', { idempotencyKey: 'the-same-key' });
    expect(again.status).toBe(201);
    expect(again.json.id).not.toBe(made.id);
    expect((await world.control('GET', '/deliveries')).json).toEqual({ deliveries: [] });
  });
});
