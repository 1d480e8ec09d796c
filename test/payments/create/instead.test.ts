import { describe, expect, it } from 'vitest';
import type { Transport } from '../../../src/runtime/transport.js';
import { KEY, LOST, NOT_ARRIVED, shop, type Shop } from '../../support/open-request.js';
import { payout } from '../../support/requests.js';
import type { RunOptions } from '../../support/svc.js';

const HOUR_MS = 3_600_000;
const NOTE =
  /^The events have the operation of this request: [0-9a-f-]{36}, created at .*Nothing was sent again\.$/m;

async function lostLongAgo(fates = LOST): Promise<Shop> {
  const world = shop();
  await world.pay(KEY, fates);
  world.home.clock.advance(30 * HOUR_MS);
  return world;
}

async function paidElsewhere({ service }: Shop, amount = '5.00'): Promise<void> {
  const key = `elsewhere-${amount}`;
  const own = service.posts[0]!;
  const body = { ...(JSON.parse(Buffer.from(own.body!).toString()) as object), amount };
  const headers = { ...own.headers, 'idempotency-key': key };
  const request = { ...own, headers, body: Buffer.from(JSON.stringify(body)) };
  service.next();
  expect((await service.transport(request, { timeoutMs: 1000 })).status).toBe(201);
}

describe.each(['requests repeat', 'the same line', 'requests repeat --all'] as const)('by %s', (which) => {
  const again = (world: Shop, options: RunOptions = {}) => {
    if (which === 'the same line') return world.pay(KEY, [], options);
    return world.svc(which === 'requests repeat' ? `requests repeat ${KEY}` : which, options);
  };

  it('the operation is shown, and settles it: nothing leaves', async () => {
    const world = await lostLongAgo();
    const posts = world.service.posts.length;
    const ended = await again(world);
    expect(ended.exitCode, ended.stderr).toBe(0);
    expect(ended.json()).toMatchObject({ reference: KEY, amount: '5.00' });
    expect(ended.stderr).toMatch(NOTE);
    expect(world.service.posts).toHaveLength(posts);
    expect(await world.open()).toEqual([]);
    expect(await world.service.ledger()).toEqual({ [KEY]: 1 });
  });

  it('it is for a person where it never arrived, whatever was paid later', async () => {
    const world = await lostLongAgo(NOT_ARRIVED);
    await paidElsewhere(world);
    const ended = await again(world);
    expect([ended.exitCode, ended.stdout]).toEqual([13, '']);
    expect(ended.stderr).toContain('After 23 hours');
    expect(await world.open()).toHaveLength(1);
  });

  it('it is for a person where two may be its own, or the one is of another amount', async () => {
    for (const [amount, fates] of Object.entries({ '5.00': LOST, '6.00': NOT_ARRIVED })) {
      const world = shop();
      await world.pay(KEY, fates);
      await paidElsewhere(world, amount);
      world.home.clock.advance(30 * HOUR_MS);
      const ended = await again(world);
      expect([ended.exitCode, ended.stdout], amount).toEqual([13, '']);
      expect(await world.open()).toHaveLength(1);
    }
  });

  it('nothing changes where the clocks disagree', async () => {
    const world = await lostLongAgo();
    world.home.clock.setWall(-40 * HOUR_MS);
    world.home.clock.reboot();
    const ended = await again(world);
    expect(ended.exitCode).toBe(13);
    expect(ended.stderr).toContain('The clocks disagree');
    expect(await world.open()).toHaveLength(1);
  });

  it('it stays open where the events cannot be read', async () => {
    const world = await lostLongAgo();
    const broken: Transport = (request, options) =>
      world.service.transport(
        request.url.includes('/v2/events') ? { ...request, url: `${request.url}&cursor=broken` } : request,
        options,
      );
    const ended = await again(world, { transport: broken });
    expect([ended.exitCode, ended.stdout]).toEqual([13, '']);
    expect(ended.stderr).toContain('svc cannot read the events');
    expect(await world.open()).toHaveLength(1);
  });
});

it('one that failed may be another try: a person says that it is this one', async () => {
  const { svc, service, home, open } = shop();
  service.next(...LOST);
  const lost = await svc([...payout('00000001'), '--reference', KEY, '--idempotency-key', KEY]);
  expect(lost.exitCode, lost.stderr).toBe(12);
  home.clock.advance(30 * HOUR_MS);
  expect((await svc(`requests repeat ${KEY}`)).failure()).toBe('13 too_old');
  const { data } = JSON.parse((await svc('events list --all')).stdout) as { data: { id: string } };
  const told = await svc(['requests', 'resolve', KEY, '--operation', data.id]);
  expect(told.json(), told.stderr).toMatchObject({ status: 'failed' });
  expect(await open()).toEqual([]);
});

it('one without a reference is for a person', async () => {
  const { svc, service, home, open } = shop();
  service.next(...LOST);
  await svc([...payout(), '--idempotency-key', KEY]);
  home.clock.advance(30 * HOUR_MS);
  expect((await svc(`requests repeat ${KEY}`)).failure()).toBe('13 too_old');
  expect(await open()).toHaveLength(1);
});

it('one that another create holds is not its own', async () => {
  const { svc, pay, service, home, open } = shop();
  await pay(KEY, NOT_ARRIVED);
  const other = [...payout(), '--reference', KEY, '--idempotency-key', 'another-key', '--new-payment', KEY];
  home.clock.advance(24 * HOUR_MS);
  service.next();
  expect((await svc(other)).exitCode).toBe(0);
  expect((await svc(`requests repeat ${KEY}`)).exitCode).toBe(13);
  expect(await open()).toHaveLength(1);
});
