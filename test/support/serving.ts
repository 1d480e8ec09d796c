import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export async function serving(
  handle: (request: IncomingMessage, response: ServerResponse, body: Buffer) => void,
  wantedPort = 0,
) {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => handle(request, response, Buffer.concat(chunks)));
  });
  await new Promise<void>((resolve) => server.listen(wantedPort, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { server, port, url: `http://127.0.0.1:${String(port)}`, stop };
}

export async function freePort(): Promise<number> {
  const { port, stop } = await serving(() => undefined);
  await stop();
  return port;
}
