import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { testFolder } from '../../support/test-folder.js';
import { create } from '../support/bodies.js';
import { advance, allEvents, arm, balanceOf } from '../support/expectations.js';
import type { World } from '../support/world.js';
import { quiet, signatureOf, until, type Reaction, type Received } from './receiver.js';
import { openScene, type Scene } from './scene.js';

const NOW = '2026-09-23T15:04:05Z';

const arrived = ({ post }: Pick<Scene, 'post'>): string[] =>
  post.received.map(({ headers }) => headers['x-id-evento']!);

async function eventIds(world: World): Promise<string[]> {
  return (await allEvents(world)).map(({ id }) => id);
}

async function made(scene: Scene, count: number): Promise<string[]> {
  for (let index = 0; index < count; index += 1) await create(scene.world, 'mobile_payment');
  await quiet();
  return eventIds(scene.world);
}

const isSigned = (one: Received, secret: string): boolean =>
  one.headers['x-firma'] === signatureOf(one, secret);

type React = Parameters<typeof openScene>[0];

const armedOf = async (world: World): Promise<readonly object[]> =>
  (await world.control('GET', '/faults')).json.faults;

async function armed(fault: object, react?: React) {
  const scene = await openScene(react);
  const secret = await scene.register();
  await arm(scene.world, fault);
  return { ...scene, secret };
}

describe('duplicate', () => {
  it('delivers the next event twice, the same bytes, and the one after it once', async () => {
    const scene = await armed({ delivery: 'duplicate' });
    const [first, second] = await made(scene, 2);
    expect(arrived(scene).toSorted()).toEqual([first, first, second].toSorted());
    const [one, , ...rest] = await scene.list();
    const attempts = [{ status: 204 }, { status: 204, fault: 'duplicate' }];
    expect(one).toMatchObject({ status: 'delivered', result: 'delivered', attempts });
    expect(rest).toEqual([]);
    const [a, b] = scene.post.received.filter(({ headers }) => headers['x-id-evento'] === first);
    expect(Buffer.from(a!.body).equals(b!.body)).toBe(true);
  });

  it('waits for a receiver that accepts, and does not ask again where it refuses the second', async () => {
    const answers = [500, 204, 500];
    const scene = await armed({ delivery: 'duplicate' }, (_, before) => answers[before] ?? 204);
    await made(scene, 1);
    await advance(scene.world, 60);
    await quiet();
    const [delivery] = await scene.list();
    const ended = { status: 'delivered', result: '500', next_attempt_at: null, fault: null };
    expect(delivery).toMatchObject(ended);
    expect(delivery!.attempts.map(({ status }) => status)).toEqual([500, 204, 500]);
  });
});

describe('reorder', () => {
  it('swaps the next two, and no others', async () => {
    const scene = await armed({ delivery: 'reorder' });
    const [first] = await made(scene, 1);
    expect(arrived(scene)).toEqual([]);
    expect(await scene.list()).toMatchObject([{ status: 'pending', attempts: [], fault: 'reorder' }]);
    const [, second, third] = await made(scene, 2);
    expect(arrived(scene).slice(0, 1)).toEqual([second]);
    expect(arrived(scene).toSorted()).toEqual([first, second, third].toSorted());
    expect(arrived(scene).indexOf(first!)).toBeGreaterThan(arrived(scene).indexOf(second!));
    const [fourth] = (await made(scene, 1)).slice(-1);
    expect(arrived(scene).at(-1)).toBe(fourth);
    expect(await scene.list()).toMatchObject([{ attempts: [{ fault: 'reorder' }] }, {}, {}, {}]);
  });

  it('lets the first go where no second comes within ten minutes, or within "for"', async () => {
    const scene = await armed({ delivery: 'reorder' });
    const [first] = await made(scene, 1);
    await advance(scene.world, 599);
    await quiet();
    expect(arrived(scene)).toEqual([]);
    await advance(scene.world, 1);
    await quiet();
    expect(arrived(scene)).toEqual([first]);
    await arm(scene.world, { delivery: 'reorder', for: '5s' });
    await made(scene, 1);
    await advance(scene.world, 5);
    await quiet();
    expect(arrived(scene)).toEqual(await eventIds(scene.world));
  });

  it('forgets which one was to pass it when its time is over: a second swap waits for another', async () => {
    const react: React = (_, before) => (before === 0 ? 'silent' : 204);
    const scene = await armed({ delivery: 'reorder', for: '5s' }, react);
    const [first, second] = await made(scene, 2);
    expect(arrived(scene)).toEqual([second]);
    await advance(scene.world, 5);
    await quiet();
    expect(arrived(scene)).toEqual([second, first]);
    await arm(scene.world, { delivery: 'reorder' });
    const [one] = await scene.list();
    await scene.world.control('POST', `/deliveries/${one!.id}/resend`);
    await quiet();
    const third = (await made(scene, 1)).at(-1);
    expect(arrived(scene)).toEqual([second, first, third, first]);
  });

  it('swaps pairs of one company, whatever another one sends', async () => {
    const scene = await openScene();
    await scene.register();
    const other = await scene.company('other');
    await scene.register('http://127.0.0.1:9/other', other);
    await arm(scene.world, { delivery: 'reorder' });
    await made(scene, 1);
    await create(scene.world, 'mobile_payment', { key: other });
    await quiet();
    expect(scene.post.received.map(({ url }) => url)).toEqual(['http://127.0.0.1:9/other']);
    const [first, second] = await made(scene, 1);
    expect(arrived(scene).slice(1)).toEqual([second, first]);
  });
});

describe('hold', () => {
  it('keeps the next ones back until its end by the clock of the sandbox', async () => {
    const scene = await armed({ delivery: 'hold', count: 2, for: '24h' });
    const ids = await made(scene, 3);
    expect(arrived(scene)).toEqual([ids[2]]);
    const held = { status: 'pending', attempts: [], fault: 'hold', next_attempt_at: '2026-09-24T15:04:05Z' };
    expect(await scene.list()).toMatchObject([held, held, { status: 'delivered', fault: null }]);
    await advance(scene.world, 86_399);
    await quiet();
    expect(arrived(scene)).toHaveLength(1);
    await scene.world.control('POST', '/clock', { advance: '1s' });
    await quiet();
    expect(arrived(scene).toSorted()).toEqual(ids.toSorted());
    expect((await scene.list())[0]).toMatchObject({
      attempts: [{ at: '2026-09-24T15:04:05Z', fault: 'hold' }],
    });
  });

  it('without "for" ends with a clear, which says how many it let go', async () => {
    const scene = await armed({ delivery: 'hold', count: 5 });
    const ids = await made(scene, 2);
    await advance(scene.world, 172_800);
    await quiet();
    expect(arrived(scene)).toEqual([]);
    expect(await scene.list()).toMatchObject([{ next_attempt_at: null, status: 'pending' }, {}]);
    const cleared = await scene.world.control('POST', '/faults/clear');
    expect(cleared.json).toEqual({ cleared: 1, released: 2 });
    await quiet();
    expect(arrived(scene).toSorted()).toEqual(ids.toSorted());
    expect(await scene.list()).toMatchObject([{ attempts: [{ fault: 'hold' }] }, { fault: null }]);
  });

  it('lets a delivery go that is sent again by hand', async () => {
    const scene = await armed({ delivery: 'hold' });
    const [id] = await made(scene, 1);
    const [held] = await scene.list();
    await scene.world.control('POST', `/deliveries/${held!.id}/resend`);
    await quiet();
    expect(arrived(scene)).toEqual([id]);
  });
});

describe('bad-signature', () => {
  it.each([401, 204])('delivers nothing to one that answers %i, and a good one follows', async (status) => {
    const react: React = (_, before) => (before === 0 ? status : 204);
    const scene = await armed({ delivery: 'bad-signature' }, react);
    await made(scene, 1);
    expect(scene.post.received[0]!.headers['x-firma']).toMatch(/^v1=[0-9a-f]{64}$/);
    const [delivery] = await scene.list();
    const attempts = [{ status, fault: 'bad-signature' }];
    expect(delivery).toMatchObject({ status: 'pending', result: String(status), attempts });
    const explanation = await scene.world.control('GET', `/deliveries/${delivery!.id}/explanation`);
    expect(explanation.json).toMatchObject({ valid: false });
    await advance(scene.world, 60);
    await quiet();
    expect(scene.post.received.map((one) => isSigned(one, scene.secret))).toEqual([false, true]);
    expect(await scene.list()).toMatchObject([{ status: 'delivered' }]);
  });

  it('is never the last attempt of an event, and may be the one of a ping', async () => {
    const react: React = (_, before) => (before < 9 ? 503 : 204);
    const scene = await armed({ delivery: 'bad-signature', count: 100 }, react);
    const { secret } = scene;
    await made(scene, 1);
    await advance(scene.world, 200_000);
    await until(async () => (await scene.list())[0]?.status !== 'pending', 'the last attempt');
    const signed = scene.post.received.map((one) => isSigned(one, secret));
    expect(signed).toEqual([...Array<boolean>(9).fill(false), true]);
    expect(await scene.list()).toMatchObject([{ status: 'delivered' }]);
    await scene.world.control('POST', '/ping');
    await quiet();
    expect(isSigned(scene.post.received.at(-1)!, secret)).toBe(false);
  });
});

describe('before-answer', () => {
  it('delivers what a create brings before the create is answered', async () => {
    const scene = await armed({ delivery: 'before-answer' }, () => 'silent');
    let isAnswered = false;
    const creating = create(scene.world, 'mobile_payment').then((reply) => {
      isAnswered = true;
      return reply;
    });
    await until(() => scene.post.received.length === 1, 'the delivery');
    await quiet();
    expect(isAnswered).toBe(false);
    scene.post.timeOut();
    expect((await creating).json).toMatchObject({ status: 'confirmed' });
    const { requests } = (await scene.world.control('GET', '/requests?path=payouts')).json;
    expect(requests).toMatchObject([{ fault: 'before-answer' }]);
    expect(await armedOf(scene.world)).toEqual([]);
  });

  it('waits for a create that brings something: not for one without an event, a repetition, or a company without a url', async () => {
    const scene = await openScene();
    await arm(scene.world, { delivery: 'before-answer' });
    await create(scene.world, 'mobile_payment');
    await scene.register();
    await create(scene.world, 'debit_otp');
    const still = { id: 1, delivery: 'before-answer', remaining: 1, until: null };
    expect(await armedOf(scene.world)).toEqual([still]);
    await create(scene.world, 'mobile_payment');
    expect(scene.post.received).toHaveLength(1);
    expect(await armedOf(scene.world)).toEqual([]);
  });

  it('answers at once where another fault holds what it would wait for', async () => {
    const scene = await armed({ delivery: 'before-answer' });
    await arm(scene.world, { delivery: 'hold' });
    await create(scene.world, 'mobile_payment');
    expect(scene.post.received).toEqual([]);
  });
});

describe('a restart of the server', () => {
  it('keeps what is armed and what is held', async () => {
    const store = join(testFolder(), 'sandbox.db');
    const before = await openScene(undefined, 0, { store });
    await before.register();
    await arm(before.world, { delivery: 'hold', for: '1h' });
    await arm(before.world, { delivery: 'reorder' });
    await arm(before.world, { delivery: 'duplicate', count: 2 });
    const [held, swapped] = await made(before, 2);
    expect(arrived(before)).toEqual([]);
    await before.world.close();
    const after = await openScene(undefined, 0, { store, seed: 'after' });
    expect(await armedOf(after.world)).toMatchObject([{ delivery: 'duplicate', remaining: 2 }]);
    const [, , twice] = await made(after, 3);
    expect(arrived(after)[0]).toBe(twice);
    expect(arrived(after).toSorted()).toEqual([swapped, twice, twice].toSorted());
    await advance(after.world, 3600);
    await quiet();
    expect(arrived(after).slice(3)).toEqual([held]);
    expect((await after.list()).every(({ status }) => status === 'delivered')).toBe(true);
  });
});

describe('armed for a time', () => {
  it('is over at its end, and says until when', async () => {
    const scene = await armed({ delivery: 'duplicate', count: 3, for: '30s' });
    const still = { id: 1, delivery: 'duplicate', remaining: 3, until: NOW.replace('05Z', '35Z') };
    expect(await armedOf(scene.world)).toEqual([still]);
    await advance(scene.world, 30);
    expect(await armedOf(scene.world)).toEqual([]);
    await made(scene, 1);
    expect(arrived(scene)).toHaveLength(1);
  });
});

const FAULT = fc.record({
  delivery: fc.constantFrom('duplicate', 'reorder', 'hold', 'bad-signature', 'before-answer'),
  count: fc.integer({ min: 1, max: 4 }),
  for: fc.option(fc.constantFrom('1s', '45s', '2h'), { nil: undefined }),
});
const STEP = fc.oneof(
  fc.record({ kind: fc.constant('arm' as const), fault: FAULT }),
  fc.record({ kind: fc.constant('create' as const) }),
  fc.record({ kind: fc.constant('advance' as const), seconds: fc.integer({ min: 1, max: 7200 }) }),
  fc.record({ kind: fc.constant('clear' as const) }),
  fc.record({ kind: fc.constant('restart' as const) }),
);

describe('whatever is armed', () => {
  it('each event is delivered to a receiver that accepts, well signed, and money and states are as without faults', async () => {
    const all = fc.array(STEP, { minLength: 4, maxLength: 14 });
    const property = fc.asyncProperty(all, fc.boolean(), async (steps, isShaky) => {
      const store = join(testFolder(), 'sandbox.db');
      const received: Received[] = [];
      let [starts, creates] = [0, 0];
      const start = (): Promise<Scene> => {
        starts += 1;
        const react = (one: Received): Reaction => {
          received.push(one);
          return isShaky && received.length % 3 === 2 ? 503 : 204;
        };
        return openScene(react, 0, { store, seed: `start ${String(starts)}` });
      };
      let scene = await start();
      const secret = await scene.register();
      for (const step of steps) {
        if (step.kind === 'arm') await arm(scene.world, step.fault);
        if (step.kind === 'advance') await advance(scene.world, step.seconds);
        if (step.kind === 'clear') await scene.world.control('POST', '/faults/clear');
        if (step.kind === 'restart') {
          await scene.world.close();
          scene = await start();
        }
        if (step.kind !== 'create') continue;
        creates += 1;
        const idempotencyKey = `create-${String(creates)}`;
        const made = await create(scene.world, 'mobile_payment', { amount: '10.00', idempotencyKey });
        expect(made.json).toMatchObject({ status: 'confirmed' });
      }
      const faults = steps.flatMap((step) => (step.kind === 'arm' ? [step.fault] : []));
      const isEndless = faults.some((one) => one.delivery === 'hold' && one.for === undefined);
      if (isEndless) await scene.world.control('POST', '/faults/clear');
      for (let rounds = 0; rounds < 3; rounds += 1) {
        await advance(scene.world, 200_000);
        await quiet();
      }
      const ids = await eventIds(scene.world);
      expect(ids).toHaveLength(creates);
      const good = received.filter((one) => isSigned(one, secret));
      const told = new Set(good.map(({ headers }) => headers['x-id-evento']));
      expect(ids.filter((id) => !told.has(id))).toEqual([]);
      expect((await scene.list()).filter(({ status }) => status !== 'delivered')).toEqual([]);
      expect(Number((await balanceOf(scene.world)).available) + 10 * creates).toBe(0);
      await scene.world.close();
    });
    await fc.assert(property, { numRuns: 60 });
  });
});
