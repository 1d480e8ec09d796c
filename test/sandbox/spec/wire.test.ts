import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { create, validBody } from '../support/bodies.js';
import { allEvents, balanceOf } from '../support/expectations.js';
import { openServedWorld } from '../support/served-world.js';

function exchangeBytes(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text));
    socket.end(bytes);
  });
}

function judge(text: string): { status: number; code: string } {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  expect(head.toLowerCase()).toMatch(/content-type: application\/json/);
  const json = JSON.parse(body.slice(body.indexOf('{'), body.lastIndexOf('}') + 1)) as {
    error: { code: string; message: string };
  };
  expect(json.error.message).toMatch(/\S/);
  return { status: Number(head.split(' ')[1]), code: json.error.code };
}

describe('bytes that are no request of ours', () => {
  const auth = (key: string): string => `Authorization: Bearer ${key}\r\nConnection: close\r\n`;
  const GET = 'GET /sandbox/v2/balances HTTP/1.1\r\n';
  const POST = 'POST /sandbox/v2/payouts HTTP/1.1\r\nHost: localhost\r\n';
  it.each<[string, (key: string) => string, number | null]>([
    ['no Host', (key) => `${GET}${auth(key)}\r\n`, 400],
    ['two Hosts', (key) => `${GET}Host: localhost\r\nHost: localhost\r\n${auth(key)}\r\n`, 400],
    ['a foreign Host', (key) => `${GET}Host: evil.example\r\n${auth(key)}\r\n`, 400],
    ['no HTTP', () => 'hello\r\n\r\n', 400],
    ['a bad version', () => 'GET / HTTP/9.9\r\nHost: localhost\r\n\r\n', 400],
    ['a header without a colon', () => 'GET / HTTP/1.1\r\nHost: localhost\r\nbroken\r\n\r\n', 400],
    [
      'headers over 16 KB',
      (key) => `${GET}Host: localhost\r\nX: ${'x'.repeat(20_000)}\r\n${auth(key)}\r\n`,
      431,
    ],
    [
      'CONNECT',
      () => 'CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\nConnection: close\r\n\r\n',
      null,
    ],
    ['an expectation', (key) => `${POST}Expect: nonsense\r\nContent-Length: 2\r\n${auth(key)}\r\n{}`, null],
    [
      'a body of both lengths',
      (key) => `${POST}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n${auth(key)}\r\n0\r\n\r\n`,
      400,
    ],
    ['OPTIONS *', () => 'OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n', 404],
    [
      'a body over 1 MiB',
      (key) =>
        `${POST}Idempotency-Key: a-key-of-mine\r\nContent-Length: 1048577\r\n${auth(key)}\r\n${'x'.repeat(1_048_577)}`,
      413,
    ],
  ])('%s gets the envelope', async (_name, bytes, status) => {
    const world = await openServedWorld();
    const answer = judge(await exchangeBytes(world.port, bytes(world.key)));
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    if (status !== null) expect(answer.status).toBe(status);
  });

  it('100-continue is honoured', async () => {
    const world = await openServedWorld();
    const body = JSON.stringify(await validBody(world, 'bank_transfer'));
    const head = `${POST}Expect: 100-continue\r\nIdempotency-Key: a-key-of-mine\r\nContent-Length: ${String(Buffer.byteLength(body))}\r\n${auth(world.key)}\r\n`;
    const text = await exchangeBytes(world.port, head + body);
    expect(text).toMatch(/HTTP\/1\.1 201/);
  });
});

describe('a fault on the wire', () => {
  it.each([
    ['drop-before', 0],
    ['drop-after', 1],
  ])('%s cuts the connection; carried out %i times', async (kind, times) => {
    const world = await openServedWorld();
    const body = await validBody(world, 'bank_transfer');
    await world.control('POST', '/faults', { route: 'payouts.create', kind });
    const call = { idempotencyKey: 'the-same-key' };
    await expect(world.post('/v2/payouts', body, call)).rejects.toThrow();
    expect(await allEvents(world)).toHaveLength(times);
    expect((await world.post('/v2/payouts', body, call)).status).toBe(201);
    expect(await allEvents(world)).toHaveLength(1);
  });

  it('delay holds the answer back', async () => {
    const world = await openServedWorld();
    await world.control('POST', '/faults', { route: 'balances', kind: 'delay', delay_ms: 5000 });
    let isAnswered = false;
    const answer = world.get('/v2/balances').then((reply) => {
      isAnswered = true;
      return reply;
    });
    // A later request is answered first: the delayed one waits for the clock, not for the connection.
    for (let asked = 0; asked < 5; asked++) await world.get('/v2/methods');
    expect(isAnswered).toBe(false);
    world.clock.advance(5000);
    expect((await answer).status).toBe(200);
  });
});

describe('racing requests', () => {
  it('with one key make one operation, and every caller gets it', async () => {
    const world = await openServedWorld();
    const body = await validBody(world, 'bank_transfer');
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => world.post('/v2/payouts', body, { idempotencyKey: 'the-same-key' })),
    );
    expect(new Set(replies.map(({ status, json }) => `${String(status)} ${json.id}`)).size).toBe(1);
    expect(replies[0]!.status).toBe(201);
    expect(await allEvents(world)).toHaveLength(1);
    expect((await balanceOf(world)).available).toBe('-100.00');
  });

  it('with one key and two bodies make one operation, and the other is told so', async () => {
    const world = await openServedWorld();
    const bodies = [
      await validBody(world, 'bank_transfer'),
      await validBody(world, 'bank_transfer', '12345678', '2.00'),
    ];
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        world.post('/v2/payouts', bodies[at % 2], { idempotencyKey: 'the-same-key' }),
      ),
    );
    expect(replies.map(({ status }) => status).sort()).toEqual([
      ...Array<number>(10).fill(201),
      ...Array<number>(10).fill(409),
    ]);
    expect(await allEvents(world)).toHaveLength(1);
  });

  it('conserve the money exactly', async () => {
    const world = await openServedWorld();
    await Promise.all(
      Array.from({ length: 300 }, (_, at) =>
        create(world, at % 3 === 0 ? 'direct_debit' : 'bank_transfer', {
          amount: '1.01',
          document: at % 3 === 1 ? '00000002' : '12345678',
        }),
      ),
    );
    expect(await balanceOf(world)).toEqual({ available: '-101.00', reserved: '101.00' });
  });
});
