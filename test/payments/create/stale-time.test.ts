import { expect, it } from 'vitest';
import type { HttpAnswer, Transport } from '../../../src/runtime/transport.js';
import { fakeClock } from '../../support/fake-clock.js';
import { KEY, LOST, NOT_ARRIVED, shop } from '../../support/open-request.js';
import { liveKey } from '../../support/shaky-sandbox.js';

const HOUR_MS = 3_600_000;
const LIVE = ['--live', '--yes', '--insecure-loopback'];

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

async function lostBefore(transport: (line: Transport) => Transport) {
  const there = fakeClock(Date.parse('2026-09-23T15:00:00Z'));
  const world = shop(() => there);
  const options = { transport: transport(world.service.transport) };
  await world.pay('invoice-2047', [], options);
  expect((await world.svc('capabilities', options)).exitCode).toBe(0);
  await world.pay(KEY, NOT_ARRIVED, options);
  there.advance(30 * HOUR_MS);
  return { world, options };
}

const WAYS = ['requests repeat', 'the same line', 'requests repeat --all'];
it.each(WAYS)('a frozen Date: %s sends nothing again that left 30 hours ago', async (which) => {
  const { world, options } = await lostBefore((line) => cached(line));
  const posts = world.service.posts.length;
  const ended =
    which === 'the same line'
      ? await world.pay(KEY, [], options)
      : await world.svc(which === 'requests repeat' ? `requests repeat ${KEY}` : which, options);
  expect(ended.exitCode).toBe(13);
  expect(ended.stderr).toContain('"code":"' + (which.endsWith('--all') ? 'unsafe' : 'too_old'));
  expect(world.service.posts).toHaveLength(posts);
});

it('asks at an address that nobody has asked for, each time another one, and says that nothing kept will do', async () => {
  const { world } = await lostBefore((line) => line);
  const asked: string[] = [];
  const watching: Transport = async (request, options) => {
    const answer = await world.service.transport(request, options);
    const known = request.headers['cache-control'] ?? '';
    if (request.method === 'GET') asked.push(`${String(answer.status)} ${request.url} ${known}`);
    return answer;
  };
  await world.svc(`requests repeat ${KEY}`, { transport: watching });
  await world.svc(`requests repeat ${KEY}`, { transport: watching });
  const fresh = asked.filter((one) => /^404 .*\/v2\/transactions\/[0-9a-f-]{36} no-cache$/.test(one));
  expect(fresh).toHaveLength(2);
  expect(new Set(fresh).size).toBe(2);
});

const says = (line: Transport, change: (answer: HttpAnswer) => HttpAnswer): Transport => {
  return async (request, options) => {
    const answer = await line(request, options);
    return request.method === 'GET' ? change(answer) : answer;
  };
};
const without = (name: string, { headers, ...answer }: HttpAnswer): HttpAnswer => ({
  ...answer,
  headers: headers.filter(([one]) => one.toLowerCase() !== name),
});
const dated = ({ headers, ...answer }: HttpAnswer): HttpAnswer => ({
  ...answer,
  headers: [...headers, ['Date', 'Tue, 22 Sep 2026 15:00:00 GMT']],
});

it.each<[string, (answer: HttpAnswer) => HttpAnswer]>([
  ['no time at all', (answer) => without('date', answer)],
  ['the time of an hour ago', (answer) => ({ ...answer, headers: [...answer.headers, ['Age', '3600']] })],
  ['a time before the newest that was seen', (answer) => dated(without('date', answer))],
])('where reads say %s, it is 13 time_unknown, and later it is as before', async (_name, change) => {
  const world = shop();
  const env = { ...world.service.env, SVC_API_KEY: await liveKey(world.service) };
  const lost = await world.pay(KEY, NOT_ARRIVED, { env }, ...LIVE);
  expect(lost.exitCode, lost.stderr).toBe(12);
  const options = { env, transport: says(world.service.transport, change) };
  const posts = world.service.posts.length;
  const repeat = `requests repeat ${KEY} ${LIVE.join(' ')}`;
  const refused = await world.svc(repeat, options);
  expect(refused.failure()).toBe('13 time_unknown');
  expect(refused.error()).toMatchObject({ outcome: 'unknown', details: null, idempotency_key: KEY });
  expect(refused.error()['message']).toContain("The service's time is not known");
  expect((await world.pay(KEY, [], options, ...LIVE)).failure()).toBe('13 time_unknown');
  expect(world.service.posts).toHaveLength(posts);
  expect(await world.open()).toHaveLength(1);
  expect((await world.svc(repeat, { env })).exitCode).toBe(0);
});

it('where the clock of this machine went back it is 13 clocks_disagree, and says what both clocks say', async () => {
  const there = fakeClock(Date.parse('2026-09-23T15:00:00Z'));
  const { home, svc, pay, service, open } = shop(() => there);
  await pay(KEY, LOST);
  home.clock.advance(HOUR_MS);
  there.advance(HOUR_MS);
  home.clock.setWall(-5 * HOUR_MS);
  const posts = service.posts.length;
  for (const refused of [await svc(`requests repeat ${KEY}`), await pay(KEY)]) {
    expect(refused.error()).toMatchObject({
      ...{ exit_code: 13, code: 'clocks_disagree', outcome: 'unknown' },
      details: [
        { field: 'left_at', code: 'clocks_disagree', clock: 'machine' },
        { field: 'left_at', code: 'clocks_disagree', clock: 'service' },
      ],
    });
    expect(refused.error()['message']).toMatch(
      /the clock of this machine was 2026-09-23T15:\S+ then and is 2026-09-23T11:\S+ now, and the service's time was 2026-09-23T15:\S+ then and is 2026-09-23T16:\S+ now/,
    );
  }
  expect(service.posts).toHaveLength(posts);
  expect(await open()).toHaveLength(1);
  home.clock.setWall(5 * HOUR_MS);
  expect((await svc(`requests repeat ${KEY}`)).exitCode).toBe(0);
});

it('a create asks for the time once in a boot of the machine, and not again', async () => {
  const { home, pay, service } = shop();
  let asked = 0;
  const counting: Transport = async (request, options) => {
    const answer = await service.transport(request, options);
    const isQuestion = request.method === 'GET' && request.url.includes('/v2/transactions/');
    if (isQuestion && answer.status === 404) asked += 1;
    return answer;
  };
  for (const key of ['invoice-1', 'invoice-2', 'invoice-3']) {
    expect((await pay(key, [], { transport: counting })).exitCode).toBe(0);
    expect(asked, key).toBe(1);
    home.clock.advance(30 * HOUR_MS);
  }
  home.clock.reboot();
  expect((await pay('invoice-4', [], { transport: counting })).exitCode).toBe(0);
  expect(asked).toBe(2);
});
