/** A receiver over HTTP: a thin adapter on loopback between Node's server and the reception. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { unrefServer } from '../runtime/network.js';
import { DELIVERY_MAX_BYTES } from './delivery.js';
import type { Received, Reply } from './reception.js';

export interface ReceiverServer {
  readonly port: number;
  /** From now on it holds no process: one that has nothing else to do ends. */
  unref(): void;
  /** Takes nothing more, lets what is in hand be answered, and resolves when every connection is closed. */
  close(): Promise<void>;
  /** Ends every connection, answered or not. */
  cut(): void;
}

/** How much of a body that is too large already is read and thrown away, so that its sender gets to see the answer. */
const DISCARDED_MAX_BYTES = 16 * DELIVERY_MAX_BYTES;

/** More at a time is no service that delivers. */
const CONNECTIONS_MAX = 100;

const LIMITS = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // Node looks every half a minute, and would hold a sender that sends nothing for as long.
  connectionsCheckingInterval: 1000,
  keepAliveTimeout: 65_000,
};

/**
 * Listens on 127.0.0.1.
 * @param reception its null cuts the connection instead of an answer
 * @param port 0 picks a free one
 * @param limits how long a sender may take for its headers and its request, in milliseconds, and how often that is looked at
 * @throws the system's error where the port is taken (`EADDRINUSE`)
 */
export async function serveReceiver(
  reception: (request: Received) => Promise<Reply | null>,
  port: number,
  limits: Partial<typeof LIMITS> = {},
): Promise<ReceiverServer> {
  const connections = roomFor(CONNECTIONS_MAX);
  const server = createServer({ ...LIMITS, ...limits }, (message, response) => {
    readBody(message, (body, isCut) => {
      connections.busy(message.socket);
      response.once('close', () => connections.idle(message.socket));
      const { method = '', rawHeaders: raw } = message;
      const headers = raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ''] as const] : []));
      const request = { method, headers, body };
      void reception(request).then((reply) => {
        if (reply === null) {
          response.destroy();
          return;
        }
        response.writeHead(reply.status, {
          ...reply.headers,
          ...(isCut ? { Connection: 'close' } : {}),
          'Content-Type': 'application/json',
          'Content-Length': Buffer.byteLength(reply.body),
        });
        response.end(reply.body);
      });
    });
  });
  server.on('connection', connections.take);
  await once(server.listen(port, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    unref: () => unrefServer(server),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
    cut: () => server.closeAllConnections(),
  };
}

/**
 * A client that keeps connections open keeps no other out: the one that has been idle, or at its request, for longest makes room for the next. Where
 * all of them are being answered, the next is closed.
 */
function roomFor(most: number) {
  const [waiting, answered] = [new Set<Socket>(), new Set<Socket>()];
  const leave = (socket: Socket): void => {
    waiting.delete(socket);
    answered.delete(socket);
  };
  return {
    take: (socket: Socket): void => {
      if (waiting.size + answered.size >= most) {
        const [longest = socket] = waiting;
        leave(longest);
        longest.destroy();
        if (longest === socket) return;
      }
      waiting.add(socket);
      socket.once('close', () => leave(socket));
    },
    /** It has a whole request, and is to be answered: it is not closed for another one. */
    busy: (socket: Socket): void => {
      if (waiting.delete(socket)) answered.add(socket);
    },
    idle: (socket: Socket): void => {
      if (answered.delete(socket) && !socket.destroyed) waiting.add(socket);
    },
  };
}

/** Calls `done` once: with the whole body, or with as much of it as shows that it is too large. */
function readBody(message: IncomingMessage, done: (body: Uint8Array, isCut: boolean) => void): void {
  let chunks: Buffer[] = [];
  let received = 0;
  let isDone = false;
  message.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received > DISCARDED_MAX_BYTES) message.destroy();
    if (isDone) return;
    chunks.push(chunk);
    if (received <= DELIVERY_MAX_BYTES) return;
    isDone = true;
    done(Buffer.concat(chunks), true);
    chunks = [];
  });
  message.on('end', () => {
    if (!isDone) done(Buffer.concat(chunks), false);
  });
}
