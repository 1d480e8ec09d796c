import { describe, expect, it } from 'vitest';
import { VERSION } from '../../../src/runtime/version.js';
import type { AnsweredDelivery } from '../support/answered.js';
import { create } from '../support/bodies.js';
import { advance, allEvents, msOf } from '../support/expectations.js';
import { quiet, signatureOf, until, type Received } from './receiver.js';
import { openScene, URL_ONE, URL_TWO } from './scene.js';

const HOUR_MS = 3_600_000;

const expectSigned = (one: Received | undefined, ...secrets: readonly string[]): void =>
  expect(one!.headers['x-firma']).toBe(secrets.map((secret) => signatureOf(one!, secret)).join(' '));

describe('an event', () => {
  it('is delivered at once, byte for byte as the feed shows it, and the list says so', async () => {
    const { world, post, register, list } = await openScene();
    const secret = await register();
    await create(world, 'mobile_payment', { fields: { metadata: { order: 1, ñ: '<&>' } } });
    await until(async () => (await list())[0]?.status === 'delivered');
    const [event] = await allEvents(world);
    const feed = (await world.get('/v2/events')).text;
    const [sent, ...others] = post.received;
    expect(others).toEqual([]);
    expect(feed).toContain(Buffer.from(sent!.body).toString('utf8'));
    expect(sent).toMatchObject({ url: URL_ONE, timeoutMs: 10_000 });
    expect(sent!.headers).toEqual({
      ...{ 'content-type': 'application/json', 'user-agent': `svc/${VERSION}` },
      ...{ 'x-firma': signatureOf(sent!, secret), 'x-timestamp': String(world.clock.now() / 1000) },
      ...{ 'x-evento': 'payout.confirmed', 'x-id-evento': event!.id },
    });
    const { id: operation_id, reference = null, amount, currency } = event!.data;
    const attempt = {
      ...{ at: '2026-09-23T15:04:05Z', status: 204, error: null, ms: 0 },
      request: { headers: sent!.spelled, body: Buffer.from(sent!.body).toString('utf8') },
      answer: { status: 204, headers: {}, body: '' },
    };
    expect(await list()).toEqual([
      {
        ...{ id: expect.any(String) as string, event_id: event!.id, type: 'payout.confirmed' },
        ...{ operation_id, reference, amount, currency, url: URL_ONE, fault: null },
        ...{ status: 'delivered', result: 'delivered', attempts: [attempt], next_attempt_at: null },
      },
    ]);
  });

  it('that time alone brings about is delivered when it comes, without a request', async () => {
    const { world, post, register, list } = await openScene(undefined, 5);
    await register();
    await create(world, 'mobile_payment');
    await quiet();
    world.clock.advance(4999);
    await quiet();
    expect(post.received).toHaveLength(0);
    world.clock.advance(1);
    await until(() => post.received.length === 1);
    await until(async () => (await list())[0]?.status === 'delivered');
  });
});

describe('retries', () => {
  it('follow in real time too, each when it is due and none before', async () => {
    const { world, post, register, list } = await openScene(() => 500);
    await register();
    await create(world, 'mobile_payment');
    await until(async () => (await list())[0]?.attempts.length === 1);
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      const [delivery] = await list();
      const waitMs = msOf(delivery!.next_attempt_at) - world.clock.now();
      world.clock.advance(waitMs - 1000);
      await quiet();
      expect(post.received).toHaveLength(attempt);
      world.clock.advance(2000);
      await until(async () => (await list())[0]?.attempts.length === attempt + 1);
    }
  });

  it('go to the url of the moment, signed by its secret and the one it replaced within 24 h', async () => {
    const { world, post, register, list } = await openScene((_, before) => (before < 4 ? 'dead' : 204));
    const first = await register(URL_ONE);
    await create(world, 'mobile_payment');
    const attempts = async (count: number): Promise<void> =>
      until(async () => (await list())[0]?.attempts.length === count, `attempt ${String(count)}`);
    await attempts(1);
    const second = await register(URL_TWO);
    await advance(world, 33);
    await attempts(2);
    expect(post.received[1]).toMatchObject({ url: URL_TWO });
    expectSigned(post.received[1], second, first);
    const third = await register(URL_ONE);
    await advance(world, 132);
    await attempts(3);
    expectSigned(post.received[2], third, second);
    expect((await list())[0]!.url).toBe(URL_ONE);
    await advance(world, 660);
    await attempts(4);
    await advance(world, 24 * 3600);
    await attempts(5);
    expectSigned(post.received[4], third, second);
    await create(world, 'mobile_payment');
    await until(() => post.received.length === 6);
    expectSigned(post.received[5], third);
  });

  it('of two secrets the replaced one is gone after 24 h to the second', async () => {
    const { world, post, register } = await openScene();
    const first = await register();
    const second = await register();
    world.clock.advance(24 * HOUR_MS - 1);
    await create(world, 'mobile_payment');
    await until(() => post.received.length === 1);
    expectSigned(post.received[0], second, first);
    world.clock.advance(1);
    await create(world, 'mobile_payment');
    await until(() => post.received.length === 2);
    expectSigned(post.received[1], second);
  });
});

describe('a test.ping', () => {
  it('is sent once, by the newest secret alone, and is no event', async () => {
    const { world, post, register, list } = await openScene(() => 'dead');
    await register();
    const newest = await register();
    const { delivery_id: id } = (await world.control('POST', '/ping')).json;
    await until(async () => (await list())[0]?.status === 'exhausted');
    await advance(world, 90_000);
    await quiet();
    expect(post.received).toHaveLength(1);
    const [sent] = post.received;
    expectSigned(sent, newest);
    expect(sent!.headers['x-evento']).toBe('test.ping');
    const none = { id: '00000000-0000-0000-0000-000000000000', status: 'pending', amount: '0.00' };
    const body: unknown = JSON.parse(Buffer.from(sent!.body).toString('utf8'));
    expect(body).toMatchObject({ type: 'test.ping', data: { ...none, metadata: { test: true } } });
    expect(await list()).toMatchObject([{ id, status: 'exhausted', next_attempt_at: null }]);
    expect(await allEvents(world)).toEqual([]);
  });
});

describe('a resend', () => {
  it('of an exhausted delivery starts the schedule anew', async () => {
    const { world, post, register, list } = await openScene((_, before) => (before < 12 ? 'dead' : 200));
    await register();
    await create(world, 'mobile_payment');
    await advance(world, 90_000);
    await until(async () => (await list())[0]?.status === 'exhausted');
    expect(post.received).toHaveLength(10);
    const [{ id }] = (await list()) as [AnsweredDelivery];
    const answer = await world.control('POST', `/deliveries/${id}/resend`);
    expect(answer.json.status).toBe('pending');
    await until(async () => (await list())[0]?.attempts.length === 11);
    const [again] = await list();
    const waitMs = msOf(again!.next_attempt_at) - msOf(again!.attempts.at(-1)!.at);
    expect(waitMs).toBeGreaterThanOrEqual(26_000);
    expect(waitMs).toBeLessThanOrEqual(34_000);
    await advance(world, 200);
    await until(async () => (await list())[0]?.status === 'delivered');
    expect((await list())[0]!.attempts).toHaveLength(13);
  });

  it('while an attempt is under way is not undone by its outcome', async () => {
    const { world, post, register, list } = await openScene((_, before) => (before === 0 ? 'silent' : 204));
    await register();
    await create(world, 'mobile_payment');
    await until(() => post.waiting() === 1);
    world.clock.advance(1000);
    await world.control('POST', `/deliveries/${(await list())[0]!.id}/resend`);
    await quiet();
    expect(post.received).toHaveLength(1);
    post.timeOut();
    await until(async () => (await list())[0]?.status === 'delivered');
    expect((await list())[0]!.attempts).toMatchObject([{ status: null }, { status: 204 }]);
  });
});

describe('a reset', () => {
  it('while an attempt is under way forgets it, and touches no new delivery', async () => {
    const scene = await openScene((_, before) => (before === 0 ? 'silent' : 'dead'));
    const { world, post, register, list } = scene;
    await register();
    await create(world, 'mobile_payment');
    await until(() => post.waiting() === 1);
    await world.control('POST', '/reset');
    await register();
    await create(world, 'mobile_payment');
    await until(async () => (await list())[0]?.attempts.length === 1);
    post.timeOut();
    await quiet();
    const [one, ...others] = await list();
    expect(others).toEqual([]);
    const error = 'no program listens at 127.0.0.1:9';
    expect(one!.attempts).toMatchObject([{ at: '2026-09-23T15:04:05Z', status: null, error, answer: null }]);
    expect(one!.attempts[0]!.request!.body).toContain(one!.event_id);
  });
});
