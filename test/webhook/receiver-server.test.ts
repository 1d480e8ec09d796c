/** The receiver on the wire: who sends nothing, and who opens too much, keeps nobody else out. */
import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { serveReceiver, type ReceiverServer } from '../../src/webhook/receiver-server.js';

async function receiver(limits = {}): Promise<ReceiverServer> {
  const reply = { status: 200, headers: {}, body: '{}' };
  const server = await serveReceiver(() => Promise.resolve(reply), 0, limits);
  onTestFinished(async () => {
    server.cut();
    await server.close();
  });
  return server;
}

async function dial(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

it.each(['', 'POST / HTTP/1.1\r\nHost: a\r\nX-Slow: '])(
  'closes a sender that sends %j and no more',
  async (begun) => {
    const limits = { headersTimeout: 20, requestTimeout: 40, connectionsCheckingInterval: 5 };
    const socket = await dial((await receiver(limits)).port);
    socket.write(begun);
    socket.resume();
    await once(socket, 'close');
    expect(socket.destroyed).toBe(true);
  },
);

it('takes a hundred connections, closes the next at once, and takes another when one is gone', async () => {
  const { port } = await receiver();
  const taken = await Promise.all(Array.from({ length: 100 }, () => dial(port)));
  const surplus = await dial(port);
  surplus.resume();
  await once(surplus, 'close');
  expect(taken.filter(({ destroyed }) => destroyed)).toEqual([]);
  const [first] = taken;
  first!.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
  const [answer] = (await once(first!, 'data')) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 /);
  if (!first!.closed) await once(first!, 'close');
  const next = await dial(port);
  next.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n');
  expect(String((await once(next, 'data'))[0])).toMatch(/^HTTP\/1\.1 200 /);
});
