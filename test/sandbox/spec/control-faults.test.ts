import { describe, expect, it } from 'vitest';
import { create } from '../support/bodies.js';
import { NOBODY, ROWS } from '../support/endpoints.js';
import { allEvents, arm, balanceOf, expectEnvelope, expectRefusal } from '../support/expectations.js';
import { aWorldForEachTest, world } from '../support/fresh-world.js';
import type { World } from '../support/world.js';

aWorldForEachTest();

const call = (world: World, { method, path }: { method: string; path: string }, key?: string | null) =>
  world.send(method, `/sandbox${path.replace('{id}', NOBODY)}`, key === undefined ? {} : { key });

describe.each(ROWS)('a status fault on $id', (row) => {
  it('comes once, before authorisation, and leaves the other routes alone', async () => {
    await arm(world, { route: row.id, status: 503 });
    const other = row.id === 'balances' ? '/v2/methods' : '/v2/balances';
    expect((await world.get(other)).status).toBe(200);
    expectRefusal(await call(world, row, null), 'temporarily_unavailable');
    expectRefusal(await call(world, row, null), 'unauthorized');
  });
});

describe('a status fault', () => {
  it.each([
    [401, 'unauthorized'],
    [403, 'scope_missing'],
    [503, 'temporarily_unavailable'],
    [500, 'internal'],
    [501, 'temporarily_unavailable'],
    [429, 'temporarily_unavailable'],
  ])('of %i has the code %s', async (status, code) => {
    await arm(world, { route: 'balances', status });
    const reply = await world.get('/v2/balances');
    expect([reply.status, reply.json.error.code]).toEqual([status, code]);
    expectEnvelope(reply);
  });

  it.each([502, 504])('of %i is the page of a gateway', async (status) => {
    await arm(world, { route: 'balances', status, retry_after: 7 });
    const reply = await world.get('/v2/balances');
    expect(reply.headers).toMatchObject({ 'content-type': 'text/html', 'retry-after': '7' });
    expect([reply.status, reply.text]).toEqual([status, expect.stringContaining(`<h1>${String(status)} `)]);
    expect(() => reply.json).toThrow();
  });

  it.each([0, 7, 86_400])('asks to come back after %i s', async (seconds) => {
    await arm(world, { route: 'balances', status: 429, retry_after: seconds });
    const reply = await world.get('/v2/balances');
    expect(reply.headers['retry-after']).toBe(String(seconds));
    expect((await world.get('/v2/balances')).headers['retry-after']).toBeUndefined();
  });

  it.each([
    ['payins.resendCode', 'POST', `/v2/payins/${NOBODY}/resend-code`],
    ['webhookEndpoints.create', 'POST', '/v2/webhook-endpoints'],
    ['capabilities.list', 'GET', '/v2/capabilities'],
    ['balances.list', 'GET', '/v2/balances'],
  ])('finds its route by the words of the path too: %s', async (route, method, path) => {
    await arm(world, { route, status: 503 });
    expectRefusal(await world.send(method, `/sandbox${path}`), 'temporarily_unavailable');
  });

  it('carries nothing out', async () => {
    await arm(world, { route: 'payouts.create', status: 503 });
    expectRefusal(
      await create(world, 'bank_transfer', { idempotencyKey: 'the-same-key' }),
      'temporarily_unavailable',
    );
    expect(await allEvents(world)).toHaveLength(0);
    expect((await create(world, 'bank_transfer', { idempotencyKey: 'the-same-key' })).status).toBe(201);
    expect(await allEvents(world)).toHaveLength(1);
  });

  it('on * meets whatever comes first', async () => {
    await arm(world, { route: '*', status: 503, count: 2 }, 2);
    expect((await world.get('/v2/methods')).status).toBe(503);
    expect((await world.get('/v2/events')).status).toBe(503);
    expect((await world.get('/v2/methods')).status).toBe(200);
  });
});

describe('a cut or bent answer', () => {
  it.each([
    ['drop-before', 0],
    ['drop-after', 1],
    ['delay', 1],
    ['garbage', 1],
    ['truncated', 1],
    ['silent', 1],
  ])('%s carries the request out %i times', async (kind, times) => {
    await arm(world, { route: 'payouts.create', kind, ...(kind === 'delay' ? { delay_ms: 250 } : {}) });
    const reply = await create(world, 'bank_transfer', { idempotencyKey: 'the-same-key' });
    expect(await allEvents(world)).toHaveLength(times);
    if (kind === 'delay') expect([reply.interference, reply.status]).toEqual([{ kind, delayMs: 250 }, 201]);
    else if (kind === 'garbage') expect(() => reply.json).toThrow();
    else expect(reply.interference).toEqual({ kind });
    const again = await create(world, 'bank_transfer', { idempotencyKey: 'the-same-key' });
    expect([again.status, again.interference]).toEqual([201, null]);
    expect(await allEvents(world)).toHaveLength(1);
    expect((await balanceOf(world)).available).toBe('-100.00');
  });
});
