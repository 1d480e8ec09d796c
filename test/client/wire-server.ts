import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

export type Behaviour = (socket: Socket, count: number, request: string) => void;

export async function wireServer(
  behave: Behaviour,
  options: { readonly onConnection?: (socket: Socket) => void } = {},
) {
  /** Each request as it arrived, head and body together. */
  const requests: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  let waiting: (() => void)[] = [];
  const server: Server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      if (sockets.size > 0) return;
      for (const resolve of waiting) resolve();
      waiting = [];
    });
    options.onConnection?.(socket);
    let pending = '';
    socket.on('data', (chunk) => {
      pending += chunk.toString('latin1');
      for (;;) {
        const length = requestLength(pending);
        if (length === null) return;
        const request = pending.slice(0, length);
        pending = pending.slice(length);
        requests.push(request);
        behave(socket, requests.length, request);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    ...{ url: `http://127.0.0.1:${port}`, port, requests },
    connections: () => connections,
    drained: (): Promise<void> =>
      sockets.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve)),
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function http(status: number, body: string | Buffer, headers: Record<string, string> = {}): Buffer {
  const lines = Object.entries({ 'content-length': String(Buffer.byteLength(body)), ...headers });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} X\r\n${head}\r\n`), Buffer.from(body)]);
}

export function bodyOf(request: string): string {
  return request.slice(request.indexOf('\r\n\r\n') + 4);
}

export function headerOfRequest(request: string, name: string): string | undefined {
  const head = request.slice(0, request.indexOf('\r\n\r\n'));
  return new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]?.trim();
}

function requestLength(text: string): number | null {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return null;
  const length = end + 4 + Number(/^content-length: (\d+)$/im.exec(text.slice(0, end))?.[1] ?? 0);
  return text.length >= length ? length : null;
}
