/** Deliveries as the store queues them: made with their event, shown, started anew, and pings beside them. */
import { describe, expect, it } from 'vitest';
import { create } from '../support/bodies.js';
import { START_MS } from '../support/clock.js';
import { allEvents, expectRefusal } from '../support/expectations.js';
import { openWorld, type World } from '../support/world.js';

interface Shown {
  readonly id: string;
  readonly event_id: string;
  readonly type: string;
  readonly url: string;
  readonly status: string;
  readonly attempts: readonly unknown[];
  readonly next_attempt_at: string | null;
}

async function deliveries(world: World): Promise<readonly Shown[]> {
  return ((await world.control('GET', '/deliveries')).json as unknown as { deliveries: Shown[] }).deliveries;
}

const URL = 'https://example.com/hook';
const NOW = new Date(START_MS).toISOString().replace('.000', '');

describe('an event', () => {
  it('is queued for the url that is active then, and not for one registered later', async () => {
    const world = await openWorld();
    await create(world, 'mobile_payment');
    expect((await world.post('/v2/webhook-endpoints', { url: URL })).status).toBe(201);
    await create(world, 'mobile_payment');
    const [, event] = await allEvents(world);
    const { id, amount, currency, reference = null } = event!.data;
    expect(await deliveries(world)).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
        event_id: event!.id,
        type: 'payout.confirmed',
        ...{ operation_id: id, reference, amount, currency },
        url: URL,
        ...{ status: 'pending', result: null, attempts: [], next_attempt_at: NOW, fault: null },
      },
    ]);
  });

  it('of another company is not queued', async () => {
    const world = await openWorld();
    await world.post('/v2/webhook-endpoints', { url: URL });
    const { api_key: key } = (await world.control('POST', '/keys', { company: 'other' })).json as unknown as {
      api_key: string;
    };
    await create(world, 'mobile_payment', { key });
    expect(await deliveries(world)).toEqual([]);
  });
});

describe('a ping', () => {
  it('is queued beside the events and is none of them', async () => {
    const world = await openWorld();
    await world.post('/v2/webhook-endpoints', { url: URL });
    const { delivery_id: id } = (await world.control('POST', '/ping')).json as unknown as {
      delivery_id: string;
    };
    expect(await deliveries(world)).toMatchObject([{ id, type: 'test.ping', url: URL, status: 'pending' }]);
    expect(await allEvents(world)).toEqual([]);
  });
});

describe('a resend', () => {
  it('starts the schedule anew, to the url that is active now', async () => {
    const world = await openWorld();
    await world.post('/v2/webhook-endpoints', { url: URL });
    await create(world, 'mobile_payment');
    const [queued] = await deliveries(world);
    await world.post('/v2/webhook-endpoints', { url: 'https://example.com/new' });
    await world.control('POST', '/clock', { advance_seconds: 60 });
    const reply = await world.control('POST', `/deliveries/${queued!.id}/resend`);
    const later = new Date(START_MS + 60_000).toISOString().replace('.000', '');
    const resent = { ...queued!, url: 'https://example.com/new', next_attempt_at: later };
    expect([reply.status, reply.json]).toEqual([200, resent]);
    expect(await deliveries(world)).toEqual([resent]);
    expectRefusal(await world.control('POST', '/deliveries/nobody/resend'), 'not_found');
    expect((await world.control('GET', `/deliveries/${queued!.id}`)).json).toEqual(resent);
    expectRefusal(await world.control('GET', '/deliveries/nobody'), 'not_found');
  });
});
