/** Where deliveries may go: judged by every address of a name, and again at each connection. */
import { createServer, type AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { createUndiciTransport } from '../../src/client/undici.js';
import { systemClock } from '../../src/runtime/clock.js';
import { readDestination } from '../../src/webhook/destination.js';
import { reachOf } from '../../src/runtime/network.js';

it.each([
  ['127.0.0.1', 'loopback'],
  ['127.255.255.254', 'loopback'],
  ['::1', 'loopback'],
  ['::ffff:127.0.0.1', 'loopback'],
  ['::ffff:7f00:1', 'loopback'],
  ['8.8.8.8', 'public'],
  ['172.15.0.1', 'public'],
  ['172.32.0.1', 'public'],
  ['2606:4700::1111', 'public'],
  ['::ffff:8.8.8.8', 'public'],
  ['0.0.0.0', 'forbidden'],
  ['10.1.2.3', 'forbidden'],
  ['100.127.0.1', 'forbidden'],
  ['169.254.169.254', 'forbidden'],
  ['172.16.0.1', 'forbidden'],
  ['192.168.0.1', 'forbidden'],
  ['198.19.0.1', 'forbidden'],
  ['224.0.0.1', 'forbidden'],
  ['255.255.255.255', 'forbidden'],
  ['::', 'forbidden'],
  ['::ffff:a9fe:a9fe', 'forbidden'],
  ['fd00:ec2::254', 'forbidden'],
  ['fe80::1%eth0', 'forbidden'],
  ['ff02::1', 'forbidden'],
  ['64:ff9b::a00:1', 'forbidden'],
  ['2002:a00:1::', 'forbidden'],
  ['2001:db8::1', 'forbidden'],
  ['not an address', 'forbidden'],
])('%s is %s', (address, reach) => {
  expect(reachOf(address)).toBe(reach);
});

const names = (table: Readonly<Record<string, readonly string[]>>) => (name: string) =>
  name in table ? Promise.resolve(table[name]!) : Promise.reject(new Error('ENOTFOUND'));

it.each([
  ['a name of this machine', ['127.0.0.1', '::1'], false, null],
  ['a name of another machine', ['8.8.8.8'], false, 'unsafe'],
  ['the same, allowed', ['8.8.8.8'], true, null],
  ['a name that is also private', ['8.8.8.8', '10.0.0.1'], true, 'unsafe'],
  ['a name of the metadata service', ['169.254.169.254'], true, 'unsafe'],
] as const)('%s', async (_what, addresses, allowsRemote, kind) => {
  const judged = readDestination(
    'https://hooks.example/',
    allowsRemote,
    names({ 'hooks.example': addresses }),
  );
  if (kind === null) expect((await judged).url).toBe('https://hooks.example/');
  else await expect(judged).rejects.toMatchObject({ kind });
});

it('payments never go in the clear to another machine', async () => {
  const judged = readDestination('http://hooks.example/', true, names({ 'hooks.example': ['8.8.8.8'] }));
  await expect(judged).rejects.toMatchObject({
    kind: 'unsafe',
    head: expect.stringContaining('never sends payments unencrypted') as string,
  });
});

it('a name without an address was certainly not reached', async () => {
  await expect(readDestination('https://gone.example/', true, names({}))).rejects.toMatchObject({
    kind: 'network',
  });
});

it('a name that leads elsewhere a moment later is not followed there', async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const answers = [['127.0.0.1'], ['10.0.0.1', '127.0.0.1']];
  const rebinding = (): Promise<readonly string[]> =>
    Promise.resolve(answers.shift() ?? ['10.0.0.1', '127.0.0.1']);
  const { url, addressesOf } = await readDestination(`http://hooks.test:${port}/`, false, rebinding);
  const { send, close } = createUndiciTransport({ clock: systemClock, resolveName: addressesOf });
  const request = { method: 'POST', url, headers: {}, body: Buffer.from('{}') };
  await expect(send(request, { timeoutMs: 5000 })).rejects.toMatchObject({ sent: false });
  expect(connections).toBe(0);
  await close();
  server.close();
});

it('connects to the address that was checked, under the name that was given', async () => {
  let heard = '';
  const server = createServer((socket) => {
    socket.once('data', (chunk) => {
      heard = String(chunk);
      socket.end('HTTP/1.1 204 No Content\r\n\r\n');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const { url, addressesOf } = await readDestination(`http://hooks.test:${port}/`, false, () =>
    Promise.resolve(['127.0.0.1']),
  );
  const { send, close } = createUndiciTransport({ clock: systemClock, resolveName: addressesOf });
  const { status } = await send(
    { method: 'POST', url, headers: {}, body: Buffer.from('{}') },
    { timeoutMs: 5000 },
  );
  expect([status, heard]).toEqual([204, expect.stringContaining(`host: hooks.test:${port}`) as string]);
  await close();
  server.close();
});
