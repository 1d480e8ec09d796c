import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { unrefServer } from '../../runtime/network.js';
import type { HealthAnswer, HealthQuestion } from './answer.js';

const CONNECTIONS_MAX = 50;

const SERVER_OPTIONS = {
  maxHeaderSize: 8 * 1024,
  headersTimeout: 5000,
  requestTimeout: 5000,
  connectionsCheckingInterval: 1000,
  // Old probes speak HTTP/1.0 without a Host header.
  requireHostHeader: false,
};

export async function serveHealth(
  answer: (question: HealthQuestion) => HealthAnswer,
  { port, host }: { readonly port: number; readonly host: string },
) {
  const server = createServer(SERVER_OPTIONS, (message, response) => {
    const { method = '', url: target = '', rawHeaders } = message;
    const hosts = rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === 'host');
    const { status, headers, body } = answer({ method, target, hosts });
    response.writeHead(status, {
      ...headers,
      'Content-Length': Buffer.byteLength(body),
      Connection: 'close',
    });
    response.end(method === 'HEAD' ? '' : body);
    message.resume();
  });
  server.maxConnections = CONNECTIONS_MAX;
  server.on('clientError', (_error, socket) => socket.destroy());
  // Listens for errors, because Node hands over the socket of a CONNECT request without a listener.
  server.on('connect', (_request, socket) => socket.on('error', () => undefined).destroy());
  unrefServer(server);
  await once(server.listen(port, host), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: (): void => {
      server.close();
      server.closeAllConnections();
    },
  };
}
