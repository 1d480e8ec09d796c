import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { serveReceiver, type ReceiverServer } from '../../../src/events/webhooks/receiver-server.js';

const REPLY = { status: 200, headers: {}, body: '{}' };

async function receiver(limits = {}, reply = () => Promise.resolve(REPLY)): Promise<ReceiverServer> {
  const server = await serveReceiver(reply, 0, limits);
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

const DELIVERY = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n';

async function delivered(socket: Socket): Promise<void> {
  socket.write(DELIVERY);
  expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 200 /);
}

it('takes a delivery while two hundred connections are kept open: a hundred stay, the newest', async () => {
  const { port } = await receiver();
  const kept: Socket[] = [];
  const begun = [
    '',
    'POST / HTTP/1.1\r\nHost: a\r\nX-Slow: ',
    'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{',
  ];
  for (let count = 0; count < 200; count += 1) {
    const socket = await dial(port);
    socket.resume();
    kept.push(socket);
    if (count % 4 === 3) await delivered(socket);
    else socket.write(begun[count % 4] ?? '');
  }
  await delivered(await dial(port));
  await delivered(await dial(port));
  for (const socket of kept.slice(0, 102)) if (!socket.destroyed) await once(socket, 'close');
  expect(kept.slice(102).filter(({ destroyed }) => destroyed)).toEqual([]);
});

it('closes none that is being answered: where all are, the next one', async () => {
  const answers: (() => void)[] = [];
  const { port } = await receiver({}, () => new Promise((resolve) => answers.push(() => resolve(REPLY))));
  const all = await Promise.all(Array.from({ length: 100 }, () => dial(port)));
  const replies = all.map((socket) => {
    socket.write(DELIVERY);
    return once(socket, 'data');
  });
  while (answers.length < 100) await new Promise(setImmediate);
  const next = await dial(port);
  next.resume();
  await once(next, 'close');
  for (const answer of answers) answer();
  expect((await Promise.all(replies)).map(([text]) => String(text).slice(0, 12))).toEqual(
    all.map(() => 'HTTP/1.1 200'),
  );
});
