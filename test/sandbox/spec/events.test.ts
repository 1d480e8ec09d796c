import { describe, expect, it } from 'vitest';
import { create } from '../support/bodies.js';
import { advance, allEvents, msOf, typedEvents } from '../support/expectations.js';
import { aWorldForEachTest, world } from '../support/fresh-world.js';
import { pay } from '../support/payments.js';
import { STATES } from '../support/states.js';

aWorldForEachTest();

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

describe.each(STATES)('a $method that is $name', ({ method, document, then, holds }) => {
  it('has emitted exactly its event, and never another', async () => {
    const wanted = { idempotencyKey: 'the-only-key', ...(document === undefined ? {} : { document }) };
    const made = (await create(world, method, wanted)).json;
    await then?.(world, made.id, made);
    const now = (await create(world, method, wanted)).json;
    const emitted = holds['status'] === 'pending' ? [] : [[`${made.type}.${now.status}`, now]];
    expect(await typedEvents(world)).toEqual(emitted);
    await world.get(`/v2/transactions/${made.id}`);
    await world.post(`/v2/${made.type}s/${made.id}/cancel`);
    await world.post(`/v2/payins/${made.id}/confirm`, { code: world.code });
    await create(world, method, wanted);
    await advance(world, 365 * 86_400);
    expect(await allEvents(world)).toHaveLength(1);
  });
});

describe('an event', () => {
  it('has exactly id, type, occurred_at and data', async () => {
    await advance(world, 90);
    const { json } = await create(world, 'bank_transfer');
    const [event] = await allEvents(world);
    expect(event).toEqual({
      ...{ id: expect.stringMatching(UUID) as string, type: 'payout.confirmed' },
      ...{ occurred_at: '2026-09-23T15:05:35Z', data: json },
    });
    expect(event!.id).not.toBe(json.id);
  });

  it('keeps the operation as it was then and its id for ever', async () => {
    await create(world, 'incoming_transfer');
    await create(world, 'bank_transfer', { document: '00000001' });
    const before = await allEvents(world);
    await advance(world, 100 * 3600);
    expect((await allEvents(world)).slice(0, before.length)).toEqual(before);
  });
});

describe('the order of events', () => {
  it('is that in which the operations ended', async () => {
    const waiting = (await create(world, 'incoming_transfer')).json;
    const code = (await create(world, 'debit_otp')).json;
    const payout = (await create(world, 'mobile_payment')).json;
    await world.post(`/v2/payins/${code.id}/confirm`, { code: '0' });
    await pay(world, waiting);
    const order = (await allEvents(world)).map(({ type, data }) => [type, data.id]);
    expect(order).toEqual([
      ['payout.confirmed', payout.id],
      ['payin.failed', code.id],
      ['payin.confirmed', waiting.id],
    ]);
  });

  it('is that of the due moments when the clock jumps over several', async () => {
    const late = (await create(world, 'incoming_transfer', { fields: { expires_in_hours: 3 } })).json;
    const early = (await create(world, 'incoming_mobile_payment', { fields: { expires_in_hours: 1 } })).json;
    const first = (await create(world, 'bank_transfer', { document: '00000002' })).json;
    const middle = (await create(world, 'incoming_transfer', { fields: { expires_in_hours: 2 } })).json;
    await advance(world, 10 * 3600);
    const events = await allEvents(world);
    expect(events.map(({ data }) => data.id)).toEqual([first.id, early.id, middle.id, late.id]);
    const since = events.map(({ occurred_at }) => (msOf(occurred_at) - msOf(first.created_at)) / 1000);
    expect(since).toEqual([60, 3600, 7200, 10_800]);
    for (const { occurred_at, data } of events) expect(msOf(data.updated_at)).toBe(msOf(occurred_at));
  });

  it('goes on across a lookup at the very moment that the clock has passed a due one', async () => {
    const window = (await create(world, 'incoming_transfer', { fields: { expires_in_hours: 1 } })).json;
    world.clock.advance(3_700_000);
    const payout = (await create(world, 'bank_transfer')).json;
    expect((await allEvents(world)).map(({ data }) => data.id)).toEqual([window.id, payout.id]);
  });
});
