/** A sandbox of its own for one test, with the calls a person with curl and the specification would make. */
import { onTestFinished } from 'vitest';
import type { Clock } from '../../../src/runtime/clock.js';
import type { Transport } from '../../../src/runtime/transport.js';
import { openSandbox } from '../../../src/sandbox/sandbox.js';
import { serve } from '../../../src/sandbox/server.js';
import { fakeClock, type FakeClock } from './clock.js';
import { overHandle, overHttp, type Exchange, type Header, type Reply } from './exchange.js';
import { seededRandom } from './random.js';

/** How requests reach the sandbox: straight into its handler, or over loopback HTTP. */
export type Way = 'handle' | 'http';

export interface WorldOptions {
  readonly way?: Way;
  readonly store?: string;
  readonly code?: string;
  readonly settleAfterSeconds?: number;
  readonly keysOfRefused?: 'forget' | 'remember';
  readonly allowHttpWebhooks?: boolean;
  /** Over HTTP only: where deliveries go; without it they wait. */
  readonly receivers?: Transport;
  readonly clock?: Clock;
  readonly seed?: string;
}

export interface Call {
  /** The API key; null sends no Authorization. The ready key unless given. */
  readonly key?: string | null;
  readonly idempotencyKey?: string;
  /** Added to the others. */
  readonly headers?: readonly Header[];
  /** Text and bytes go as they are, anything else as JSON, undefined as no body. */
  readonly body?: unknown;
}

export interface World {
  readonly clock: FakeClock;
  readonly key: string;
  readonly code: string;
  /** Any method and whole target, such as `/sandbox/v2/payins`. */
  readonly send: (method: string, target: string, call?: Call) => Promise<Reply>;
  /** A request as it is, with nothing added. */
  readonly sendRaw: Exchange;
  /** GET below the sandbox's address: `get('/v2/balances')`. */
  readonly get: (path: string, call?: Call) => Promise<Reply>;
  /** POST below the sandbox's address. */
  readonly post: (path: string, body?: unknown, call?: Call) => Promise<Reply>;
  /** A request below `/_control`, which takes no key. */
  readonly control: (method: 'GET' | 'POST', path: string, body?: unknown) => Promise<Reply>;
  /** A fresh idempotency key. */
  readonly freshKey: () => string;
  readonly port: number;
  readonly close: () => Promise<void>;
}

/** Opens a sandbox in memory that closes with the test. */
export async function openWorld(options: WorldOptions = {}): Promise<World> {
  const { way = 'handle', store = ':memory:', seed, receivers, ...rest } = options;
  const clock = fakeClock();
  const sandbox = openSandbox({ clock, ...rest, store, random: seededRandom(seed) });
  const served = {
    port: 0,
    clock: options.clock ?? clock,
    ...(receivers === undefined ? {} : { receivers }),
  };
  const server = way === 'http' ? await serve(sandbox, served) : null;
  const exchange = server === null ? overHandle(sandbox) : overHttp(server.port);
  let open = true;
  const close = async (): Promise<void> => {
    if (!open) return;
    open = false;
    await server?.close();
    sandbox.close();
  };
  onTestFinished(close);
  return {
    clock,
    key: sandbox.apiKey,
    code: sandbox.code,
    port: server?.port ?? 0,
    close,
    ...calls(exchange, sandbox.apiKey),
  };
}

type Calls = Pick<World, 'send' | 'sendRaw' | 'get' | 'post' | 'control' | 'freshKey'>;

function calls(exchange: Exchange, readyKey: string): Calls {
  let keys = 0;
  const send: Calls['send'] = (method, target, call = {}) => {
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
    get: (path, call) => send('GET', `/sandbox${path}`, call),
    post: (path, body, call) => send('POST', `/sandbox${path}`, { ...call, body }),
    control: (method, path, body) => send(method, `/_control${path}`, { key: null, body }),
    freshKey: () => `fresh-key-${String(++keys)}`,
  };
}

/** The bytes of a body: text and bytes as they are, anything else as JSON. */
export function bytesOf(body: unknown): Uint8Array {
  if (body === undefined) return new Uint8Array();
  if (body instanceof Uint8Array) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}
