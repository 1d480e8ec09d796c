/** Receivers that listen on loopback: what a real one does to a delivery, well or badly. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Arrived {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** Names and values by turns, as they stood on the wire. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

export interface Listener {
  readonly url: string;
  readonly arrived: Arrived[];
  /** Resolves once that many deliveries arrived. */
  readonly count: (wanted: number) => Promise<void>;
}

/** Listens until the test ends. @param answer may leave the answer open, or destroy the connection */
export async function listener(
  answer: (response: ServerResponse, request: Arrived) => void = (response) => response.writeHead(200).end(),
  port = 0,
): Promise<Listener> {
  const arrived: Arrived[] = [];
  const waiting = new Set<() => void>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers, rawHeaders } = request;
      const one = { method, url, headers, rawHeaders, body: Buffer.concat(chunks) };
      arrived.push(one);
      answer(response, one);
      for (const check of waiting) check();
    });
    request.on('error', () => undefined);
    response.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  onTestFinished(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  });
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/hooks`,
    arrived,
    count: (wanted) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (arrived.length < wanted) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
  };
}
