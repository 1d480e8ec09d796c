import { connect } from 'node:net';
import { onTestFinished } from 'vitest';
import { systemClock } from '../../../src/runtime/clock.js';
import { openSandbox } from '../../../src/sandbox/sandbox.js';
import { serve, type ServeOptions } from '../../../src/sandbox/server.js';
import { seededRandom } from '../support/random.js';

export type Served = Awaited<ReturnType<typeof openServer>>;

export async function openServer(options: Partial<ServeOptions> = {}, store = ':memory:') {
  const sandbox = openSandbox({ store, clock: systemClock, random: seededRandom() });
  const server = await serve(sandbox, { port: 0, clock: systemClock, ...options });
  onTestFinished(async () => {
    await server.close();
    sandbox.close();
  });
  return { sandbox, server };
}

export interface Answer {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

export function dial(port: number) {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  socket.on('error', () => undefined);
  const ended = new Promise<string>((resolve) => socket.on('close', () => resolve(text)));
  onTestFinished(() => void socket.destroy());
  return { socket, received: () => text, ended };
}

export async function exchange(port: number, bytes: string | Uint8Array): Promise<Answer[]> {
  const { socket, ended } = dial(port);
  socket.write(bytes);
  return answersIn(await ended);
}

export function answersIn(text: string): Answer[] {
  const answers: Answer[] = [];
  let rest = text;
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) throw new Error(`no whole answer: ${rest}`);
    const head = rest.slice(0, end);
    const status = Number(/^HTTP\/1\.1 ([0-9]{3})/.exec(head)?.[1]);
    const length = Number(/^content-length: ([0-9]+)/im.exec(head)?.[1] ?? (status === 100 ? 0 : NaN));
    answers.push({ status, head, body: rest.slice(end + 4, end + 4 + length) });
    rest = rest.slice(end + 4 + length);
  }
  return answers;
}

export function requestText(method: string, target: string, headers: readonly string[] = [], body = '') {
  const all = [
    'Host: 127.0.0.1',
    ...headers,
    ...(body === '' ? [] : [`Content-Length: ${String(body.length)}`]),
  ];
  return `${method} ${target} HTTP/1.1\r\n${all.join('\r\n')}\r\n\r\n${body}`;
}
