import { describe, expect, it } from 'vitest';
import { create } from '../support/bodies.js';
import { advance, allEvents, expectInvalid, expectRefusal, invalidField } from '../support/expectations.js';
import type { Reply } from '../support/exchange.js';
import { aWorldForEachTest, world } from '../support/fresh-world.js';
import { openWorld, type World } from '../support/world.js';

aWorldForEachTest();

async function worldWith(events: number): Promise<World> {
  const world = await openWorld();
  for (let made = 0; made < events; made++) await create(world, 'bank_transfer');
  return world;
}
const page = (world: World, cursor: string | null, limit?: number): Promise<Reply> => {
  const query = new URLSearchParams();
  if (cursor !== null) query.set('cursor', cursor);
  if (limit !== undefined) query.set('limit', String(limit));
  return world.get(`/v2/events?${query.toString()}`);
};
const INVALID_CURSOR = invalidField('cursor');

describe('a page', () => {
  it('is wrapped in events and next_cursor', async () => {
    const { json } = await page(await worldWith(1), null);
    expect(Object.keys(json).sort()).toEqual(['events', 'next_cursor']);
    expect(typeof json.next_cursor).toBe('string');
  });

  it('has 50 events by default', async () => {
    const world = await worldWith(60);
    const { json } = await page(world, null);
    expect(json.events).toHaveLength(50);
    expect((await page(world, json.next_cursor)).json.events).toHaveLength(10);
  });

  it.each([1, 2, 7, 49, 50, 200])(
    'of %i leads through all of them, with no gap and none twice',
    async (limit) => {
      const world = await worldWith(50);
      const whole = (await page(world, null, 200)).json.events;
      expect(whole).toHaveLength(50);
      expect(await allEvents(world, undefined, limit)).toEqual(whole);
      expect((await page(world, null, limit)).json.events.length).toBeLessThanOrEqual(limit);
    },
  );

  it.each(['0', '-1', '201', '1.5', '1e2', 'x', '', '+5', ' 5', '%205', '0x10', '99999999999999999999', '٣'])(
    'with limit "%s" is field_invalid',
    async (limit) => {
      const reply = await world.get(`/v2/events?limit=${encodeURI(limit)}`);
      expectInvalid(reply, 'limit');
    },
  );

  it('that is empty with nothing sent has a null cursor', async () => {
    expect((await page(world, null)).json).toEqual({ events: [], next_cursor: null });
  });

  it('that is empty gives the cursor back that was sent, and later leads on from there', async () => {
    const world = await worldWith(2);
    const { next_cursor } = (await page(world, null)).json;
    for (const _ of [1, 2])
      expect((await page(world, next_cursor)).json).toEqual({ events: [], next_cursor });
    const { id } = (await create(world, 'bank_transfer')).json;
    const later = (await page(world, next_cursor)).json;
    expect(later.events.map(({ data }) => data.id)).toEqual([id]);
    expect(later.next_cursor).not.toBe(next_cursor);
  });

  it('stays under 1 MiB, and the pages still lead through all', async () => {
    const metadata = { long: 'x'.repeat(4000) };
    const reference = 'r'.repeat(20_000);
    const ids: string[] = [];
    for (let made = 0; made < 60; made++)
      ids.push((await create(world, 'bank_transfer', { fields: { metadata, reference } })).json.id);
    const first = await page(world, null, 200);
    expect(Buffer.byteLength(first.text)).toBeLessThanOrEqual(1_048_576);
    expect(first.json.events.length).toBeGreaterThan(0);
    expect((await allEvents(world)).map(({ data }) => data.id)).toEqual(ids);
  });

  it('with a single event over 1 MiB still moves on', async () => {
    const reference = '\u0001'.repeat(174_600);
    for (let made = 0; made < 2; made++)
      expect((await create(world, 'bank_transfer', { fields: { reference } })).status).toBe(201);
    expect(await allEvents(world)).toHaveLength(2);
  });
});

describe('a cursor', () => {
  it('never expires and is the same again', async () => {
    const world = await worldWith(3);
    const first = (await page(world, null, 1)).json;
    await advance(world, 400 * 86_400);
    expect((await page(world, null, 1)).json).toEqual(first);
    expect((await page(world, first.next_cursor, 200)).json.events).toHaveLength(2);
  });

  it('of another company is field_invalid', async () => {
    const world = await worldWith(2);
    const { next_cursor } = (await page(world, null, 1)).json;
    const { api_key: key } = (await world.control('POST', '/keys', { company: 'other' })).json;
    await create(world, 'bank_transfer', { key });
    await create(world, 'bank_transfer', { key });
    const reply = await world.get(`/v2/events?cursor=${encodeURIComponent(next_cursor!)}`, { key });
    expectRefusal(reply, 'field_invalid', INVALID_CURSOR);
  });

  it.each([
    ...['', '0', '1', '-1', 'x', 'null', 'MQ==', 'AAAA', '%00', '%FF', '../..', "'%20OR%201=1"],
    'x'.repeat(5000),
    '%E2%98%83',
  ])('that was forged is field_invalid: "%s"', async (cursor) => {
    const world = await worldWith(2);
    expectRefusal(await world.get(`/v2/events?cursor=${cursor}`), 'field_invalid', INVALID_CURSOR);
  });
});
