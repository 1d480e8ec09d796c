import { describe, expect, it } from 'vitest';
import { create } from '../support/bodies.js';
import { balanceOf } from '../support/expectations.js';
import { aWorldForEachTest, world } from '../support/fresh-world.js';
import { pay } from '../support/payments.js';

aWorldForEachTest();

describe('POST /_control/keys', () => {
  it('gives company default, every scope and the sandbox unless told otherwise', async () => {
    const { id } = (await create(world, 'bank_transfer')).json;
    for (const body of [undefined, {}, { company: null, scopes: null, environment: null }]) {
      const reply = await world.control('POST', '/keys', body);
      expect(reply.status).toBe(200);
      expect(Object.keys(reply.json)).toEqual(['api_key']);
      const { api_key: key } = reply.json;
      expect(key).not.toBe(world.key);
      expect((await world.get(`/v2/transactions/${id}`, { key })).status).toBe(200);
      expect((await world.get('/v2/balances', { key })).status).toBe(200);
      expect((await create(world, 'debit_otp', { key })).status).toBe(201);
      expect((await create(world, 'bank_transfer', { key })).status).toBe(201);
      expect((await world.post('/v2/webhook-endpoints', { url: 'https://a.example' }, { key })).status).toBe(
        201,
      );
    }
  });
});

describe('a key of an operator', () => {
  it.each(['debit_otp', 'incoming_transfer', 'direct_debit', 'bank_transfer'])(
    'makes a %s that says so, now and later, in its event too, and whoever sends it again',
    async (method) => {
      const { api_key: key } = (await world.control('POST', '/keys', { created_by: 'operator' })).json;
      const idempotencyKey = world.freshKey();
      const made = (await create(world, method, { key, idempotencyKey })).json;
      expect(made.created_by).toBe('operator');
      if (method === 'debit_otp') await world.post(`/v2/payins/${made.id}/confirm`, { code: world.code });
      if (method === 'incoming_transfer') await pay(world, made);
      const { events } = (await world.get('/v2/events')).json;
      expect(events.map(({ data }) => [data.id, data.status, data.created_by])).toEqual([
        [made.id, 'confirmed', 'operator'],
      ]);
      expect((await create(world, method, { idempotencyKey })).json.created_by).toBe('operator');
      expect((await create(world, method)).json.created_by).toBe('company');
    },
  );
});

describe('POST /_control/payments', () => {
  it('is attributed across companies by what matches, and credits that company alone', async () => {
    const { api_key: key } = (await world.control('POST', '/keys', { company: 'acme' })).json;
    const theirs = (await create(world, 'incoming_transfer', { key })).json;
    expect(await pay(world, theirs)).toBe(theirs.id);
    expect((await balanceOf(world, 'VES', { key })).available).toBe('100.00');
    expect((await balanceOf(world)).available).toBe('0.00');
  });
});
