import { request, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { serving } from '../../support/serving.js';

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export type Post = ReturnType<typeof postOf>;
export type Line = Awaited<ReturnType<typeof openLine>>;

export async function openLine(servicePort: number) {
  const { url, stop } = await serving(({ method = '', url = '', headers }, response, body) => {
    const post = postOf(servicePort, { method, url, headers, body }, response);
    const isRead = method !== 'POST';
    if (!isRead) line.posted.push({ target: url, body: body.toString() });
    if (!isRead && line.onPost !== null) void line.onPost(post);
    else if (isRead && line.onRead !== null) line.onRead();
    else void post.carryOut().then((answer) => post.give(answer));
  });
  const line = {
    url,
    onPost: null as ((post: Post) => Promise<void>) | null,
    onRead: null as (() => void) | null,
    posted: [] as { readonly target: string; readonly body: string }[],
    close: stop,
  };
  return line;
}

type Received = Pick<Answer, 'headers' | 'body'> & Readonly<Record<'method' | 'url', string>>;

function postOf(servicePort: number, received: Received, response: ServerResponse) {
  return {
    carryOut: (): Promise<Answer> => forward(servicePort, received),
    give: ({ status, headers, body }: Answer, share = 1): Promise<void> =>
      new Promise((resolve) => {
        response.writeHead(status, headers);
        response.write(body.subarray(0, Math.ceil(body.length * share)), () => resolve());
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
