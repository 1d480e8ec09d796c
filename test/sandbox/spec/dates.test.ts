import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { httpDate } from '../../../src/runtime/clock.js';
import { openSandbox } from '../../../src/sandbox/sandbox.js';
import { serve } from '../../../src/sandbox/server.js';
import { meddle } from '../../support/database-dump.js';
import { create, validBody } from '../support/bodies.js';
import { fakeClock, START_MS } from '../support/clock.js';
import type { Reply } from '../support/exchange.js';
import { seededRandom } from '../support/random.js';
import { openServedWorld } from '../support/served-world.js';
import { openWorld, type World } from '../support/world.js';
import { testFolder } from '../../support/test-folder.js';
import { dial, exchange, requestText } from '../wire/wire.js';

const MOVED_S = 400 * 86_400;
const MOVED = httpDate(START_MS + MOVED_S * 1000);

const fault =
  (fields: object) =>
  async (world: World): Promise<Reply> => {
    await world.control('POST', '/faults', { route: 'balances', ...fields });
    return world.get('/v2/balances');
  };

const ANSWERS: readonly (readonly [what: string, ask: (world: World) => Promise<Reply>, status: number])[] = [
  ['a read', (world) => world.get('/v2/balances'), 200],
  ['a create', (world) => create(world, 'bank_transfer'), 201],
  [
    'a replay',
    async (world) => {
      await create(world, 'bank_transfer', { idempotencyKey: 'the-same-key' });
      return create(world, 'bank_transfer', { idempotencyKey: 'the-same-key' });
    },
    201,
  ],
  ['a refused body', (world) => world.post('/v2/payouts', '[]', { idempotencyKey: 'a-key-of-mine' }), 400],
  ['a missing key', async (world) => world.post('/v2/payouts', await validBody(world, 'bank_transfer')), 400],
  ['a key that is not known', (world) => world.get('/v2/balances', { key: 'svc_test_x' }), 401],
  ['no key', (world) => world.get('/v2/balances', { key: null }), 401],
  [
    'a scope that is missing',
    async (world) => {
      const { api_key: key } = (await world.control('POST', '/keys', { scopes: [] })).json;
      return world.get('/v2/balances', { key });
    },
    403,
  ],
  ['a missing operation', (world) => world.get('/v2/payouts/6f1c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f'), 404],
  ['a route that is not there', (world) => world.get('/v2/nowhere'), 404],
  ['a method that is not allowed', (world) => world.post('/v2/balances'), 405],
  ['a foreign host', (world) => world.get('/v2/balances', { headers: [['Host', 'a.example']] }), 400],
  ['a status by a fault', fault({ status: 503 }), 503],
  ['a redirect by a fault', fault({ status: 302 }), 302],
  ['half an answer by a fault', fault({ kind: 'garbage', count: 2 }), 200],
  ['a page by a fault', fault({ kind: 'garbage', count: 1 }), 200],
  ['the state of the sandbox', (world) => world.control('GET', '/status'), 200],
  ['a control that is refused', (world) => world.control('POST', '/faults', {}), 400],
  ['a control that is not there', (world) => world.control('GET', '/nothing'), 404],
  ['a control by another method', (world) => world.control('GET', '/reset'), 405],
];

const WAYS = [
  ['the handler', openWorld],
  ['HTTP', openServedWorld],
] as const;

describe.each(WAYS)('over %s', (_way, open) => {
  it.each(ANSWERS)('%s', async (_what, ask, status) => {
    const world = await open();
    await world.control('POST', '/clock', { advance_seconds: MOVED_S });
    const reply = await ask(world);
    expect([reply.status, reply.headers['date']]).toEqual([status, MOVED]);
  });

  it('an answer that was held back', async () => {
    const clock = { ...fakeClock(), sleep: () => Promise.resolve() };
    const world = await open({ clock });
    await world.control('POST', '/clock', { advance_seconds: MOVED_S });
    const reply = await fault({ kind: 'delay', delay_ms: 5 })(world);
    expect(reply.headers['date']).toBe(MOVED);
  });

  it('a clock that is moved shows the time to which it was moved, and a reset the time after it', async () => {
    const world = await open();
    const moved = await world.control('POST', '/clock', { advance_seconds: MOVED_S });
    expect(moved.headers['date']).toBe(MOVED);
    const reset = await world.control('POST', '/reset', {});
    expect(reset.headers['date']).toBe(httpDate(START_MS));
  });
});

async function moved(store = ':memory:', requestTimeoutMs?: number): Promise<number> {
  const clock = fakeClock();
  const sandbox = openSandbox({ store, clock, random: seededRandom() });
  const limits = requestTimeoutMs === undefined ? {} : { requestTimeoutMs };
  const server = await serve(sandbox, { port: 0, clock, ...limits });
  onTestFinished(async () => {
    await server.close();
    sandbox.close();
  });
  await exchange(server.port, advance());
  return server.port;
}

function advance(): string {
  const body = JSON.stringify({ advance_seconds: MOVED_S });
  return requestText('POST', '/_control/clock', ['Connection: close'], body);
}

function datesOf(head: string): string[] {
  return [...head.matchAll(/^date: (.*?)\r?$/gim)].map(([, date = '']) => date);
}

describe('on the wire', () => {
  it.each<[string, string, number]>([
    ['bytes that are no request', 'hello\r\n\r\n', 400],
    ['a tunnel', 'CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n', 405],
    ['an expectation', requestText('POST', '/sandbox/v2/payins', ['Expect: more'], '{}'), 417],
    ['a method without a body', requestText('HEAD', '/sandbox/v2/balances', ['Connection: close']), 405],
  ])('%s', async (_what, bytes, status) => {
    const port = await moved();
    const { socket, ended } = dial(port);
    socket.write(bytes);
    const text = await ended;
    expect(text).toMatch(new RegExp(`^HTTP/1.1 ${String(status)} `));
    expect(datesOf(text)).toEqual([MOVED]);
  });

  it('a sender that is too slow', async () => {
    const port = await moved(':memory:', 50);
    const answers = await exchange(port, 'GET /v2/balances HTTP/1.1\r\nHost: local');
    expect(answers.map(({ status, head }) => [status, datesOf(head)])).toEqual([[408, [MOVED]]]);
  });

  it('a body over 1 MiB that is refused before it ends', async () => {
    const port = await moved();
    const head = requestText('POST', '/sandbox/v2/payins', [`Content-Length: ${String(2 ** 21)}`]);
    const answers = await exchange(port, head + 'x'.repeat(2 ** 21));
    expect(answers.map(({ status, head }) => [status, datesOf(head)])).toEqual([[401, [MOVED]]]);
  });

  it('a store that can’t be read any more: its clock is where it was last seen', async () => {
    const store = join(testFolder(), 'sandbox.db');
    const port = await moved(store);
    const refused = async (): Promise<unknown> => {
      const [answer] = await exchange(port, 'hello\r\n\r\n');
      return datesOf(answer!.head);
    };
    expect(await refused()).toEqual([MOVED]);
    meddle(store, 'DROP TABLE meta');
    const answers = await exchange(port, requestText('GET', '/sandbox/v2/balances', ['Connection: close']));
    expect(answers.map(({ status, head }) => [status, datesOf(head)])).toEqual([[503, [MOVED]]]);
    expect(await refused()).toEqual([MOVED]);
  });
});
