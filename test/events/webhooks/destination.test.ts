import { createServer, type AddressInfo, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createUndiciTransport } from '../../../src/client/undici.js';
import { systemClock } from '../../../src/runtime/clock.js';
import { readDestination } from '../../../src/events/webhooks/destination.js';
import { classifyAddress } from '../../../src/runtime/network.js';

const REACH = {
  loopback: '127.0.0.1 127.255.255.254 ::1 ::ffff:127.0.0.1 ::ffff:7f00:1',
  public: '8.8.8.8 172.15.0.1 172.32.0.1 2606:4700::1111 ::ffff:8.8.8.8',
  forbidden:
    '0.0.0.0 10.1.2.3 100.127.0.1 169.254.169.254 172.16.0.1 192.168.0.1 198.19.0.1 224.0.0.1 255.255.255.255 ' +
    ':: ::ffff:a9fe:a9fe fd00:ec2::254 fe80::1%eth0 ff02::1 64:ff9b::a00:1 2002:a00:1:: 2001:db8::1 nothing',
};

it.each(Object.entries(REACH).flatMap(([reach, all]) => all.split(' ').map((address) => [address, reach])))(
  '%s is %s',
  (address, reach) => {
    expect(classifyAddress(address)).toBe(reach);
  },
);

const names = (table: Readonly<Record<string, readonly string[]>>) => (name: string) =>
  name in table ? Promise.resolve(table[name]!) : Promise.reject(new Error('ENOTFOUND'));

it.each([
  ['a name of this machine', ['127.0.0.1', '::1'], false, null],
  ['a name of another machine', ['8.8.8.8'], false, 'unsafe'],
  ['the same, allowed', ['8.8.8.8'], true, null],
  ['a name that is also private', ['8.8.8.8', '10.0.0.1'], true, 'unsafe'],
  ['a name of the metadata service', ['169.254.169.254'], true, 'unsafe'],
] as const)('%s', async (_what, addresses, allowsRemote, kind) => {
  const lookup = names({ 'hooks.example': addresses });
  const judged = readDestination('https://hooks.example/', allowsRemote, lookup);
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

async function sendTo(onConnection: (socket: Socket) => void, ...answers: readonly string[][]) {
  const server = createServer(onConnection);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const left = [...answers];
  const lookup = (): Promise<readonly string[]> => Promise.resolve(left.shift() ?? answers.at(-1)!);
  const { url, addressesOf } = await readDestination(`http://hooks.test:${port}/`, false, lookup);
  const { send, close } = createUndiciTransport({ clock: systemClock, resolveName: addressesOf });
  onTestFinished(async () => {
    await close();
    server.close();
  });
  const request = { method: 'POST', url, headers: {}, body: Buffer.from('{}') };
  return { port, sent: send(request, { timeoutMs: 5000 }) };
}

it('a name that leads elsewhere a moment later is not followed there', async () => {
  let connections = 0;
  const count = (socket: Socket): void => {
    connections += 1;
    socket.destroy();
  };
  const { sent } = await sendTo(count, ['127.0.0.1'], ['10.0.0.1', '127.0.0.1']);
  await expect(sent).rejects.toMatchObject({ wasSent: false });
  expect(connections).toBe(0);
});

it('connects to the address that was checked, under the name that was given', async () => {
  let heard = '';
  const hear = (socket: Socket): void =>
    void socket.once('data', (chunk) => {
      heard = String(chunk);
      socket.end('HTTP/1.1 204 No Content\r\n\r\n');
    });
  const { port, sent } = await sendTo(hear, ['127.0.0.1']);
  expect((await sent).status).toBe(204);
  expect(heard).toContain(`host: hooks.test:${port}`);
});
