import { describe, expect, it } from 'vitest';
import type { Answered } from '../support/answered.js';
import { create, INCOMING_METHODS, type Json } from '../support/bodies.js';
import { advance, allEvents, balanceOf, expectEnvelope, msOf, typedEvents } from '../support/expectations.js';
import { pay, paymentFor } from '../support/payments.js';
import { openWorld, type World } from '../support/world.js';

async function awaiting(method: string, amount = '100.00', fields: Json = {}) {
  const world = await openWorld();
  const { status, json: payin } = await create(world, method, { amount, fields });
  expect(status).toBe(201);
  return { world, payin };
}
const read = async (world: World, { id }: Answered): Promise<Answered> =>
  (await world.get(`/v2/payins/${id}`)).json;
const ZERO = { available: '0.00', reserved: '0.00' };

describe.each(INCOMING_METHODS)('a payment for an %s', (method) => {
  it('that matches confirms it, with one event', async () => {
    const { world, payin } = await awaiting(method);
    await advance(world, 3600);
    expect(await pay(world, payin)).toBe(payin.id);
    const confirmed = await read(world, payin);
    expect(confirmed).toMatchObject({ status: 'confirmed', pending_reason: null, failure: null });
    expect(msOf(confirmed.confirmed_at) - msOf(payin.created_at)).toBe(3_600_000);
    expect(await typedEvents(world)).toEqual([['payin.confirmed', confirmed]]);
  });

  it('is attributed once: the second of the same kind goes to no one', async () => {
    const { world, payin } = await awaiting(method);
    expect(await pay(world, payin)).toBe(payin.id);
    const balance = await balanceOf(world);
    expect(await pay(world, payin)).toBeNull();
    expect(await balanceOf(world)).toEqual(balance);
    expect(await allEvents(world)).toHaveLength(1);
    expect((await read(world, (await create(world, method)).json)).status).toBe('pending');
  });

  it('goes to the oldest of several that match', async () => {
    const world = await openWorld();
    const payins: Answered[] = [];
    for (let made = 0; made < 3; made++) {
      payins.push((await create(world, method)).json);
      if (made === 0) await advance(world, 1);
    }
    const [first, second, third] = payins;
    for (const expected of [first, second, third]) expect(await pay(world, first!)).toBe(expected!.id);
  });

  it.each([
    ['another amount', { amount: '100.01' }],
    ['another currency', { currency: 'USD' }],
    ['another phone', { phone: '04129999999' }],
  ])('of %s is not attributed and touches no balance', async (_what, changes) => {
    const { world, payin } = await awaiting(method);
    const reply = await world.control('POST', '/payments', await paymentFor(world, payin, changes));
    if (reply.status === 200) expect(reply.json).toEqual({ attributed_to: null });
    else expectEnvelope(reply);
    expect(await read(world, payin)).toEqual(payin);
    expect(await balanceOf(world)).toEqual(ZERO);
  });

  it.each(['100', '100.0', '0100.00'])('of amount %s is the same as a number', async (amount) => {
    const { world, payin } = await awaiting(method);
    expect(await pay(world, payin, { amount })).toBe(payin.id);
  });

  it('with neither phone nor document is a 400', async () => {
    const { world, payin } = await awaiting(method);
    const payment = await paymentFor(world, payin, { phone: undefined, document: undefined });
    const reply = await world.control('POST', '/payments', payment);
    expect(reply.status).toBe(400);
    expectEnvelope(reply);
  });

  it('after the window goes to no one; a second before its end it counts', async () => {
    for (const [seconds, isInside] of [
      [3599, true],
      [3601, false],
    ] as const) {
      const { world, payin } = await awaiting(method, '100.00', { expires_in_hours: 1 });
      await advance(world, seconds);
      expect(await pay(world, payin)).toBe(isInside ? payin.id : null);
      expect((await read(world, payin)).status).toBe(isInside ? 'confirmed' : 'failed');
    }
  });
});

describe.each(INCOMING_METHODS)('the window of an %s', (method) => {
  it.each([
    ['control', (world: World, seconds: number) => advance(world, seconds)],
    [
      'machine',
      (world: World, seconds: number) => {
        world.clock.advance(seconds * 1000);
        return Promise.resolve();
      },
    ],
  ])('ends by the clock of the %s', async (_whose, pass) => {
    const { world, payin } = await awaiting(method);
    await pass(world, 48 * 3600 - 1);
    expect((await read(world, payin)).status).toBe('pending');
    await pass(world, 1);
    const expired = await read(world, payin);
    expect(expired).toMatchObject({
      ...{ status: 'failed', pending_reason: null, expires_at: payin.expires_at },
      failure: { code: 'expired', reason: 'expired' },
    });
    expect(await typedEvents(world)).toEqual([['payin.failed', expired]]);
    expect(await balanceOf(world)).toEqual(ZERO);
  });
});

describe('the fee of a received mobile payment', () => {
  it.each([
    ['100.00', '99.00'],
    ['10.49', '10.39'],
    ['10.50', '10.39'],
  ])('leaves of %s a net of %s', async (amount, net) => {
    const { world, payin } = await awaiting('incoming_mobile_payment', amount);
    await pay(world, payin);
    expect(await balanceOf(world)).toEqual({ available: net, reserved: '0.00' });
    expect((await read(world, payin)).amount).toBe(amount);
  });

  it('is none on a received transfer', async () => {
    const { world, payin } = await awaiting('incoming_transfer', '999.99');
    await pay(world, payin);
    expect(await balanceOf(world)).toEqual({ available: '999.99', reserved: '0.00' });
  });
});
