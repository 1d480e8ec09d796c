import { backgroundClock, systemClock, systemRandom } from '../../runtime/clock.js';
import { type Transport, NotAnswered } from '../../runtime/transport.js';
import { startDispatcher } from '../delivery/dispatcher.js';
import { IN_PROGRESS_MAX } from '../delivery/attempt.js';
import { SEED_TARGET } from '../control/call.js';
import { openSandbox, sandboxTransport } from '../sandbox.js';
import { serve } from '../server.js';
import type { AskSandbox } from './control.js';
import { importState } from './state.js';
import type { TestSandboxOptions, TestSandbox } from './types.js';

export type EngineOptions = Required<Omit<TestSandboxOptions, 'seed' | 'now'>> & {
  readonly now: number | null;
};

export interface UnansweredDelivery {
  readonly delivery: { readonly id: string; readonly type: string };
  readonly url: string;
}

const NO_PORT = 0;

export interface Engine {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly ask: AskSandbox;
  readonly transport: Transport;
  replaceKey(importedKey?: string): void;
  waitForDeliveries(patienceMs: number): Promise<readonly UnansweredDelivery[]>;
  close(): Promise<void>;
}

export async function startEngine(options: EngineOptions, seed: Uint8Array | null): Promise<Engine> {
  const { port, code, live: isLive, settleAfterSeconds, keys_of_refused: keysOfRefused, now, ids } = options;
  const clock = backgroundClock;
  const sandbox = openSandbox({
    ...{ store: ':memory:', clock, random: systemRandom, code, settleAfterSeconds, keysOfRefused },
    ...{ isLive, ids, nowMs: now, allowHttpWebhooks: true },
  });
  if (seed !== null) await importState(sandbox.handle, seed, SEED_TARGET);
  const network = lazyNetwork();
  const defects: Error[] = [];
  const onDefect = (error: Error): void => void defects.push(error);
  const dispatcher = startDispatcher(sandbox.outbox, { transport: network.send, clock, onDefect });
  const withWake = <Args extends unknown[], T>(work: (...args: Args) => T): ((...args: Args) => T) => {
    return (...args) => {
      const result = work(...args);
      dispatcher.wake();
      return result;
    };
  };
  const handle = withWake(sandbox.handle);
  const wakingSandbox = { ...sandbox, handle, handleAll: withWake(sandbox.handleAll) };
  const { whenAttempted } = dispatcher;
  const server = port === null ? null : await serve(wakingSandbox, { port, clock, onDefect, whenAttempted });
  server?.unref();
  return {
    baseUrl: `http://127.0.0.1:${String(server?.port ?? NO_PORT)}`,
    get apiKey() {
      return sandbox.apiKey;
    },
    ask: handle,
    transport: sandboxTransport({ handle, whenAttempted }, systemClock),
    replaceKey: () => undefined,
    waitForDeliveries: async (patienceMs) => {
      const patience = new AbortController();
      const whenAnswered = dispatcher.whenAnswered(sandbox.timeMs()).then(() => []);
      const whenLate = systemClock.sleep(patienceMs, patience.signal).then(() => dispatcher.inProgress());
      return Promise.race([whenAnswered, whenLate]).finally(() => patience.abort());
    },
    close: async () => {
      await server?.close();
      await dispatcher.close();
      await network.close();
      sandbox.close();
      const [defect] = defects;
      if (defect !== undefined) throw defect;
    },
  };
}

function lazyNetwork() {
  const load = async () => {
    const { createUndiciTransport } = await import('../../client/undici.js');
    const options = { clock: backgroundClock, connections: IN_PROGRESS_MAX, holdsProcess: false };
    return createUndiciTransport(options);
  };
  let network: ReturnType<typeof load> | null = null;
  const send: Transport = async (request, options) => (await (network ??= load())).send(request, options);
  return { send, close: async () => (await network)?.close() };
}

const BODILESS_STATUSES: readonly number[] = [204, 205, 304];

export function fetchOf({ transport, baseUrl }: Pick<Engine, 'transport' | 'baseUrl'>): TestSandbox['fetch'] {
  return async (input, init) => {
    const request =
      input instanceof Request ? new Request(input, init) : new Request(new URL(input, baseUrl), init);
    const { method, url, signal } = request;
    if (new URL(url).origin !== new URL(baseUrl).origin)
      throw new TypeError(`fetch failed: this sandbox is at ${baseUrl}, and ${url} is elsewhere`);
    const body = request.body === null ? null : new Uint8Array(await request.arrayBuffer());
    signal.throwIfAborted();
    const httpRequest = { method, url, headers: Object.fromEntries(request.headers), body };
    const answer = await transport(httpRequest, { timeoutMs: Infinity, signal }).catch((error: unknown) => {
      signal.throwIfAborted();
      if (!(error instanceof NotAnswered)) throw error;
      throw new TypeError('fetch failed', { cause: error });
    });
    const isEmpty = method === 'HEAD' || BODILESS_STATUSES.includes(answer.status);
    const response = new Response(isEmpty ? null : Buffer.from(answer.body), {
      status: answer.status,
      headers: answer.headers.map(([name, value]) => [name, value]),
    });
    return Object.defineProperty(response, 'url', { value: url });
  };
}
