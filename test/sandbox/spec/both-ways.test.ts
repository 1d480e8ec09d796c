import { expect, it } from 'vitest';
import { create } from '../support/bodies.js';
import { NOBODY } from '../support/endpoints.js';
import { advance, allEvents, balanceOf } from '../support/expectations.js';
import type { Reply } from '../support/exchange.js';
import { pay } from '../support/payments.js';
import { openServedWorld } from '../support/served-world.js';
import { openWorld, type World } from '../support/world.js';

type Said = readonly [status: number, text: string];

async function transcript(world: World): Promise<readonly Said[]> {
  const said: Said[] = [];
  const note = (reply: Reply): Reply => {
    said.push([reply.status, reply.text]);
    return reply;
  };
  for (const path of ['capabilities', 'methods?country=VE', 'banks?country=VE', 'balances', 'events'])
    note(await world.get(`/v2/${path}`));
  const otp = note(await create(world, 'debit_otp', { fields: { reference: 'ñ' } })).json;
  note(await world.post(`/v2/payins/${otp.id}/resend-code`));
  note(await world.post(`/v2/payins/${otp.id}/confirm`, { code: world.code }));
  const wrong = note(await create(world, 'debit_otp')).json;
  note(await world.post(`/v2/payins/${wrong.id}/confirm`, { code: '1' }));
  note(await create(world, 'direct_debit', { document: '00000022' }));
  const paid = note(await create(world, 'incoming_mobile_payment')).json;
  await pay(world, paid);
  const window = note(await create(world, 'incoming_transfer')).json;
  const payout = note(
    await create(world, 'bank_transfer', { document: '00000002', idempotencyKey: 'the-same-key' }),
  ).json;
  note(await create(world, 'bank_transfer', { document: '00000002', idempotencyKey: 'the-same-key' }));
  note(await create(world, 'bank_transfer', { idempotencyKey: 'the-same-key' }));
  note(await world.post(`/v2/payouts/${payout.id}/cancel`));
  await advance(world, 48 * 3600);
  note(await world.get(`/v2/payins/${window.id}`));
  note(await world.get(`/v2/transactions/${NOBODY}`));
  note(await world.get('/v2/nowhere'));
  note(await world.post('/v2/balances'));
  note(await world.get('/v2/balances', { key: null }));
  note(await world.post('/v2/payouts', '{'));
  note(await world.post('/v2/payouts', {}, { idempotencyKey: 'a-key-of-mine' }));
  note(
    await world.post('/v2/payouts', '{}', {
      headers: [
        ['Idempotency-Key', 'one-of-two'],
        ['Idempotency-Key', 'two-of-two'],
      ],
    }),
  );
  note(await world.post('/v2/webhook-endpoints', { url: 'http://example.com' }));
  note(await world.get('/v2/balances'));
  note(await world.get('/v2/events'));
  return said;
}

it('the handler and HTTP answer the same bytes, and a life of everything ends as the specification says', async () => {
  const world = await openWorld();
  const inside = await transcript(world);
  expect((await allEvents(world)).map(({ type }) => type)).toEqual([
    ...['payin.confirmed', 'payin.failed', 'payin.failed', 'payin.confirmed', 'payout.failed'],
    'payin.failed',
  ]);
  expect(await balanceOf(world)).toEqual({ available: '199.00', reserved: '0.00' });
  const outside = await transcript(await openServedWorld());
  expect(inside.length).toBeGreaterThan(25);
  expect(outside).toEqual(inside);
});
