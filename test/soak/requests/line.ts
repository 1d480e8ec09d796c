/** The line between a client and its service: an HTTP proxy that does what it is told with one POST at a time. */
import { createServer, request, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A POST that has arrived whole. */
export interface Post {
  /** Lets the service carry it out; its answer stays here. */
  carryOut(): Promise<Answer>;
  /** Gives the client that much of an answer; resolves when it was handed to the system. */
  give(answer: Answer, share?: number): Promise<void>;
  cut(): void;
}

export interface Line {
  /** What a client takes for the service's address: the same for the whole soak. */
  readonly url: string;
  /** What is done with POSTs from now on; null: they are carried out and answered. */
  onPost: ((post: Post) => Promise<void>) | null;
  /** What is done with reads from now on. */
  onRead: (() => void) | null;
  close(): Promise<void>;
}

export async function openLine(servicePort: number): Promise<Line> {
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('error', () => undefined);
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const { method = '', url = '', headers } = incoming;
      const post = postOf(servicePort, { method, url, headers, body: Buffer.concat(chunks) }, response);
      const isRead = method !== 'POST';
      if (!isRead && line.onPost !== null) void line.onPost(post);
      else if (isRead && line.onRead !== null) line.onRead();
      else void post.carryOut().then((answer) => post.give(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const line: Line = {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    onPost: null,
    onRead: null,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return line;
}

interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

function postOf(servicePort: number, received: Received, response: ServerResponse): Post {
  return {
    carryOut: () => forward(servicePort, received),
    give: ({ status, headers, body }, share = 1) =>
      new Promise((resolve) => {
        response.on('error', () => undefined);
        response.writeHead(status, headers);
        const piece = body.subarray(0, Math.ceil(body.length * share));
        response.write(piece, () => resolve());
        if (share === 1) response.end();
      }),
    cut: () => void response.destroy(),
  };
}

function forward(port: number, { method, url, headers, body }: Received): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ host: '127.0.0.1', port, method, path: url, headers }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const { statusCode: status = 0, headers: given } = incoming;
        resolve({ status, headers: given, body: Buffer.concat(chunks) });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
