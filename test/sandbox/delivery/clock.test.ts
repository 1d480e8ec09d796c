import { describe, expect, it } from 'vitest';
import { create } from '../support/bodies.js';
import { advance, allEvents, msOf } from '../support/expectations.js';
import { quiet, until } from './receiver.js';
import { openScene } from './scene.js';

const WAITS = [30, 120, 600, 1800, 3600, 7200, 14_400, 28_800, 28_800];
const DAY_AND_HOUR = 90_000;

describe('25 hours over a dead receiver', () => {
  it('are ten attempts with the waits of the schedule, and an exhausted delivery', async () => {
    const { world, post, register, settled } = await openScene(() => 'dead');
    await register();
    await create(world, 'mobile_payment');
    const wallSeconds = world.clock.now() / 1000;
    await advance(world, DAY_AND_HOUR);
    const [delivery] = await settled();
    expect(delivery).toMatchObject({ status: 'exhausted', next_attempt_at: null });
    const moments = delivery!.attempts.map(({ at }) => msOf(at) / 1000);
    expect(moments).toHaveLength(10);
    expect(moments[0]).toBe(wallSeconds);
    for (const [index, wait] of WAITS.entries()) {
      const gap = moments[index + 1]! - moments[index]!;
      expect(Math.abs(gap - wait)).toBeLessThanOrEqual(wait * 0.1 + 1);
    }
    expect(delivery!.attempts.every(({ status, error }) => status === null && error !== '')).toBe(true);
    // The clock of the machine did not move, and receivers compare the timestamp with their own clock.
    const stamps = new Set(post.received.map(({ headers }) => headers['x-timestamp']));
    expect([...stamps]).toEqual([String(wallSeconds)]);
  });

  it('are the same in steps', async () => {
    const { world, register, list, settled } = await openScene(() => 503);
    await register();
    await create(world, 'mobile_payment');
    for (const [step, seconds] of [10, 40, 200, 4000, 30_000].entries()) {
      await advance(world, seconds);
      await quiet();
      expect((await list())[0]!.attempts).toHaveLength([1, 2, 3, 5, 8][step]!);
    }
    await advance(world, DAY_AND_HOUR);
    expect((await settled())[0]!.attempts).toHaveLength(10);
  });

  it('of many deliveries are in the order of their moments, over all of them', async () => {
    const { world, post, register, settled } = await openScene(() => 'dead');
    await register();
    for (let made = 0; made < 12; made += 1) {
      await create(world, 'mobile_payment');
      world.clock.advance(7000);
    }
    await advance(world, DAY_AND_HOUR);
    const deliveries = await settled();
    const timesOf = (one: (typeof deliveries)[number]) => one.attempts.map(({ at }) => msOf(at));
    const atOf = new Map(deliveries.map((one) => [one.event_id, timesOf(one)]));
    const moments = post.received.map(({ headers }) => atOf.get(headers['x-id-evento']!)!.shift()!);
    expect(moments).toHaveLength(120);
    // Attempts that were in progress together may differ by less than the shortest wait.
    const disorder = moments.map((at, index) => Math.max(0, ...moments.slice(0, index)) - at);
    expect(Math.max(...disorder)).toBeLessThan(27_000);
    const retries = moments.slice(12);
    expect(retries).toEqual([...retries].sort((a, b) => a - b));
  });
});

describe('what becomes due during an advance', () => {
  it('is delivered as of its own moment: windows that end, answers of the bank', async () => {
    const { world, register, settled } = await openScene((_, before) => (before === 0 ? 500 : 200), 7200);
    await register();
    const startMs = world.clock.now();
    await create(world, 'incoming_transfer', { fields: { expires_in_hours: 1 } });
    await create(world, 'incoming_transfer', { fields: { expires_in_hours: 3 } });
    await create(world, 'mobile_payment');
    await advance(world, 5 * 3600);
    const types = (await allEvents(world)).map(({ type }) => type);
    expect(types).toEqual(['payin.failed', 'payout.confirmed', 'payin.failed']);
    const deliveries = await settled();
    const firsts = deliveries.map(({ attempts }) => (msOf(attempts[0]!.at) - startMs) / 3_600_000);
    expect(firsts).toEqual([1, 2, 3]);
    expect(deliveries.map(({ attempts }) => attempts.length)).toEqual([2, 1, 1]);
    const gap = msOf(deliveries[0]!.attempts[1]!.at) - msOf(deliveries[0]!.attempts[0]!.at);
    expect(Math.abs(gap - 30_000)).toBeLessThanOrEqual(4000);
  });

  it('goes on in real time where the advance ended', async () => {
    const { world, register, list } = await openScene(() => 'dead');
    await register();
    await create(world, 'mobile_payment');
    await advance(world, 60);
    await until(async () => (await list())[0]?.attempts.length === 2);
    const [delivery] = await list();
    const now = msOf((await world.control('GET', '/clock')).json.now);
    world.clock.advance(msOf(delivery!.next_attempt_at) - now + 1000);
    await until(async () => (await list())[0]?.attempts.length === 3);
    const moments = (await list())[0]!.attempts.map(({ at }) => msOf(at));
    expect(Math.abs(moments[2]! - moments[1]! - 120_000)).toBeLessThanOrEqual(13_000);
  });
});

describe('a receiver that hangs', () => {
  it('while the clock is moved has its retries replayed from the moment of that attempt', async () => {
    const scene = await openScene((_, before) => (before === 0 ? 'silent' : 'dead'));
    const { world, post, register, settled } = scene;
    await register();
    const startMs = world.clock.now();
    await create(world, 'mobile_payment');
    await until(() => post.waiting() === 1);
    await advance(world, DAY_AND_HOUR);
    await quiet();
    expect(post.received).toHaveLength(1);
    world.clock.advance(10_000);
    post.timeOut();
    const [delivery] = await settled();
    expect(delivery!.attempts).toHaveLength(10);
    expect(msOf(delivery!.attempts[0]!.at)).toBe(startMs);
    expect(Math.abs(msOf(delivery!.attempts[1]!.at) - startMs - 30_000)).toBeLessThanOrEqual(4000);
  });
});
