import { describe, expect, it } from 'vitest';
import type { Answered } from '../support/answered.js';
import { create, INCOMING_METHODS, PAYOUT_METHODS } from '../support/bodies.js';
import { advance, allEvents, balanceOf, expectRefusal, typedEvents } from '../support/expectations.js';
import type { Reply } from '../support/exchange.js';
import { aWorldForEachTest, world } from '../support/fresh-world.js';
import { pay } from '../support/payments.js';
import { openWorld, type World } from '../support/world.js';

aWorldForEachTest();

const CANCELLED = {
  ...{ status: 'failed', pending_reason: null, failure: { code: 'cancelled', reason: 'cancelled' } },
};
const cancel = (world: World, { id, type }: Answered, body?: unknown): Promise<Reply> =>
  world.post(`/v2/${type}s/${id}/cancel`, body);

describe.each(PAYOUT_METHODS)('a %s in processing', (method) => {
  it.each([undefined, null, {}])('is cancelled with the body %j, and its amount comes back', async (body) => {
    const payout = (await create(world, method, { document: '00000002' })).json;
    expect(await balanceOf(world)).toEqual({ available: '-100.00', reserved: '100.00' });
    const reply = await cancel(world, payout, body);
    expect(reply.status).toBe(200);
    expect(reply.json).toMatchObject(CANCELLED);
    expect(await balanceOf(world)).toEqual({ available: '0.00', reserved: '0.00' });
  });

  it('stays cancelled whatever the bank would have answered, with one event', async () => {
    const world = await openWorld({ settleAfterSeconds: 30 });
    const payout = (await create(world, method)).json;
    const cancelled = (await cancel(world, payout)).json;
    await advance(world, 86_400);
    expect((await world.get(`/v2/payouts/${payout.id}`)).json).toEqual(cancelled);
    expect(await typedEvents(world)).toEqual([['payout.failed', cancelled]]);
    expectRefusal(await cancel(world, payout), 'not_cancellable');
    expect(await balanceOf(world)).toEqual({ available: '0.00', reserved: '0.00' });
  });
});

describe.each(INCOMING_METHODS)('a %s that awaits its payment', (method) => {
  it.each([undefined, null, {}])('is cancelled with the body %j', async (body) => {
    const payin = (await create(world, method)).json;
    const reply = await cancel(world, payin, body);
    expect(reply.status).toBe(200);
    expect(reply.json).toMatchObject({ ...CANCELLED, expires_at: null });
    expect(await typedEvents(world)).toEqual([['payin.failed', reply.json]]);
  });

  it('takes no payment and does not expire afterwards', async () => {
    const payin = (await create(world, method)).json;
    const cancelled = (await cancel(world, payin)).json;
    expect(await pay(world, payin)).toBeNull();
    await advance(world, 100 * 3600);
    expect((await world.get(`/v2/payins/${payin.id}`)).json).toEqual(cancelled);
    expect(await allEvents(world)).toHaveLength(1);
    expect(await balanceOf(world)).toEqual({ available: '0.00', reserved: '0.00' });
  });
});

type Reach = (world: World, made: Answered) => Promise<unknown>;
const confirmWith =
  (code: string): Reach =>
  (world, { id }) =>
    world.post(`/v2/payins/${id}/confirm`, { code });
const lookUp: Reach = (world, { id }) => world.get(`/v2/payouts/${id}`);
const untouched: Reach = () => Promise.resolve();

const REFUSED: readonly (readonly [name: string, method: string, document: string, reach: Reach])[] = [
  ['a confirmed payout', 'bank_transfer', '12345678', untouched],
  ['a failed payout', 'mobile_payment', '00000001', untouched],
  ['a payout confirmed by a lookup', 'bank_transfer', '00000002', lookUp],
  ['a payout confirmed by time', 'bank_transfer', '00000002', (world) => advance(world, 60)],
  ['a cancelled payout', 'bank_transfer', '00000002', cancel],
  ['a debit_otp that awaits its code', 'debit_otp', '12345678', untouched],
  ['a debit_otp that is confirmed', 'debit_otp', '12345678', confirmWith('123456')],
  ['a debit_otp that failed', 'debit_otp', '12345678', confirmWith('1')],
  ['a debit_otp in processing', 'debit_otp', '00000002', confirmWith('123456')],
  ['a confirmed direct_debit', 'direct_debit', '12345678', untouched],
  ['a direct_debit in processing', 'direct_debit', '00000002', untouched],
  ['a failed direct_debit', 'direct_debit', '00000022', untouched],
  ['a cancelled incoming pay-in', 'incoming_transfer', '12345678', cancel],
  ['a paid incoming pay-in', 'incoming_mobile_payment', '12345678', (world, made) => pay(world, made)],
  ['an expired incoming pay-in', 'incoming_transfer', '12345678', (world) => advance(world, 48 * 3600)],
];

describe.each(REFUSED)('a cancel of %s', (_name, method, document, reach) => {
  it('is not_cancellable and changes nothing', async () => {
    const made = (await create(world, method, { document, idempotencyKey: 'the-same-key' })).json;
    await reach(world, made);
    const before = (await create(world, method, { document, idempotencyKey: 'the-same-key' })).json;
    const balance = await balanceOf(world);
    expectRefusal(await cancel(world, made), 'not_cancellable');
    expect((await create(world, method, { document, idempotencyKey: 'the-same-key' })).json).toEqual(before);
    expect(await balanceOf(world)).toEqual(balance);
  });
});
