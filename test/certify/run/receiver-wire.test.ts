import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eachWorld } from '../../support/svc.js';

const home = eachWorld();
let server: Server;
let requests: IncomingMessage[];
let connections: number;
let cuts: (request: IncomingMessage) => boolean;
beforeEach(async () => {
  [requests, connections, cuts] = [[], 0, () => false];
  server = createServer((request, response) => {
    requests.push(request);
    request.resume();
    if (cuts(request)) request.socket.destroy();
    else response.writeHead(requests.length === 1 ? 204 : 401).end();
  });
  server.on('connection', () => (connections += 1));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

function certify(...words: readonly string[]) {
  const to = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/hooks?shop=1`;
  const env = { SVC_WEBHOOK_SECRET: 'whsec_of_the_wire' };
  return home.svc(['certify', 'receiver', '--to', to, '--quiet', ...words], { env, wire: true });
}

it('has a connection for each delivery, also for those at the same time', async () => {
  await certify('--only', 'forged', '--only', 'load');
  expect(requests).toHaveLength(1 + 23 + 20);
  expect(connections).toBe(requests.length);
  expect(new Set(requests.map(({ url }) => url))).toEqual(new Set(['/hooks?shop=1']));
});

it('leaves out a header, and sends an empty one and bytes of Latin-1 as they are', async () => {
  const only = ['--only', 'forged.none', '--only', 'forged.empty', '--only', 'forged.malformed-latin'];
  const { exitCode } = await certify(...only);
  expect(exitCode).toBe(0);
  expect(requests.slice(1).map(({ headers }) => headers['x-firma'])).toEqual([undefined, '', 'v1=éé']);
  expect(requests.every(({ headers }) => headers['user-agent']?.startsWith('svc/') === true)).toBe(true);
});

it('takes a cut connection for no answer, which is no refusal', async () => {
  cuts = ({ headers }) => headers['x-firma'] === '';
  const { exitCode, error } = await certify('--only', 'forged.empty');
  expect(exitCode).toBe(19);
  expect(error()['message']).toMatch(/\nforged\.empty: no answer: the connection was cut$/);
});
