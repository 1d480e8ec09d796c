import { onTestFinished } from 'vitest';
import type { Clock } from '../../../src/runtime/clock.js';
import { openSandbox } from '../../../src/sandbox/sandbox.js';
import { fakeClock } from './clock.js';
import { overHandle, type Exchange, type Header, type Reply } from './exchange.js';
import { seededRandom } from './random.js';

export interface WorldOptions {
  readonly store?: string;
  readonly code?: string;
  readonly settleAfterSeconds?: number;
  readonly keysOfRefused?: 'forget' | 'remember';
  readonly allowHttpWebhooks?: boolean;
  readonly clock?: Clock;
  readonly seed?: string;
}

export interface Call {
  readonly key?: string | null;
  readonly idempotencyKey?: string;
  readonly headers?: readonly Header[];
  readonly body?: unknown;
}

export type World = Awaited<ReturnType<typeof openWorld>>;

export interface Way {
  readonly exchange: Exchange;
  readonly port: number;
  close(): Promise<void>;
}

export async function openWorld(
  options: WorldOptions = {},
  wayTo: (sandbox: ReturnType<typeof openSandbox>, clock: Clock) => Way | Promise<Way> = (sandbox) => ({
    exchange: overHandle(sandbox),
    port: 0,
    close: () => Promise.resolve(),
  }),
) {
  const { store = ':memory:', seed, ...rest } = options;
  const clock = fakeClock();
  const sandbox = openSandbox({ clock, ...rest, store, random: seededRandom(seed) });
  const way = await wayTo(sandbox, options.clock ?? clock);
  let open = true;
  const close = async (): Promise<void> => {
    if (!open) return;
    open = false;
    await way.close();
    sandbox.close();
  };
  onTestFinished(close);
  const { apiKey: key, code } = sandbox;
  return { clock, key, code, port: way.port, close, ...calls(way.exchange, key) };
}

function calls(exchange: Exchange, readyKey: string) {
  let keys = 0;
  const send = (method: string, target: string, call: Call = {}): Promise<Reply> => {
    const { key = readyKey, idempotencyKey, headers = [], body } = call;
    const bytes = bytesOf(body);
    const all: Header[] = headers.some(([name]) => name.toLowerCase() === 'host')
      ? []
      : [['Host', '127.0.0.1']];
    if (key !== null) all.push(['Authorization', `Bearer ${key}`]);
    if (idempotencyKey !== undefined) all.push(['Idempotency-Key', idempotencyKey]);
    if (bytes.length > 0) all.push(['Content-Type', 'application/json']);
    return exchange({ method, target, headers: [...all, ...headers], body: bytes });
  };
  return {
    send,
    sendRaw: exchange,
    get: (path: string, call?: Call) => send('GET', `/sandbox${path}`, call),
    post: (path: string, body?: unknown, call?: Call) => send('POST', `/sandbox${path}`, { ...call, body }),
    control: (method: 'GET' | 'POST', path: string, body?: unknown) =>
      send(method, `/_control${path}`, { key: null, body }),
    freshKey: () => `fresh-key-${String(++keys)}`,
  };
}

export function bytesOf(body: unknown): Uint8Array {
  if (body === undefined) return new Uint8Array();
  if (body instanceof Uint8Array) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}
