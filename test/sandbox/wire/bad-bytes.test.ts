/** Whatever is sent, the answer has the envelope and the server stays up. */
import { describe, expect, it } from 'vitest';
import { readEnvelope } from '../../../src/contract/errors.js';
import { dial, exchange, openServer, requestText, type Answer } from './wire.js';

const CLOSE = 'Connection: close';

function expectEnvelopes(
  answers: readonly Answer[],
  ...wanted: readonly [status: number, code: string][]
): void {
  expect(answers.map(({ status, body }) => [status, readEnvelope(JSON.parse(body))?.code])).toEqual(wanted);
  for (const { head } of answers) expect(head).toMatch(/^content-type: application\/json/im);
}

describe('bytes that are no request', () => {
  it.each<[string, string]>([
    ['a binary', '\u0016\u0003\u0001\u0002\u0000\u0001'],
    ['an unknown method', 'FROB / HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['a space before the colon', 'GET /v2/balances HTTP/1.1\r\nHost : localhost\r\n\r\n'],
    ['a bad length', 'POST /v2/payins HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n'],
    [
      'two lengths',
      'POST /v2/payins HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
    ],
  ])('%s', async (_, bytes) => {
    const { server } = await openServer();
    expectEnvelopes(await exchange(server.port, bytes), [400, 'body_invalid']);
    expectEnvelopes(await exchange(server.port, requestText('GET', '/x', [CLOSE])), [404, 'route_not_found']);
  });

  it('a broken chunk inside a body', async () => {
    const { server } = await openServer();
    const head = requestText('POST', '/sandbox/v2/payins', ['Transfer-Encoding: chunked']);
    const answers = await exchange(server.port, `${head}zz\r\n`);
    expectEnvelopes(answers, [400, 'body_invalid']);
  });
});

describe('the host', () => {
  it.each([
    ['none', 'GET /v2/balances HTTP/1.1\r\nConnection: close\r\n\r\n', 'field_required'],
    ['none in HTTP/0.9', 'GET /v2/balances\r\n\r\n', 'field_required'],
    ['none in HTTP/1.0', 'GET /v2/balances HTTP/1.0\r\n\r\n', 'field_required'],
  ])('%s is 400', async (_, bytes, code) => {
    const { server } = await openServer();
    expectEnvelopes(await exchange(server.port, bytes), [400, code]);
  });
});

describe('methods', () => {
  it('HEAD is 405 with Allow and no body', async () => {
    const { server } = await openServer();
    const { socket, ended } = dial(server.port);
    socket.write(requestText('HEAD', '/sandbox/v2/balances', [CLOSE]));
    const text = await ended;
    expect(text).toMatch(/^HTTP\/1\.1 405 .*\r\nAllow: GET\r\n/s);
    expect(text.endsWith('\r\n\r\n')).toBe(true);
  });

  it.each(['OPTIONS', 'PUT', 'DELETE', 'PATCH', 'TRACE'])(
    '%s is 405 with Allow; for other origins 403, and nobody is told of it',
    async (method) => {
      const served: string[] = [];
      const { server } = await openServer({ onServed: ({ target }) => void served.push(target) });
      const ask = (...headers: string[]) =>
        exchange(server.port, requestText(method, '/sandbox/v2/payins', [CLOSE, ...headers]));
      const answers = await ask('Access-Control-Request-Method: POST');
      expectEnvelopes(answers, [405, 'method_not_allowed']);
      expect(answers[0]!.head).toMatch(/^Allow: POST$/m);
      const foreign = await ask('Origin: https://example.com', 'Access-Control-Request-Method: POST');
      expectEnvelopes(foreign, [403, 'foreign_origin']);
      for (const { head } of [...answers, ...foreign]) expect(head).not.toMatch(/access-control/i);
      expect(served).toEqual(['/sandbox/v2/payins']);
    },
  );

  it('CONNECT opens no tunnel', async () => {
    const { server } = await openServer();
    const answers = await exchange(
      server.port,
      'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n',
    );
    expectEnvelopes(answers, [405, 'method_not_allowed']);
  });

  it('a client that resets its CONNECT ends nothing but its own connection', async () => {
    const { server } = await openServer();
    const clients = Array.from({ length: 50 }, () => dial(server.port));
    for (const { socket } of clients) {
      socket.write('CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n', () =>
        socket.resetAndDestroy(),
      );
    }
    await Promise.all(clients.map(({ ended }) => ended));
    expectEnvelopes(await exchange(server.port, requestText('GET', '/x', [CLOSE])), [404, 'route_not_found']);
  });

  it('an upgrade is not taken up', async () => {
    const { server } = await openServer();
    const headers = ['Connection: Upgrade, close', 'Upgrade: websocket'];
    const answers = await exchange(server.port, requestText('GET', '/sandbox/v2/balances', headers));
    expectEnvelopes(answers, [401, 'unauthorized']);
  });

  it('an expectation that nobody can meet is 417', async () => {
    const { server } = await openServer();
    const answers = await exchange(
      server.port,
      requestText('POST', '/sandbox/v2/payins', ['Expect: more'], '{}'),
    );
    expectEnvelopes(answers, [417, 'body_invalid']);
  });
});

describe('sizes', () => {
  it('a target over 16 KB is 431', async () => {
    const { server } = await openServer();
    const answers = await exchange(server.port, requestText('GET', `/v2/${'x'.repeat(17_000)}`));
    expectEnvelopes(answers, [431, 'body_invalid']);
  });

  it.each([
    ['with its length', (body: string) => [`Content-Length: ${String(body.length)}`, body] as const],
    [
      'in chunks',
      (body: string) =>
        ['Transfer-Encoding: chunked', `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`] as const,
    ],
  ])('a body over 1 MiB %s is 413, once its sender may send it at all', async (_, frame) => {
    const { server, sandbox } = await openServer();
    const [framing, body] = frame(`{"a":"${'x'.repeat(2 * 1024 * 1024)}"}`);
    const authorized = [
      `Authorization: Bearer ${sandbox.apiKey}`,
      'Idempotency-Key: key-of-the-test',
      framing,
    ];
    const path = '/sandbox/v2/payouts';
    expectEnvelopes(await exchange(server.port, requestText('POST', path, authorized) + body), [
      413,
      'body_invalid',
    ]);
    expectEnvelopes(await exchange(server.port, requestText('POST', path, [framing]) + body), [
      401,
      'unauthorized',
    ]);
  });
});

describe('slow senders', () => {
  it.each([
    ['headers', 'GET /v2/balances HTTP/1.1\r\nHost: local'],
    ['a body', requestText('POST', '/sandbox/v2/payins', ['Content-Length: 100'])],
  ])('of %s are cut off with 408', async (_, start) => {
    const { server } = await openServer({ headersTimeoutMs: 50, requestTimeoutMs: 50 });
    expectEnvelopes(await exchange(server.port, start), [408, 'body_invalid']);
  });
});
