import { EventEmitter, once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/runtime/clock.js';
import { PAYOUT } from '../store/request.js';
import { openServedWorld } from '../support/served-world.js';
import type { World } from '../support/world.js';

interface Told {
  readonly event: string;
  readonly data: Record<string, number | string>;
}

const open = (): Promise<World> => openServedWorld({ clock: systemClock });

async function watch(world: World, headers: Record<string, string> = {}) {
  const outgoing = httpRequest({ port: world.port, host: '127.0.0.1', path: '/_control/stream', headers });
  onTestFinished(() => void outgoing.destroy());
  outgoing.end();
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  const told: Told[] = [];
  const heard = new EventEmitter().setMaxListeners(0);
  let text = '';
  const ended = new Promise<void>((end) => answer.on('close', () => end()));
  answer.on('error', () => undefined);
  answer.on('data', (chunk: Buffer) => {
    const blocks = (text + chunk.toString()).split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const [, event, data] = /event: (\w+)\ndata: (.*)$/.exec(block) ?? [];
      if (event !== undefined) told.push({ event, data: JSON.parse(data ?? '') as Told['data'] });
    }
    heard.emit('more');
  });
  const until = async (fits: (told: Told) => boolean): Promise<Told> => {
    for (;;) {
      const hit = told.find(fits);
      if (hit !== undefined) return hit;
      await once(heard, 'more');
    }
  };
  return { answer, told, until, ended };
}

const isChanged = ({ event }: Told): boolean => event === 'changed';

describe('a reader', () => {
  it('is greeted, told where everything stands, and then of each change', async () => {
    const world = await open();
    await world.get('/v2/balances');
    const { answer, told, until } = await watch(world);
    expect(answer.headers['content-type']).toBe('text/event-stream');
    await until(isChanged);
    const [hello, first] = told;
    const pid = expect.any(Number) as number;
    const data = { pid, started_at: expect.stringMatching(/Z$/) as string };
    expect(hello).toEqual({ event: 'hello', data });
    const begin = first?.data ?? {};
    const names = ['clock', 'companies', 'deliveries', 'faults', 'operations', 'requests'];
    expect(Object.keys(begin).sort()).toEqual(names);
    expect(begin['requests']).toBe(1);
    const grows = async (names: string[], work: () => Promise<unknown>): Promise<void> => {
      const before = told.at(-1)?.data ?? {};
      await work();
      const isMore = (name: string, now: Told['data']) => Number(now[name]) > Number(before[name]);
      const { data } = await until((told) => names.every((name) => isMore(name, told.data)));
      for (const [name, count] of Object.entries(data))
        if (!names.includes(name)) expect([name, count]).toEqual([name, before[name]]);
    };
    await grows(['requests'], () => world.get('/v2/balances'));
    const keyed = { idempotencyKey: 'key-of-the-test' };
    await grows(['requests', 'operations'], () => world.post('/v2/payouts', PAYOUT, keyed));
    await grows(['faults'], () => world.control('POST', '/faults', { route: '*', status: 503 }));
    await grows(['clock'], () => world.control('POST', '/clock', { advance_seconds: 1 }));
    await grows(['companies'], () => world.control('POST', '/keys', {}));
    await grows(names.slice(0, -1), () => world.control('POST', '/reset'));
  });

  it('is no request of the log, and asking for what is there tells nothing', async () => {
    const world = await open();
    const { told, until } = await watch(world);
    await until(isChanged);
    await world.control('GET', '/operations');
    await world.control('GET', '/requests');
    await world.control('POST', '/faults', { route: '*', status: 503 });
    await until(({ data }) => data['faults'] === 1);
    expect(told.filter(isChanged)).toHaveLength(2);
    expect((await world.control('GET', '/requests')).json).toEqual({ requests: [], next: null });
  });

  it('is one of many', async () => {
    const world = await open();
    const all = await Promise.all(Array.from({ length: 20 }, () => watch(world)));
    await world.get('/v2/balances');
    await Promise.all(all.map(({ until }) => until(({ data }) => data['requests'] === 1)));
  });

  it('of more than enough is sent away', async () => {
    const world = await open();
    const all = await Promise.all(Array.from({ length: 201 }, () => watch(world)));
    expect(all.map(({ answer }) => answer.statusCode).filter((status) => status === 503)).toHaveLength(1);
  });

  it.each([
    ['of another host', { host: 'evil.example' }, 400],
    ['of a page of another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['of a page of another origin', { origin: 'http://evil.example' }, 403],
    ['of our own page', { 'sec-fetch-site': 'same-origin' }, 200],
  ])('%s', async (_, headers, status) => {
    const world = await open();
    expect((await watch(world, headers)).answer.statusCode).toBe(status);
  });

  it('asks by GET', async () => {
    const world = await open();
    const reply = await world.control('POST', '/stream', {});
    expect([reply.status, reply.headers['allow']]).toEqual([405, 'GET']);
  });

  it('that does not read holds nothing, and gets the newest when it reads again', async () => {
    const world = await open();
    const socket = connect(world.port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.write('GET /_control/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    socket.pause();
    const { until } = await watch(world);
    for (let made = 1; made <= 30; made += 1) {
      await world.get('/v2/balances');
      await until(({ data }) => Number(data['requests']) >= made);
    }
    expect(await lastCount(socket)).toBe(30);
  });

  it('is let go when the server stops', async () => {
    const world = await open();
    const { ended, until } = await watch(world);
    await until(isChanged);
    await world.close();
    await ended;
  });
});

function lastCount(socket: Socket): Promise<number> {
  return new Promise((resolve) => {
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const counts = [...text.matchAll(/"requests":(\d+)/g)].map(([, count]) => Number(count));
      if (counts.at(-1) === 30) resolve(30);
    });
    socket.resume();
  });
}
