/** What a cache says of the time proves nothing: a `Date` that stands still makes no old key young, so nothing is sent again that is too old. */
import { expect, it } from 'vitest';
import type { HttpAnswer, Transport } from '../../../src/runtime/transport.js';
import { fakeClock } from '../../support/fake-clock.js';
import { KEY, LOST, shop, type Shop } from '../../support/open-request.js';

const HOUR_MS = 3_600_000;

/** A cache that keeps the answer to each GET for ever, whatever it is asked to do. */
function cached(line: Transport): Transport {
  const kept = new Map<string, HttpAnswer>();
  return async (request, options) => {
    if (request.method !== 'GET') return line(request, options);
    const known = kept.get(request.url);
    if (known !== undefined) return known;
    const answer = await line(request, options);
    kept.set(request.url, answer);
    return answer;
  };
}

/** A create that was lost 30 hours ago, which nothing of this machine has counted, and a catalog in the cache from that time. */
async function lostBefore(transport: (line: Transport) => Transport): Promise<{
  readonly world: Shop;
  readonly options: { readonly transport: Transport };
}> {
  const there = fakeClock(Date.parse('2026-09-23T15:00:00Z'));
  const world = shop(() => there);
  const options = { transport: transport(world.service.transport) };
  await world.pay('invoice-2047', [], options);
  expect((await world.svc('capabilities', options)).exitCode).toBe(0);
  await world.pay(KEY, LOST, options);
  there.advance(30 * HOUR_MS);
  return { world, options };
}

it.each(['requests repeat', 'the same line', 'requests repeat --all'] as const)(
  'a frozen Date: %s sends nothing again that left 30 hours ago',
  async (which) => {
    const { world, options } = await lostBefore((line) => cached(line));
    const posts = world.service.posts.length;
    const ended =
      which === 'the same line'
        ? await world.pay(KEY, [], options)
        : await world.svc(which === 'requests repeat' ? `requests repeat ${KEY}` : which, options);
    expect(ended.exitCode).toBe(13);
    expect(world.service.posts).toHaveLength(posts);
  },
);

it('asks at an address that nobody has asked for, each time another one, and says that nothing kept will do', async () => {
  const { world } = await lostBefore((line) => line);
  const asked: string[] = [];
  const watching: Transport = (request, options) => {
    if (request.method === 'GET') asked.push(`${request.url} ${request.headers['cache-control'] ?? ''}`);
    return world.service.transport(request, options);
  };
  await world.svc(`requests repeat ${KEY}`, { transport: watching });
  await world.svc(`requests repeat ${KEY}`, { transport: watching });
  const fresh = asked.filter((one) => /\/v2\/transactions\/[0-9a-f-]{36} no-cache$/.test(one));
  expect(fresh).toHaveLength(2);
  expect(new Set(fresh).size).toBe(2);
});
