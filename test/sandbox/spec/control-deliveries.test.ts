import { describe, expect, it } from 'vitest';
import { create } from '../support/bodies.js';
import { allEvents, expectEnvelope } from '../support/expectations.js';
import { aWorldForEachTest, world } from '../support/fresh-world.js';
import type { World } from '../support/world.js';
import type { AnsweredDelivery } from '../support/answered.js';

aWorldForEachTest();

const URL_ONE = 'https://127.0.0.1:9/one';
const deliveries = async (world: World): Promise<readonly AnsweredDelivery[]> =>
  (await world.control('GET', '/deliveries')).json.deliveries;

describe('deliveries', () => {
  it('are none before a registration', async () => {
    await create(world, 'bank_transfer');
    expect(await deliveries(world)).toEqual([]);
    await world.post('/v2/webhook-endpoints', { url: URL_ONE });
    expect(await deliveries(world)).toEqual([]);
  });

  it('are one for each event of the company after it', async () => {
    const { api_key: key } = (await world.control('POST', '/keys', { company: 'acme' })).json;
    await world.post('/v2/webhook-endpoints', { url: URL_ONE });
    await create(world, 'bank_transfer');
    await create(world, 'debit_otp');
    await create(world, 'direct_debit', { document: '00000004' });
    await create(world, 'bank_transfer', { key });
    const events = await allEvents(world);
    const listed = await deliveries(world);
    expect(listed.map(({ event_id, type }) => [event_id, type])).toEqual(
      events.map(({ id, type }) => [id, type]),
    );
    for (const delivery of listed) {
      expect(Object.keys(delivery).sort()).toEqual([
        ...['amount', 'attempts', 'currency', 'event_id', 'fault', 'id', 'next_attempt_at', 'operation_id'],
        ...['reference', 'result', 'status', 'type', 'url'],
      ]);
      expect(delivery).toMatchObject({ url: URL_ONE, status: 'pending', attempts: [] });
    }
  });
});

describe('POST /_control/ping', () => {
  it.each([undefined, {}, { company: 'default' }])(
    'with the body %j is a delivery of test.ping and no event',
    async (body) => {
      await world.post('/v2/webhook-endpoints', { url: URL_ONE });
      const reply = await world.control('POST', '/ping', body);
      expect(reply.status).toBe(200);
      expect(Object.keys(reply.json)).toEqual(['delivery_id']);
      const [delivery] = await deliveries(world);
      expect(delivery).toMatchObject({ id: reply.json.delivery_id, type: 'test.ping', url: URL_ONE });
      expect(await allEvents(world)).toEqual([]);
    },
  );
});

describe('POST /_control/deliveries/{id}/resend', () => {
  it.each(['none', '00000000-0000-4000-8000-000000000001', '%00', '%2F'])(
    'of %s is not found',
    async (id) => {
      const reply = await world.control('POST', `/deliveries/${id}/resend`);
      expect(reply.status).toBe(404);
      expectEnvelope(reply);
    },
  );
});
