import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { unrefServer } from '../../runtime/network.js';
import { DELIVERY_MAX_BYTES } from './delivery.js';
import type { ReceivedRequest, Reply } from './reception.js';

export type ReceiverServer = Awaited<ReturnType<typeof serveReceiver>>;

const DISCARDED_MAX_BYTES = 16 * DELIVERY_MAX_BYTES;

const CONNECTIONS_MAX = 100;

const LIMITS = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1000,
  keepAliveTimeout: 65_000,
};

export async function serveReceiver(
  reception: (request: ReceivedRequest) => Promise<Reply | null>,
  port: number,
  limits: Partial<typeof LIMITS> = {},
) {
  const connections = connectionLimit(CONNECTIONS_MAX);
  const server = createServer({ ...LIMITS, ...limits }, (message, response) => {
    readBody(message, (body, isCut) => {
      connections.markBusy(message.socket);
      response.once('close', () => connections.markIdle(message.socket));
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
    unref: (): void => unrefServer(server),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
    cut: (): void => server.closeAllConnections(),
  };
}

function connectionLimit(connectionsMax: number) {
  const [idleSockets, busySockets] = [new Set<Socket>(), new Set<Socket>()];
  const forget = (socket: Socket): void => {
    idleSockets.delete(socket);
    busySockets.delete(socket);
  };
  return {
    take: (socket: Socket): void => {
      if (idleSockets.size + busySockets.size >= connectionsMax) {
        const [longestIdle = socket] = idleSockets;
        forget(longestIdle);
        longestIdle.destroy();
        if (longestIdle === socket) return;
      }
      idleSockets.add(socket);
      socket.once('close', () => forget(socket));
    },
    markBusy: (socket: Socket): void => {
      if (idleSockets.delete(socket)) busySockets.add(socket);
    },
    markIdle: (socket: Socket): void => {
      if (busySockets.delete(socket) && !socket.destroyed) idleSockets.add(socket);
    },
  };
}

function readBody(message: IncomingMessage, done: (body: Uint8Array, isCut: boolean) => void): void {
  let chunks: Buffer[] = [];
  let receivedBytes = 0;
  let isDone = false;
  message.on('data', (chunk: Buffer) => {
    receivedBytes += chunk.length;
    if (receivedBytes > DISCARDED_MAX_BYTES) message.destroy();
    if (isDone) return;
    chunks.push(chunk);
    if (receivedBytes <= DELIVERY_MAX_BYTES) return;
    isDone = true;
    done(Buffer.concat(chunks), true);
    chunks = [];
  });
  message.on('end', () => {
    if (!isDone) done(Buffer.concat(chunks), false);
  });
}
