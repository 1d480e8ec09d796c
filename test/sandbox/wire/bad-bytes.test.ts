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

const BALANCES = '/sandbox/v2/balances';
const CONNECT = 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n';
const postText = (...lines: string[]): string =>
  ['POST /v2/payins HTTP/1.1', 'Host: localhost', ...lines].join('\r\n');

it.each<[string, string, number, string]>([
  ['a binary', '\u0016\u0003\u0001\u0002\u0000\u0001', 400, 'body_invalid'],
  ['an unknown method', 'FROB / HTTP/1.1\r\nHost: localhost\r\n\r\n', 400, 'body_invalid'],
  ['a space before the colon', 'GET /v2/x HTTP/1.1\r\nHost : localhost\r\n\r\n', 400, 'body_invalid'],
  ['a bad length', postText('Content-Length: x', '', ''), 400, 'body_invalid'],
  ['two lengths', postText('Content-Length: 1', 'Content-Length: 2', '', 'ab'), 400, 'body_invalid'],
  ['a broken chunk', postText('Transfer-Encoding: chunked', '', 'zz', ''), 400, 'body_invalid'],
  ['no host in HTTP/0.9', 'GET /v2/balances\r\n\r\n', 400, 'field_required'],
  ['no host in HTTP/1.0', 'GET /v2/balances HTTP/1.0\r\n\r\n', 400, 'field_required'],
  ['a tunnel', CONNECT, 405, 'method_not_allowed'],
  ['an upgrade', requestText('GET', BALANCES, [`${CLOSE}, Upgrade`, 'Upgrade: x']), 401, 'unauthorized'],
  ['an expectation', requestText('POST', '/sandbox/v2/payins', ['Expect: x'], '{}'), 417, 'body_invalid'],
  ['two hosts', requestText('GET', BALANCES, ['Host: localhost', CLOSE]), 400, 'field_invalid'],
  ['a foreign host', `GET / HTTP/1.1\r\nHost: evil.example\r\n${CLOSE}\r\n\r\n`, 400, 'field_invalid'],
  ['a bad version', 'GET / HTTP/9.9\r\nHost: localhost\r\n\r\n', 400, 'body_invalid'],
  [
    'a length and chunks',
    postText('Content-Length: 1', 'Transfer-Encoding: chunked', '', ''),
    400,
    'body_invalid',
  ],
  ['options', `OPTIONS * HTTP/1.1\r\nHost: localhost\r\n${CLOSE}\r\n\r\n`, 404, 'route_not_found'],
  ['a target over 16 KB', requestText('GET', `/v2/${'x'.repeat(17_000)}`), 431, 'body_invalid'],
])('%s gets the envelope, and the next one its answer', async (_, bytes, status, code) => {
  const { server } = await openServer();
  expectEnvelopes(await exchange(server.port, bytes), [status, code]);
  expectEnvelopes(await exchange(server.port, requestText('GET', '/x', [CLOSE])), [404, 'route_not_found']);
});

it('100-continue is honoured', async () => {
  const { server } = await openServer();
  const text = requestText('POST', '/sandbox/v2/payins', ['Expect: 100-continue', CLOSE], '{}');
  expect((await exchange(server.port, text)).map(({ status }) => status)).toEqual([100, 401]);
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

  it('a client that resets its CONNECT ends nothing but its own connection', async () => {
    const { server } = await openServer();
    const clients = Array.from({ length: 50 }, () => dial(server.port));
    for (const { socket } of clients) socket.write(CONNECT, () => socket.resetAndDestroy());
    await Promise.all(clients.map(({ ended }) => ended));
    expectEnvelopes(await exchange(server.port, requestText('GET', '/x', [CLOSE])), [404, 'route_not_found']);
  });
});

describe('sizes', () => {
  const large = `{"a":"${'x'.repeat(2 * 1024 * 1024)}"}`;
  it.each([
    [`Content-Length: ${String(large.length)}`, large],
    ['Transfer-Encoding: chunked', `${large.length.toString(16)}\r\n${large}\r\n0\r\n\r\n`],
  ])('a body over 1 MiB with %s is 413, once its sender may send it at all', async (framing, body) => {
    const { server, sandbox } = await openServer();
    const may = [`Authorization: Bearer ${sandbox.apiKey}`, 'Idempotency-Key: key-of-the-test'];
    const answerTo = (headers: string[]): Promise<Answer[]> =>
      exchange(server.port, requestText('POST', '/sandbox/v2/payouts', headers) + body);
    expectEnvelopes(await answerTo([...may, framing]), [413, 'body_invalid']);
    expectEnvelopes(await answerTo([framing]), [401, 'unauthorized']);
  });
});

describe('slow senders', () => {
  it.each([
    ['headers', 'GET /v2/balances HTTP/1.1\r\nHost: local'],
    ['a body', requestText('POST', '/sandbox/v2/payins', ['Content-Length: 100'])],
  ])('of %s are cut off with 408', async (_, start) => {
    const { server } = await openServer({ requestTimeoutMs: 50 });
    expectEnvelopes(await exchange(server.port, start), [408, 'body_invalid']);
  });
});
