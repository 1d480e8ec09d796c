import { describe, expect, it } from 'vitest';
import { create, validBody } from '../support/bodies.js';
import { NOBODY } from '../support/endpoints.js';
import { expectEnvelope, STATUS_OF } from '../support/expectations.js';
import type { Reply } from '../support/exchange.js';
import { aWorldForEachTest, world } from '../support/fresh-world.js';
import type { World } from '../support/world.js';

aWorldForEachTest();

const bad =
  (changes: object) =>
  async (world: World): Promise<Reply> =>
    create(world, 'bank_transfer', { fields: { ...changes } });
const twice = async (world: World): Promise<Reply> => {
  await create(world, 'bank_transfer', { idempotencyKey: 'the-same-key' });
  return create(world, 'bank_transfer', { idempotencyKey: 'the-same-key', amount: '2.00' });
};
const sixCodes = async (world: World): Promise<Reply> => {
  const { id } = (await create(world, 'debit_otp')).json;
  for (let sent = 0; sent < 5; sent++) await world.post(`/v2/payins/${id}/resend-code`);
  return world.post(`/v2/payins/${id}/resend-code`);
};
const onNew =
  (method: string, action: string, body?: unknown) =>
  async (world: World): Promise<Reply> =>
    world.post(`/v2/payins/${(await create(world, method)).json.id}/${action}`, body);
const poor = async (world: World): Promise<Reply> => {
  const { api_key: key } = (await world.control('POST', '/keys', { scopes: [] })).json;
  return world.get('/v2/balances', { key });
};
const unknownBank = async (world: World): Promise<Reply> => {
  const body = await validBody(world, 'debit_otp');
  return world.post(
    '/v2/payins',
    { ...body, payer: { ...(body['payer'] as object), bank_code: '9999' } },
    { idempotencyKey: 'a-key-of-mine' },
  );
};
const faulty = async (world: World): Promise<Reply> => {
  await world.control('POST', '/faults', { route: 'balances', status: 503 });
  return world.get('/v2/balances');
};

const fromAnotherPage = (world: World): Promise<Reply> =>
  world.send('POST', '/_control/clock', { key: null, headers: [['Origin', 'https://example.com']] });

const REACHED: readonly (readonly [
  code: string,
  reach: (world: World) => Promise<Reply>,
  hasDetails: boolean,
])[] = [
  ['unauthorized', (world) => world.get('/v2/balances', { key: null }), false],
  ['scope_missing', poor, false],
  ['body_invalid', (world) => world.post('/v2/payouts', '[]', { idempotencyKey: 'a-key-of-mine' }), false],
  ['field_required', (world) => world.post('/v2/payouts', {}, { idempotencyKey: 'a-key-of-mine' }), true],
  ['field_invalid', bad({ amount: 1 }), true],
  ['method_unavailable', bad({ method: 'debit_otp' }), true],
  ['bank_unsupported', unknownBank, true],
  ['amount_out_of_range', bad({ amount: '0.00' }), true],
  ['currency_unsupported', bad({ currency: 'XXX' }), true],
  ['country_unsupported', bad({ country: 'XX' }), true],
  ['idempotency_key_required', (world) => world.post('/v2/payouts', {}), true],
  ['idempotency_key_reused', twice, false],
  ['not_found', (world) => world.get(`/v2/transactions/${NOBODY}`), false],
  ['not_cancellable', onNew('debit_otp', 'cancel'), false],
  ['code_not_expected', onNew('direct_debit', 'confirm', { code: '123456' }), false],
  ['too_many_codes', sixCodes, false],
  ['temporarily_unavailable', faulty, false],
  ['route_not_found', (world) => world.get('/v2/nowhere'), false],
  ['foreign_origin', fromAnotherPage, false],
  ['method_not_allowed', (world) => world.post('/v2/balances'), false],
];

describe('the errors of section 7', () => {
  it.each(REACHED)('%s', async (code, reach, hasDetails) => {
    const reply = await reach(world);
    expect([reply.status, reply.json.error.code]).toEqual([STATUS_OF[code], code]);
    expectEnvelope(reply);
    expect((reply.json.error.details ?? []).length > 0).toBe(hasDetails);
    expect('details' in reply.json.error).toBe(hasDetails);
  });

  it('are all of them', () => {
    expect(REACHED.map(([code]) => code).sort()).toEqual(Object.keys(STATUS_OF).sort());
  });
});

describe('a success', () => {
  it('is JSON too, and opens no door to other origins', async () => {
    for (const path of ['capabilities', 'methods', 'banks?country=VE', 'balances', 'events']) {
      const reply = await world.get(`/v2/${path}`, { headers: [['Origin', 'http://127.0.0.1']] });
      expect(reply.status).toBe(200);
      expect(reply.headers['content-type']).toMatch(/^application\/json/);
      expect(Object.keys(reply.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    }
  });
});
