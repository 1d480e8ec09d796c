import { connect, createServer, type Socket } from 'node:net';
import tls from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createUndiciTransport, type UndiciOptions, type UndiciTransport } from '../../src/client/undici.js';
import { systemClock } from '../../src/runtime/clock.js';
import { NotAnswered, type HttpRequest } from '../../src/runtime/transport.js';
import { CERTIFICATE, tlsServer } from './tls-server.js';
import { bodyOf, headerOfRequest, http, wireServer, type Behaviour } from './wire-server.js';

const opened: UndiciTransport[] = [];

afterEach(async () => await Promise.all(opened.splice(0).map((transport) => transport.close())));

function transportWith(options: Partial<UndiciOptions> = {}): UndiciTransport {
  const transport = createUndiciTransport({ clock: systemClock, ...options });
  opened.push(transport);
  return transport;
}

function get(url: string): HttpRequest {
  return { method: 'GET', url, headers: { accept: 'application/json' }, body: null };
}

function post(url: string, body = '{"amount":"1.10"}'): HttpRequest {
  return {
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json', 'idempotency-key': 'k'.repeat(32) },
    body: Buffer.from(body),
  };
}

async function failureOf(sending: Promise<unknown>): Promise<NotAnswered> {
  const error: unknown = await sending.then(
    () => new Error('it was answered'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof NotAnswered)) throw error;
  return error;
}

const failing = (request: HttpRequest, options: Partial<UndiciOptions> = {}, limits: object = {}) =>
  failureOf(transportWith(options).send(request, { timeoutMs: 5000, ...limits }));
const OK = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = 'transfer-encoding: chunked\r\n\r\n';
const REFUSED = 'HTTP/1.1 400 Bad Request\r\n\r\n';
const throughProxy = (https: string, except = '') => ({ proxy: { name: 'HTTPS_PROXY', https, except } });
const onConnection = (meets: (socket: Socket) => unknown) =>
  wireServer(() => undefined, { onConnection: (socket) => void meets(socket) });

async function meet(
  behave: Behaviour,
  request: (url: string) => HttpRequest = get,
  timeoutMs = 5000,
): Promise<Pick<NotAnswered, 'reason' | 'wasSent'>> {
  await using server = await wireServer(behave);
  const { reason, wasSent } = await failureOf(
    transportWith().send(request(`${server.url}/v2/balances`), { timeoutMs }),
  );
  return { reason, wasSent };
}

describe('an answer', () => {
  it('comes back with its status, its headers in order, and its bytes untouched', async () => {
    const bytes = Buffer.from('{ "n": 1.10, "big": 12345678901234567890, "s": "\\u00e9" }\n');
    await using server = await wireServer((socket) =>
      socket.write(http(201, bytes, { 'X-One': '1', 'x-two': 'é' })),
    );
    const answer = await transportWith().send(post(`${server.url}/v2/payins?x=1%2F2`), { timeoutMs: 5000 });
    expect(answer.status).toBe(201);
    expect(Buffer.from(answer.body).equals(bytes)).toBe(true);
    expect(answer.headers.slice(1)).toEqual([
      ['X-One', '1'],
      ['x-two', Buffer.from('é').toString('latin1')],
    ]);
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]).toMatch(/^POST \/v2\/payins\?x=1%2F2 HTTP\/1\.1\r\n/);
    expect(headerOfRequest(server.requests[0]!, 'idempotency-key')).toBe('k'.repeat(32));
    expect(bodyOf(server.requests[0]!)).toBe('{"amount":"1.10"}');
  });

  it('may arrive in chunks, byte by byte, after an informational one', async () => {
    await using server = await wireServer((socket) => {
      const text =
        'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n';
      for (const byte of Buffer.from(text)) socket.write(Buffer.from([byte]));
    });
    const answer = await transportWith().send(get(`${server.url}/v2/banks`), { timeoutMs: 5000 });
    expect([answer.status, Buffer.from(answer.body).toString()]).toEqual([200, '{}']);
  });

  it('may be exactly 8 MiB long', async () => {
    const body = Buffer.alloc(8 * 1024 * 1024, 0x20);
    await using server = await wireServer((socket) => socket.write(http(200, body)));
    const answer = await transportWith().send(get(`${server.url}/v2/events`), { timeoutMs: 10_000 });
    expect(answer.body.length).toBe(body.length);
  });

  it('of 200 requests at once uses at most the connections of the pool, each answer for its own request', async () => {
    await using server = await wireServer((socket, _count, request) =>
      socket.write(http(200, request.split(' ', 2)[1] ?? '')),
    );
    const transport = transportWith({ connections: 4 });
    const numbers = Array.from({ length: 200 }, (_, number) => number);
    const bodies = await Promise.all(
      numbers.map(async (number) => {
        const answer = await transport.send(get(`${server.url}/${number}`), { timeoutMs: 5000 });
        return Buffer.from(answer.body).toString();
      }),
    );
    expect(bodies).toEqual(numbers.map((number) => `/${number}`));
    expect(server.connections()).toBeLessThanOrEqual(4);
  });
});

describe('certainly not sent', () => {
  it('is a port where nobody listens', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    await new Promise((resolve) => server.close(resolve));
    const failure = await failing(post(`http://127.0.0.1:${port}/v2/payins`));
    expect(failure).toMatchObject({ reason: 'connect', wasSent: false });
  });

  it('is a name that does not resolve', async () => {
    const failure = await failing(post('http://nobody.invalid/v2/payins'));
    expect(failure).toMatchObject({ reason: 'name', wasSent: false });
  });

  it.each(['localhost', '127.0.0.1'])('is a handshake with a port that speaks no TLS (%s)', async (host) => {
    await using server = await onConnection((socket) => socket.write(REFUSED));
    const failure = await failing(post(`https://${host}:${server.port}/v2/payins`));
    expect(failure).toMatchObject({ reason: 'tls', wasSent: false });
  });

  it('is a handshake that the other side resets', async () => {
    await using server = await onConnection((socket) => socket.once('data', () => socket.resetAndDestroy()));
    const failure = await failing(post(`https://127.0.0.1:${server.port}/v2/payins`));
    expect(failure).toMatchObject({ reason: 'tls', wasSent: false });
  });

  it('is a handshake that never ends, when the time for the exchange is up', async () => {
    await using server = await wireServer(() => undefined);
    const failure = await failureOf(
      transportWith().send(post(`https://127.0.0.1:${server.port}/v2/payins`), { timeoutMs: 60 }),
    );
    expect(failure).toMatchObject({ reason: 'timeout', wasSent: false });
    expect(server.requests).toEqual([]);
  });

  it('is a handshake that outlasts the time for connecting', async () => {
    await using server = await wireServer(() => undefined);
    const failure = await failing(
      post(`https://127.0.0.1:${server.port}/v2/payins`),
      { connectTimeoutMs: 50 },
      { timeoutMs: 15_000 },
    );
    expect(failure).toMatchObject({ wasSent: false });
  });

  it('is a call that was aborted before it began: not even a connection', async () => {
    await using server = await wireServer((socket) => socket.write(http(200, '{}')));
    const failure = await failing(post(server.url), {}, { signal: AbortSignal.abort() });
    expect(failure).toMatchObject({ reason: 'aborted', wasSent: false });
    expect(server.connections()).toBe(0);
  });

  it('is a header that cannot be written', async () => {
    const request = { ...get('http://127.0.0.1:9/v2/banks'), headers: { authorization: 'Bearer a\r\nb: c' } };
    const failure = await failing(request);
    expect(failure).toMatchObject({ reason: 'malformed', wasSent: false });
  });
});

describe('unknown', () => {
  it('is a reset before the body was read', async () => {
    await using server = await wireServer(() => undefined, {
      onConnection: (socket) => {
        socket.pause();
        setTimeout(() => socket.resetAndDestroy(), 20);
      },
    });
    const failure = await failing(post(`${server.url}/v2/payins`, 'x'.repeat(200_000)));
    expect(failure).toMatchObject({ reason: 'reset', wasSent: true });
  });

  it.each([
    ['reset', (socket) => socket.resetAndDestroy()],
    ['end', (socket) => socket.end()],
  ] as [string, Behaviour][])(
    'is a connection that ends after the request was read (%s)',
    async (_name, behave) => expect(await meet(behave, post)).toEqual({ reason: 'reset', wasSent: true }),
  );

  it('is a kept connection that is cut under the second request, which is not sent again behind our back', async () => {
    await using server = await wireServer((socket, count) => {
      if (count === 1) socket.write(http(200, '{}'));
      else socket.resetAndDestroy();
    });
    const transport = transportWith();
    await transport.send(get(server.url), { timeoutMs: 5000 });
    const failure = await failureOf(transport.send(post(server.url), { timeoutMs: 5000 }));
    expect(failure).toMatchObject({ reason: 'reset', wasSent: true });
    expect(server.requests).toHaveLength(2);
  });

  it('is silence until the time is up', async () => {
    expect(await meet(() => undefined, post, 60)).toEqual({ reason: 'timeout', wasSent: true });
  });

  it('is an answer whose body takes longer than the time there is', async () => {
    const slow: Behaviour = (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{"a"');
    expect(await meet(slow, post, 60)).toEqual({ reason: 'timeout', wasSent: true });
  });

  it('is an interruption after the request left', async () => {
    const interrupt = new AbortController();
    await using server = await wireServer(() => interrupt.abort());
    const failure = await failing(post(server.url), {}, { signal: interrupt.signal });
    expect(failure).toMatchObject({ reason: 'aborted', wasSent: true });
  });
});

describe('an answer that is not whole, or not what was asked for', () => {
  const cases: [string, NotAnswered['reason'], string | Buffer][] = [
    [
      'shorter than it says, on a connection that stays open',
      'truncated',
      `${OK}content-length: 20\r\n\r\n{}`,
    ],
    [
      'shorter than it says, on one that closes',
      'truncated',
      `${OK}connection: close\r\ncontent-length: 20\r\n\r\n{}`,
    ],
    ['cut in the middle of a chunk', 'truncated', `${OK}${CHUNKED}ff\r\n{"a"`],
    [
      'a refusal that is cut',
      'truncated',
      'HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\ncontent-length: 20\r\n\r\n{"error"',
    ],
    ['cut between chunks', 'truncated', `${OK}connection: close\r\n${CHUNKED}2\r\n{}\r\n`],
    ['cut in its headers', 'reset', 'HTTP/1.1 200 OK\r\ncontent-le'],
    ['chunked with a length that is none', 'malformed', `${OK}${CHUNKED}zz\r\n{}\r\n0\r\n\r\n`],
    ['no HTTP at all', 'malformed', 'SSH-2.0-OpenSSH_9.9\r\n'],
    [
      'compressed',
      'encoding',
      http(200, gzipSync(Buffer.alloc(50 * 1024 * 1024, 0x20)), { 'content-encoding': 'gzip' }),
    ],
    ['announced as larger than 8 MiB', 'too_large', 'HTTP/1.1 200 OK\r\ncontent-length: 9437184\r\n\r\n{'],
    ['larger than 8 MiB', 'too_large', chunked(Buffer.alloc(9 * 1024 * 1024, 0x20))],
    [
      'headed by more than 16 KiB',
      'too_large',
      `${OK}${`x-h: ${'y'.repeat(1000)}\r\n`.repeat(20)}content-length: 2\r\n\r\n{}`,
    ],
  ];

  it.each(cases)('%s', async (_name, reason, bytes) => {
    expect(await meet((socket) => socket.end(bytes), post)).toEqual({ reason, wasSent: true });
  });

  it('is not read to its end where it is too large', async () => {
    let written = 0;
    const flood: Behaviour = (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      const block = chunkOf(Buffer.alloc(256 * 1024, 0x20));
      const pour = (): void => {
        while (!socket.destroyed && socket.writable) {
          written += block.length;
          if (!socket.write(block)) {
            socket.once('drain', pour);
            return;
          }
        }
      };
      pour();
    };
    expect(await meet(flood, get)).toEqual({ reason: 'too_large', wasSent: true });
    expect(written).toBeLessThan(40 * 1024 * 1024);
  });
});

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])(
    '%i is an answer like any other: nothing goes to the new host',
    async (status) => {
      await using elsewhere = await wireServer((socket) => socket.write(http(200, '{}')));
      await using server = await wireServer((socket) =>
        socket.write(http(status, '', { location: `${elsewhere.url}/v2/payins` })),
      );
      const answer = await transportWith().send(post(`${server.url}/v2/payins`), { timeoutMs: 5000 });
      expect(answer.status).toBe(status);
      expect(elsewhere.connections()).toBe(0);
      expect(server.requests).toHaveLength(1);
    },
  );
});

describe('TLS', () => {
  const INSECURE = 'NODE_TLS_REJECT_UNAUTHORIZED';

  afterEach(() => vi.unstubAllEnvs());

  it('is spoken with a server whose certificate is given', async () => {
    await using server = await tlsServer();
    const transport = transportWith({ ca: CERTIFICATE });
    const answer = await transport.send(post(`https://localhost:${server.port}/v2/payins`), {
      timeoutMs: 5000,
    });
    expect(answer.status).toBe(200);
    expect(server.received()).toContain('"amount":"1.10"');
  });

  it.each(['1', '0'])(
    'is not spoken with one that nobody vouches for, whatever the environment says (%s)',
    async (value) => {
      vi.stubEnv(INSECURE, value);
      await using server = await tlsServer();
      const failure = await failing(post(`https://localhost:${server.port}/v2/payins`));
      expect(failure).toMatchObject({ reason: 'tls', wasSent: false });
      expect(server.received()).toBe('');
    },
  );

  it('is not spoken with one whose certificate is for another name', async () => {
    await using server = await tlsServer();
    const failure = await failing(post(`https://127.0.0.2:${server.port}/v2/payins`), { ca: CERTIFICATE });
    expect(failure).toMatchObject({ wasSent: false });
    expect(server.received()).toBe('');
  });

  it.each([
    ['TLSv1.1', 'tls'],
    ['TLSv1.2', null],
  ] as const)('is at least 1.2, whatever Node was told: with a server of %s', async (version, reason) => {
    const { DEFAULT_MIN_VERSION: least, DEFAULT_CIPHERS: ciphers } = tls;
    onTestFinished(() => void Object.assign(tls, { DEFAULT_MIN_VERSION: least, DEFAULT_CIPHERS: ciphers }));
    Object.assign(tls, { DEFAULT_MIN_VERSION: 'TLSv1', DEFAULT_CIPHERS: 'DEFAULT@SECLEVEL=0' });
    await using server = await tlsServer(version);
    const sending = transportWith({ ca: CERTIFICATE }).send(
      get(`https://localhost:${server.port}/v2/banks`),
      { timeoutMs: 5000 },
    );
    if (reason === null) expect((await sending).status).toBe(200);
    else expect(await failureOf(sending)).toMatchObject({ reason, wasSent: false });
  });
});

describe('a proxy', () => {
  it('opens a tunnel and sees nothing of what goes through it', async () => {
    await using server = await tlsServer();
    let seen = '';
    await using proxy = await wireServer((socket, count) => {
      if (count > 1) return;
      const onward = connect(server.port, '127.0.0.1', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
      socket.on('data', (chunk) => (seen += chunk.toString('latin1')));
      socket.pipe(onward).pipe(socket);
    });
    const transport = transportWith({ ca: CERTIFICATE, ...throughProxy(proxy.url) });
    const answer = await transport.send(post(`https://localhost:${server.port}/v2/payins`), {
      timeoutMs: 5000,
    });
    expect(answer.status).toBe(200);
    expect(proxy.requests[0]).toMatch(new RegExp(`^CONNECT localhost:${server.port} `));
    expect(server.received()).toContain('"amount":"1.10"');
    expect(seen).not.toMatch(/amount|idempotency/);
    expect(seen.length).toBeGreaterThan(100);
  });

  it('does not vouch for the server behind it', async () => {
    await using server = await tlsServer();
    await using proxy = await wireServer((socket, count) => {
      if (count > 1) return;
      const onward = connect(server.port, '127.0.0.1', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
      socket.pipe(onward).pipe(socket);
    });
    const transport = transportWith(throughProxy(proxy.url));
    const failure = await failureOf(
      transport.send(post(`https://localhost:${server.port}/v2/payins`), { timeoutMs: 5000 }),
    );
    expect(failure).toMatchObject({ reason: 'tls', wasSent: false });
    expect(failure.message).toMatch(/^the certificate of localhost:\d+ comes from an authority/);
    expect(server.received()).toBe('');
  });

  it('that refuses the tunnel means that nothing was sent', async () => {
    await using proxy = await wireServer((socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'));
    const transport = transportWith(throughProxy(proxy.url));
    const failure = await failureOf(
      transport.send(post('https://api.invalid/v2/payins'), { timeoutMs: 5000 }),
    );
    expect(failure).toMatchObject({ reason: 'connect', wasSent: false });
    expect(proxy.requests[0]).toMatch(/^CONNECT api\.invalid:443 /);
    expect(proxy.requests.join('')).not.toMatch(/idempotency|amount/i);
  });

  it('is not asked for http, nor for an excepted host', async () => {
    await using proxy = await wireServer((socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'));
    await using server = await wireServer((socket) => socket.write(http(200, '{}')));
    const transport = transportWith(throughProxy(proxy.url, '.invalid'));
    expect((await transport.send(get(server.url), { timeoutMs: 5000 })).status).toBe(200);
    const failure = await failureOf(transport.send(get('https://api.invalid/v2/banks'), { timeoutMs: 5000 }));
    expect(failure).toMatchObject({ wasSent: false });
    expect(proxy.connections()).toBe(0);
  });
});

describe('what is said where there is no connection', () => {
  const says = async (url: string, options: Partial<UndiciOptions> = {}): Promise<string> =>
    (await failureOf(transportWith(options).send(post(url), { timeoutMs: 5000 }))).message;

  it.each<[string, string | ((socket: Socket) => void), RegExp]>([
    ['plain HTTP', 'HTTP/1.1 400 Bad Request\r\n\r\n', /^127\.0\.0\.1:\d+ does not speak TLS$/],
    ['SSH', 'SSH-2.0-OpenSSH_9.9\r\n', /does not speak TLS$/],
    ['PostgreSQL', 'E\0\0\0\x10no pg_hba entry\0', /does not speak TLS$/],
    ['an echo', (socket) => socket.pipe(socket), /does not speak TLS$/],
    ['nothing', (socket) => socket.end(), /^127\.0\.0\.1:\d+ cut the connection$/],
    ['a reset', (socket) => socket.once('data', () => socket.resetAndDestroy()), /cut the connection$/],
  ])('of a port that speaks %s', async (_name, speaks, said) => {
    await using server = await onConnection((socket) =>
      typeof speaks === 'string' ? socket.write(speaks) : speaks(socket),
    );
    expect(await says(`https://127.0.0.1:${server.port}/`)).toMatch(said);
  });

  it('of a certificate that nobody here knows names what says whom to trust', async () => {
    await using server = await tlsServer();
    const url = `https://localhost:${server.port}/`;
    const what = `the certificate of localhost:${server.port} comes from an authority that this machine does not know`;
    expect(await says(url)).toBe(`${what}: --ca-file FILE or NODE_EXTRA_CA_CERTS=FILE says whom to trust`);
    const resolveName = () => Promise.resolve(['127.0.0.1']);
    expect(await says(url, { resolveName })).toBe(`${what}: NODE_EXTRA_CA_CERTS=FILE says whom to trust`);
  });

  it('of a certificate for another name, and of a TLS that is too old', async () => {
    await using server = await tlsServer();
    const resolveName = () => Promise.resolve(['127.0.0.1']);
    const url = `https://shop.example:${server.port}/`;
    expect(await says(url, { ca: CERTIFICATE, resolveName })).toBe(
      `the certificate of shop.example:${server.port} is for another name`,
    );
    await using old = await tlsServer('TLSv1.1');
    expect(await says(`https://localhost:${old.port}/`, { ca: CERTIFICATE })).toBe(
      `localhost:${old.port} speaks only TLS older than 1.2`,
    );
  });

  it('of a name, a port and a host that does not answer', async () => {
    expect(await says('http://nobody.invalid/')).toMatch(
      /^no name server (knows|answered for) nobody\.invalid$/,
    );
    expect(await says('http://127.0.0.1:9/')).toBe('no program listens at 127.0.0.1:9');
    await using server = await wireServer(() => undefined);
    expect(await says(`https://127.0.0.1:${server.port}/`, { connectTimeoutMs: 50 })).toBe(
      `127.0.0.1:${server.port} did not answer in time`,
    );
  });

  it.each<[string, (socket: Socket) => void, string]>([
    [
      'wants a password',
      (socket) => socket.end('HTTP/1.1 407 No\r\n\r\n'),
      ' answered 407, because it wants a user name and a password',
    ],
    ['has no way there', (socket) => socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'), ' answered 502'],
    ['forbids it', (socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'), ' answered 403'],
    ['hangs up', (socket) => socket.end(), ' cut the connection'],
    ['is none', (socket) => socket.end('SSH-2.0-OpenSSH\r\n'), ' does not speak HTTP'],
    ['says nothing', () => undefined, ' did not answer in time'],
  ])('of a proxy that %s', async (_name, behave, said) => {
    await using server = await wireServer(behave);
    const proxy = { name: 'https_proxy', https: server.url.replace('//', '//user:pw@'), except: '' };
    expect(await says('https://api.invalid/', { proxy, connectTimeoutMs: 500 })).toBe(
      `the proxy 127.0.0.1:${server.port} (https_proxy)${said}`,
    );
  });

  it.each([
    [
      'http://127.0.0.1:9',
      /^the proxy 127\.0\.0\.1:9 \(HTTPS_PROXY\) cannot be reached: no program listens at 127\.0\.0\.1:9$/,
    ],
    [
      'http://proxy.invalid:3128',
      /^the proxy proxy\.invalid:3128 \(HTTPS_PROXY\) cannot be reached: no name server /,
    ],
  ])('of the proxy %s, which is not there', async (https, said) => {
    expect(await says('https://api.invalid/', throughProxy(https))).toMatch(said);
  });

  it('of a proxy by TLS whose port speaks none', async () => {
    await using server = await onConnection((socket) => socket.write(REFUSED));
    const proxy = { name: 'HTTPS_PROXY', https: `https://127.0.0.1:${server.port}`, except: '' };
    expect(await says('https://api.invalid/', { proxy })).toMatch(
      /^the proxy 127\.0\.0\.1:\d+ \(HTTPS_PROXY\) cannot be reached: 127\.0\.0\.1:\d+ does not speak TLS$/,
    );
  });
});

it('waits for its connection, and is asked then whether it may still leave', async () => {
  let isGood = true;
  await using server = await wireServer((socket) => {
    isGood = false;
    socket.write(http(200, '{}'));
  });
  const transport = transportWith({ connections: 1 });
  const mayLeave = (): boolean => isGood;
  const [first, second] = [post(server.url), post(server.url)].map((request) =>
    transport.send(request, { timeoutMs: 5000, maySend: mayLeave }),
  );
  expect((await first!).status).toBe(200);
  expect(await failureOf(second!)).toMatchObject({ reason: 'late', wasSent: false });
  expect(server.requests).toHaveLength(1);
});

describe('closing', () => {
  it('ends idle connections and those that are still being opened', async () => {
    await using server = await wireServer((socket) => socket.write(http(200, '{}')));
    const transport = transportWith();
    await transport.send(get(server.url), { timeoutMs: 5000 });
    const opening = failureOf(
      transport.send(get(`https://127.0.0.1:${server.port}/v2/banks`), { timeoutMs: 30 }),
    );
    expect(await opening).toMatchObject({ wasSent: false });
    await transport.close();
    await server.drained();
    expect(server.connections()).toBe(2);
  });

  it('is final: a later request is not sent', async () => {
    await using server = await wireServer((socket) => socket.write(http(200, '{}')));
    const transport = transportWith();
    await transport.send(get(server.url), { timeoutMs: 5000 });
    await transport.close();
    const failure = await failureOf(transport.send(post(server.url), { timeoutMs: 5000 }));
    expect(failure).toMatchObject({ wasSent: false });
    expect(server.requests).toHaveLength(1);
  });
});

function chunkOf(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
}

function chunked(bytes: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'),
    chunkOf(bytes),
    Buffer.from('0\r\n\r\n'),
  ]);
}
