import { describe, expect, it, onTestFinished } from 'vitest';
import { startDispatcher } from '../../../src/sandbox/delivery/dispatcher.js';
import type { Sandbox } from '../../../src/sandbox/sandbox.js';
import { create } from '../support/bodies.js';
import { fakeClock } from '../support/clock.js';
import { ask, opened, PAYOUT } from '../store/request.js';
import { quiet, receiver, until } from './receiver.js';
import { openScene, URL_ONE, URL_TWO } from './scene.js';

function registered(clock = fakeClock()): Sandbox {
  const sandbox = opened(':memory:', 'sandbox', clock);
  onTestFinished(() => sandbox.close());
  ask(sandbox, 'POST', '/v2/webhook-endpoints', { url: URL_ONE });
  return sandbox;
}

function pay(sandbox: Sandbox, count: number): void {
  for (let made = 0; made < count; made += 1)
    ask(sandbox, 'POST', '/v2/payouts', PAYOUT, `key-of-payout-${String(made)}`);
}

function statuses(sandbox: Sandbox): string[] {
  return ask(sandbox, 'GET', '/_control/deliveries').json.deliveries.map(({ status }) => status);
}

const fail = (error: Error): void => expect.fail(error.stack);

function dispatcherOf(
  { outbox }: Pick<Sandbox, 'outbox'>,
  { transport }: Pick<ReturnType<typeof receiver>, 'transport'>,
  { clock = fakeClock(), onDefect = fail } = {},
) {
  return startDispatcher(outbox, { transport, clock, onDefect });
}

it('sends again on request also what is on its way at that moment: a clock may stand still', async () => {
  const { world, post, register } = await openScene((_, before) => (before < 2 ? 'silent' : 204));
  await register(URL_ONE);
  await create(world, 'mobile_payment');
  await until(() => post.waiting() === 1);
  const [delivery] = (await world.control('GET', '/deliveries')).json.deliveries;
  for (const time of [1, 2]) {
    await world.control('POST', `/deliveries/${delivery!.id}/resend`);
    post.timeOut();
    await until(() => post.received.length === time + 1);
  }
});

describe('a silent receiver', () => {
  it('has at most eight of its company waiting, and another company is served meanwhile', async () => {
    const scene = await openScene(({ url }) => (url === URL_ONE ? 'silent' : 204));
    const { world, post, register, company } = scene;
    await register(URL_ONE);
    for (let made = 0; made < 30; made += 1) await create(world, 'mobile_payment');
    await until(() => post.waiting() === 8);
    const key = await company('other');
    await register(URL_TWO, key);
    for (let made = 0; made < 30; made += 1) await create(world, 'mobile_payment', { key });
    await until(() => post.received.filter(({ url }) => url === URL_TWO).length === 30);
    expect(post.mostWaiting()).toBe(8);
    post.timeOut();
    await until(() => post.waiting() === 8);
    expect(post.received.filter(({ url }) => url === URL_ONE)).toHaveLength(16);
  });

  it('of many companies leaves the next free place to the one that has none', async () => {
    const scene = await openScene(({ url }) => (url.endsWith('/quick') ? 204 : 'silent'));
    const { world, post, register, company } = scene;
    for (let slow = 0; slow < 9; slow += 1) {
      const key = await company(`slow-${String(slow)}`);
      await register(`http://127.0.0.1:9/slow-${String(slow)}`, key);
      for (let made = 0; made < 9; made += 1) await create(world, 'mobile_payment', { key });
    }
    await until(() => post.waiting() === 64);
    const key = await company('quick');
    await register('http://127.0.0.1:9/quick', key);
    await create(world, 'mobile_payment', { key });
    await quiet();
    expect(post.received.some(({ url }) => url.endsWith('/quick'))).toBe(false);
    post.timeOut('http://127.0.0.1:9/slow-0');
    await until(() => post.received.some(({ url }) => url.endsWith('/quick')));
    expect(post.mostWaiting()).toBe(64);
  });
});

describe('answered()', () => {
  it('resolves when what was due has its answers, and what follows them by then', async () => {
    const sandbox = registered();
    pay(sandbox, 10);
    const post = receiver(() => 503);
    const dispatcher = dispatcherOf(sandbox, post);
    ask(sandbox, 'POST', '/_control/clock', { advance_seconds: 3 * 86_400 });
    await dispatcher.whenAnswered(sandbox.timeMs());
    expect(statuses(sandbox)).toEqual(Array(10).fill('exhausted'));
    expect(dispatcher.inProgress()).toEqual([]);
    await dispatcher.close();
  });

  it('waits for a receiver that is silent, and rejects when the sender stops', async () => {
    const sandbox = registered();
    pay(sandbox, 10);
    const post = receiver((_, before) => (before === 3 || before === 10 ? 'silent' : 204));
    const dispatcher = dispatcherOf(sandbox, post);
    let isOver = false;
    const all = dispatcher.whenAnswered(sandbox.timeMs()).then(() => (isOver = true));
    await until(() => post.received.length === 10);
    await quiet();
    expect([isOver, dispatcher.inProgress().length]).toEqual([false, 1]);
    post.timeOut();
    await all;
    pay(sandbox, 11);
    const stopped = expect(dispatcher.whenAnswered(sandbox.timeMs())).rejects.toThrow(
      'the sandbox is closed',
    );
    await until(() => post.waiting() === 1);
    const closing = dispatcher.close();
    post.die();
    await Promise.all([closing, stopped]);
    await expect(dispatcher.whenAnswered(0)).rejects.toThrow('the sandbox is closed');
  });
});

describe('a long backlog', () => {
  it('of 10,000 leaves in order, a few at a time, each once', async () => {
    const sandbox = registered();
    pay(sandbox, 10_000);
    const post = receiver();
    const dispatcher = dispatcherOf(sandbox, post);
    await until(() => post.received.length === 10_000, '10,000 deliveries');
    await dispatcher.close();
    const ids = ask(sandbox, 'GET', '/_control/deliveries').json.deliveries.map(({ event_id }) => event_id);
    expect(post.received.map(({ headers }) => headers['x-id-evento'])).toEqual(ids);
    expect(new Set(statuses(sandbox))).toEqual(new Set(['delivered']));
  }, 180_000);
});

describe('a store that cannot be used for a while', () => {
  it('loses no outcome and sends nothing twice', async () => {
    const sandbox = registered();
    pay(sandbox, 3);
    const post = receiver();
    const clock = fakeClock();
    const defects: Error[] = [];
    let rounds = 0;
    const outbox = {
      ...sandbox.outbox,
      runRound: (...work: Parameters<typeof sandbox.outbox.runRound>) => {
        rounds += 1;
        if (rounds > 1 && rounds < 5) throw new Error('disk full');
        return sandbox.outbox.runRound(...work);
      },
    };
    const onDefect = (error: Error) => void defects.push(error);
    const dispatcher = dispatcherOf({ outbox }, post, { clock, onDefect });
    await until(() => post.received.length === 3 && defects.length > 0);
    for (let second = 0; second < 4; second += 1) {
      await quiet();
      clock.advance(1000);
    }
    await until(() => statuses(sandbox).every((status) => status === 'delivered'));
    expect(post.received).toHaveLength(3);
    expect(defects).toHaveLength(3);
    await dispatcher.close();
  });

  it('is told about a transport that breaks, and the delivery is retried', async () => {
    const sandbox = registered();
    pay(sandbox, 1);
    const defects: Error[] = [];
    const transport = () => Promise.reject(new TypeError('a defect'));
    const onDefect = (error: Error) => void defects.push(error);
    const dispatcher = dispatcherOf(sandbox, { transport }, { onDefect });
    await until(() => defects.length === 1);
    await dispatcher.close();
    const [delivery] = ask(sandbox, 'GET', '/_control/deliveries').json.deliveries;
    expect(delivery).toMatchObject({ status: 'pending', attempts: [{ status: null, error: 'a defect' }] });
  });
});

describe('stopping', () => {
  it('records what has ended, cuts what has not, and leaves that owed', async () => {
    const sandbox = registered();
    pay(sandbox, 3);
    const clock = fakeClock();
    const post = receiver((_, before) => (before === 1 ? 'silent' : 204));
    const dispatcher = dispatcherOf(sandbox, post, { clock });
    await until(() => post.received.length === 3);
    const closed = dispatcher.close();
    await quiet();
    clock.advance(1000);
    await closed;
    expect(statuses(sandbox)).toEqual(['delivered', 'pending', 'delivered']);
    expect(ask(sandbox, 'GET', '/_control/deliveries').json.deliveries[1]!.attempts).toEqual([]);
    dispatcher.wake();
    await quiet();
    expect(post.received).toHaveLength(3);
    const next = receiver();
    const heir = dispatcherOf(sandbox, next);
    await until(() => statuses(sandbox)[1] === 'delivered');
    const [first, ...others] = next.received.map(({ headers }) => headers['x-id-evento']);
    expect([first, others]).toEqual([post.received[1]!.headers['x-id-evento'], []]);
    await heir.close();
  });
});

describe('while no server runs', () => {
  it('deliveries wait, and count as made when one does', async () => {
    const clock = fakeClock();
    const sandbox = registered(clock);
    pay(sandbox, 1);
    clock.advance(48 * 3_600_000);
    const post = receiver(() => 'dead');
    const dispatcher = dispatcherOf(sandbox, post, { clock });
    await until(() => ask(sandbox, 'GET', '/_control/deliveries').json.deliveries[0]!.attempts.length === 1);
    await quiet();
    const [delivery] = ask(sandbox, 'GET', '/_control/deliveries').json.deliveries;
    expect(delivery).toMatchObject({ status: 'pending', attempts: [{ at: '2026-09-25T15:04:05Z' }] });
    expect(post.received).toHaveLength(1);
    await dispatcher.close();
  });
});
