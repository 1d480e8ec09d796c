import { chmodSync, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer, request, type RequestListener, type Server } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Server as TcpServer } from 'node:net';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createUndiciTransport } from '../../src/client/undici.js';
import { systemClock } from '../../src/runtime/clock.js';
import { writeOwner, answerProof, findOwner, ownerFile, proveOwner } from '../../src/sandbox/owner.js';
import { removeOwner } from '../../src/sandbox/owner.js';
import { meddle } from '../support/database-dump.js';
import { testFolder } from '../support/test-folder.js';
import { seededRandom } from './support/random.js';
import { openServer } from './wire/wire.js';

const random = seededRandom('owner');
const KEY = 'svc_test_of_the_owner';

async function listen(server: Server | TcpServer, port = 0) {
  let text = '';
  const sockets = new Set<{ destroy(): unknown }>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('data', (chunk) => (text += chunk.toString('latin1'))).on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      for (const socket of sockets) socket.destroy();
      server.close(() => resolve());
    });
  onTestFinished(close);
  const address = server.address() as AddressInfo;
  return { port: address.port, heard: () => text, connections: () => sockets.size, close };
}

const genuine =
  (secret: string, portOf: () => number): RequestListener =>
  ({ method = '', url = '', headers }, response) => {
    const host = ['host', headers.host ?? ''] as const;
    const asked = { method, target: url, headers: [host], body: Buffer.alloc(0) };
    const proof = answerProof(asked, secret, portOf());
    const { status, body } = proof ?? { status: 200, body: Buffer.from('{}') };
    response.setHeader('content-type', 'application/json').setHeader('content-length', body.length);
    response.writeHead(status).end(body);
  };

async function opened() {
  const store = join(testFolder(), 'sandbox.db');
  const secret = random.hex(32);
  let port = 0;
  const own = await listen(createServer(genuine(secret, () => port)));
  port = own.port;
  const owner = { base_url: `http://127.0.0.1:${String(port)}`, pid: 1, secret, api_key: KEY };
  writeOwner(store, owner);
  const prove = (socket: Socket) => proveOwner(store, owner.base_url, socket, random);
  const { send, close } = createUndiciTransport({ clock: systemClock, verifyPeer: prove });
  onTestFinished(close);
  const headers = { authorization: `Bearer ${KEY}` };
  const events = { method: 'GET', url: `${owner.base_url}/sandbox/v2/events`, headers, body: null };
  const ask = () => send(events, { timeoutMs: 10_000 });
  expect((await ask()).status).toBe(200);
  return { store, owner, own, ask, port, secret };
}

describe('an owner', () => {
  it('is found while it runs, anew each time, and is sent neither key nor secret for that', async () => {
    const { store, owner, own } = await opened();
    expect(await findOwner(store, random)).toEqual(owner);
    expect(await findOwner(store, random)).toEqual(owner);
    const proofs = own.heard().match(/nonce=[0-9a-f]{64}/g) ?? [];
    expect([proofs.length, new Set(proofs).size]).toEqual([own.connections(), own.connections()]);
    expect(own.heard()).not.toContain(owner.secret);
    expect(statSync(`${store}.server`).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(store, '..')).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    removeOwner(store, owner);
    expect(existsSync(`${store}.server`)).toBe(false);
    expect(await findOwner(store, random)).toBeNull();
  });

  it('is found where its store can not be used any more too, and by no page of another host', async () => {
    const store = join(testFolder(), 'sandbox.db');
    const secret = random.hex(32);
    const { server } = await openServer({ secret }, store);
    meddle(store, 'DROP TABLE meta');
    expect(await statusOf(server.port, '/_control/status')).toBe(503);
    const here = { base_url: `http://127.0.0.1:${String(server.port)}`, pid: 4242, secret, api_key: KEY };
    writeOwner(store, here);
    expect(await findOwner(store, random)).toEqual(here);
    const asOther = { Host: `rebound.example.com:${String(server.port)}` };
    const target = `/_control/owner?nonce=${'0'.repeat(64)}`;
    expect(await statusOf(server.port, target)).toBe(200);
    expect(await statusOf(server.port, target, asOther)).toBe(400);
  });

  it('replaces one that was killed, and is not withdrawn by it', async () => {
    const { store, owner } = await opened();
    const killed = { ...owner, pid: 1000 };
    writeOwner(store, killed);
    writeOwner(store, owner);
    removeOwner(store, killed);
    expect(await findOwner(store, random)).toEqual(owner);
  });

  it.each([
    ...['', '{', 'null', '{"base_url":"http://127.0.0.1:1"}'],
    '{"base_url":"http://127.0.0.1:1","pid":1,"secret":"","api_key":"x"}',
    '{"base_url":"http://127.0.0.1:1","pid":1,"store_id":"x","api_key":"x"}',
    '{"base_url":"http://example.com:80","pid":1,"secret":"SECRET","api_key":"x"}',
    '{"base_url":"https://127.0.0.1:1","pid":1,"secret":"SECRET","api_key":"x"}',
    '{"base_url":"http://127.0.0.1:1@example.com","pid":1,"secret":"SECRET","api_key":"x"}',
  ])('is not read from %j', async (text) => {
    const { store, own } = await opened();
    const before = own.heard();
    writeFileSync(`${store}.server`, text.replace('SECRET', 'a'.repeat(64)), { mode: 0o600 });
    expect([await findOwner(store, random), own.heard()]).toEqual([null, before]);
  });

  it('is not believed where other users could have written it', async () => {
    const { store } = await opened();
    chmodSync(`${store}.server`, 0o666);
    await expect(findOwner(store, random)).rejects.toMatchObject({ exitCode: 16 });
  });

  it('of a store in memory is nobody', async () => {
    expect(ownerFile(':memory:')).toBeNull();
    writeOwner(':memory:', { base_url: 'http://127.0.0.1:1', pid: 1, secret: 'x', api_key: 'x' });
    expect(await findOwner(':memory:', random)).toBeNull();
    expect(existsSync(':memory:.server')).toBe(false);
  });
});

describe('a connection to the owner', () => {
  it('is proved once, and each new one again: also many at once', async () => {
    const { ask, own } = await opened();
    const many = await Promise.all(Array.from({ length: 20 }, ask));
    expect(many.map(({ status }) => status)).toEqual(many.map(() => 200));
    const proofs = own.heard().match(/GET \/_control\/owner\?nonce=[0-9a-f]{64}/g) ?? [];
    expect([own.connections() > 1, proofs.length]).toEqual([true, own.connections()]);
    expect(new Set(proofs).size).toBe(proofs.length);
  });

  it('leads to one that was started again at the same port', async () => {
    const { store, owner, own, ask, port } = await opened();
    await own.close();
    const secret = random.hex(32);
    await listen(createServer(genuine(secret, () => port)), port);
    await expect(ask()).rejects.toMatchObject({ wasSent: false });
    writeOwner(store, { ...owner, pid: 2, secret });
    expect((await ask()).status).toBe(200);
  });

  const answering =
    (text: string): RequestListener =>
    (_request, response) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(text);

  it.each<[string, (secret: string, port: number) => Server | TcpServer]>([
    ['another sandbox', (_secret, port) => createServer(genuine('a'.repeat(64), () => port))],
    ['one with a proof of another port', (secret, port) => createServer(genuine(secret, () => port + 1))],
    ['a false proof', () => createServer(answering(`{"proof":"${'0'.repeat(64)}"}`))],
    ['a page', () => createServer(answering('<html>'))],
    ['more than a proof', () => createServer(answering(`{"proof":"${'x'.repeat(100_000)}`))],
    ['one that sends on', () => createServer((_, to) => void to.writeHead(302, { location: '/x' }).end())],
    ['one that is silent', () => createTcpServer()],
    ['one that hangs up', () => createTcpServer((socket) => void socket.end())],
    ['one that speaks first', () => createTcpServer((socket) => void socket.write('220 mail\r\n'))],
  ])('carries no key to what took the port: %s', { timeout: 20_000 }, async (_name, other) => {
    const { store, own, ask, port, secret } = await opened();
    await own.close();
    const thief = await listen(other(secret, port), port);
    expect(await findOwner(store, random)).toBeNull();
    await expect(ask()).rejects.toMatchObject({ name: 'NotAnswered', wasSent: false });
    expect(thief.heard()).not.toContain(KEY);
    const [first] = thief.heard().split('\r\n');
    expect(first).toMatch(/^(GET \/_control\/owner\?nonce=[0-9a-f]{64} HTTP\/1\.1)?$/);
  });

  it('carries nothing where the server has ended', async () => {
    const { store, owner, own, ask, port } = await opened();
    await own.close();
    expect(await findOwner(store, random)).toBeNull();
    const thief = await listen(createTcpServer(), port);
    removeOwner(store, owner);
    await expect(ask()).rejects.toMatchObject({ wasSent: false });
    expect(thief.heard()).toBe('');
  });
});

function statusOf(port: number, path: string, headers: Record<string, string> = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, path, headers }, (incoming) => {
      incoming.resume();
      resolve(incoming.statusCode ?? 0);
    });
    outgoing.on('error', reject).end();
  });
}
