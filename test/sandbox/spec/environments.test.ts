import { describe, expect, it } from 'vitest';
import { create, validBody } from '../support/bodies.js';
import { ALL_SCOPES, NOBODY, ROWS } from '../support/endpoints.js';
import { allEvents, balanceOf, expectRefusal } from '../support/expectations.js';
import { aWorldForEachTest, world } from '../support/fresh-world.js';
import type { World } from '../support/world.js';

aWorldForEachTest();

async function liveKey(world: World, company = 'default', scopes?: readonly string[]): Promise<string> {
  const body = { company, environment: 'live', ...(scopes === undefined ? {} : { scopes }) };
  return (await world.control('POST', '/keys', body)).json.api_key;
}

describe.each(ROWS)('production: $method $path', ({ method, path, scope }) => {
  const target = path.replace('{id}', NOBODY);

  it('is unauthorized with a test key and with none', async () => {
    expectRefusal(await world.send(method, target), 'unauthorized');
    expectRefusal(await world.send(method, target, { key: null }), 'unauthorized');
  });

  it('serves a live key, by its scopes', async () => {
    expect((await world.send(method, target, { key: await liveKey(world) })).status).not.toBe(401);
    const others = ALL_SCOPES.filter((other) => other !== scope);
    const reply = await world.send(method, target, { key: await liveKey(world, 'default', others) });
    if (scope === null) expect(reply.status).toBe(200);
    else expectRefusal(reply, 'scope_missing');
  });
});

describe('keys', () => {
  it('begin as their environment says', async () => {
    expect(world.key).toMatch(/^svc_test_\S+$/);
    expect(await liveKey(world)).toMatch(/^svc_live_sandbox_[0-9a-f]{48}$/);
    expect((await world.control('POST', '/keys', {})).json.api_key).toMatch(/^svc_test_\S+$/);
    expect((await world.control('POST', '/keys', { environment: 'sandbox' })).json.api_key).toMatch(
      /^svc_test_\S+$/,
    );
  });
});

describe('what happens in one environment', () => {
  it('is not seen in the other, of the same company', async () => {
    const key = await liveKey(world);
    const test = (await create(world, 'bank_transfer', { idempotencyKey: 'the-same-key' })).json;
    const body = await validBody(world, 'bank_transfer', '12345678', '7.00');
    const live = await world.send('POST', '/v2/payouts', { key, idempotencyKey: 'the-same-key', body });
    expect([live.status, live.json.amount]).toEqual([201, '7.00']);
    expect(live.json.id).not.toBe(test.id);
    for (const topic of ['payouts', 'transactions']) {
      expectRefusal(await world.send('GET', `/v2/${topic}/${test.id}`, { key }), 'not_found');
      expectRefusal(await world.get(`/v2/${topic}/${live.json.id}`), 'not_found');
    }
    expect((await balanceOf(world)).available).toBe('-100.00');
    const balances = (await world.send('GET', '/v2/balances', { key })).json.balances;
    expect(balances.find(({ currency }) => currency === 'VES')?.available).toBe('-7.00');
    expect((await allEvents(world)).map(({ data }) => data.id)).toEqual([test.id]);
    const { events } = (await world.send('GET', '/v2/events', { key })).json;
    expect(events.map(({ data }) => data.id)).toEqual([live.json.id]);
  });
});

describe('companies', () => {
  it('share nothing', async () => {
    const { api_key: key } = (await world.control('POST', '/keys', { company: 'acme' })).json;
    const mine = (await create(world, 'bank_transfer')).json;
    const theirs = (await create(world, 'direct_debit', { key })).json;
    expectRefusal(await world.get(`/v2/transactions/${mine.id}`, { key }), 'not_found');
    expectRefusal(await world.get(`/v2/transactions/${theirs.id}`), 'not_found');
    expect((await balanceOf(world)).available).toBe('-100.00');
    expect((await balanceOf(world, 'VES', { key })).available).toBe('100.00');
    expect((await allEvents(world)).map(({ data }) => data.id)).toEqual([mine.id]);
    expect((await allEvents(world, { key })).map(({ data }) => data.id)).toEqual([theirs.id]);
  });

  it('have a prefix of three letters of their own', async () => {
    const { api_key: key } = (await world.control('POST', '/keys', { company: 'acme' })).json;
    const prefix = ({ concept }: { concept: string }): string => concept.split(' ')[1]!.slice(0, 3);
    const mine = prefix((await create(world, 'bank_transfer')).json);
    const theirs = prefix((await create(world, 'bank_transfer', { key })).json);
    expect(mine).toMatch(/^[A-Z]{3}$/);
    expect(theirs).toMatch(/^[A-Z]{3}$/);
    expect(theirs).not.toBe(mine);
  });

  it('of the same name are one: two keys see the same operations', async () => {
    const [first, second] = [
      (await world.control('POST', '/keys', { company: 'acme' })).json.api_key,
      (await world.control('POST', '/keys', { company: 'acme' })).json.api_key,
    ];
    expect(first).not.toBe(second);
    const { id } = (await create(world, 'bank_transfer', { key: first })).json;
    expect((await world.get(`/v2/transactions/${id}`, { key: second })).status).toBe(200);
  });
});
