import { expect, it } from 'vitest';
import { SCOPES } from '../../../src/contract/access.js';
import { create } from '../support/bodies.js';
import { openWorld } from '../support/world.js';

it('every company is there with its keys, its balances and its urls, whose secrets are not', async () => {
  const world = await openWorld();
  const made = await world.control('POST', '/keys', {
    ...{ company: 'acme', environment: 'live', scopes: ['saldos:leer'], created_by: 'operator' },
  });
  await world.post('/v2/webhook-endpoints', { url: 'https://example.com/1' });
  world.clock.advance(1000);
  const second = await world.post('/v2/webhook-endpoints', { url: 'https://example.com/2' });
  await create(world, 'mobile_payment');
  const reply = await world.control('GET', '/companies');
  expect(reply.text).not.toContain(second.json.secret);
  expect(reply.text).not.toContain('whsec_');
  const zero = { available: '0.00', reserved: '0.00' };
  expect(reply.json).toEqual({
    companies: [
      {
        name: 'default',
        environment: 'sandbox',
        keys: [{ api_key: world.key, scopes: SCOPES, created_by: 'company' }],
        balances: (await world.get('/v2/balances')).json.balances,
        webhooks: [
          {
            ...{ id: expect.any(String) as string, url: 'https://example.com/1' },
            ...{ created_at: '2026-09-23T15:04:05Z', replaced_at: '2026-09-23T15:04:06Z' },
          },
          {
            ...{ id: second.json.id, url: 'https://example.com/2' },
            ...{ created_at: '2026-09-23T15:04:06Z', replaced_at: null },
          },
        ],
      },
      {
        name: 'acme',
        environment: 'live',
        keys: [{ api_key: made.json.api_key, scopes: ['saldos:leer'], created_by: 'operator' }],
        balances: expect.arrayContaining([{ currency: 'VES', ...zero }]) as unknown,
        webhooks: [],
      },
    ],
  });
});

it('what is armed is listed as it was armed, with how often it still applies, until it is cleared', async () => {
  const world = await openWorld();
  const armed = [
    { route: 'balances', kind: 'status', status: 503, retry_after: 5, count: 2 },
    { route: '*', kind: 'drop-after' },
    { route: 'events.list', kind: 'delay', delay_ms: 20 },
    { route: 'payouts.create', kind: 'outcome', failure: { code: 'rejected', reason: 'other' } },
  ];
  for (const fault of armed) await world.control('POST', '/faults', fault);
  await world.get('/v2/balances');
  expect((await world.control('GET', '/faults')).json.faults).toEqual(
    armed.map(({ count: _, ...fault }) => ({ id: expect.any(Number) as number, ...fault, remaining: 1 })),
  );
  expect((await world.control('POST', '/faults/clear', {})).json).toEqual({ cleared: 4 });
  expect((await world.control('POST', '/faults/clear')).json).toEqual({ cleared: 0 });
  expect((await world.control('GET', '/faults')).json).toEqual({ faults: [] });
  expect((await world.get('/v2/balances')).status).toBe(200);
  expect((await world.control('POST', '/faults/clear', { all: true })).status).toBe(400);
});
