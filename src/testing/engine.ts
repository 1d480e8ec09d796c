/** A sandbox in this process, or of an exam, with what it takes to reach it and to deliver from it; none of what is in this process holds it. */
import { backgroundClock, systemClock, systemRandom, type Random } from '../runtime/clock.js';
import { type Transport, NotAnswered } from '../runtime/transport.js';
import { startDispatcher } from '../sandbox/delivery/dispatcher.js';
import { UNDER_WAY_MAX } from '../sandbox/delivery/attempt.js';
import type { Handler } from '../sandbox/message.js';
import { openSandbox, sandboxTransport } from '../sandbox/sandbox.js';
import { serve } from '../sandbox/server.js';
import { answered, type AskSandbox, sandboxControl } from './control.js';
import { putState } from './state.js';
import type { TestSandboxOptions, TestSandbox } from './types.js';

export type EngineOptions = Required<Omit<TestSandboxOptions, 'seed'>>;

/** One that has no answer yet. */
export interface OwedDelivery {
  readonly delivery: { readonly id: string; readonly type: string };
  readonly url: string;
}

/** Nobody listens there: what is sent to it by mistake goes nowhere. */
const NO_PORT = 0;

export interface Engine {
  /** `http://127.0.0.1:PORT`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly ask: AskSandbox;
  /** Straight into the service. */
  readonly transport: Transport;
  /** Makes the live key again that a reset took, or another state. @param readyKey the key of that state */
  restoreKey(readyKey?: string): Promise<void>;
  /**
   * Resolves once every delivery that is due has been attempted and answered, to none; after that long to the attempts that have no
   * answer. Rejects where the sandbox is closed.
   */
  answered(patienceMs: number): Promise<readonly OwedDelivery[]>;
  /** @throws the defect that deliveries or requests met, where there was one */
  close(): Promise<void>;
}

/** @param seed the state that it begins with; null for an empty one @throws Error where that is wrong */
export async function startEngine(options: EngineOptions, seed: Uint8Array | null): Promise<Engine> {
  const { port, code, live, settleAfterSeconds, keys_of_refused: keysOfRefused } = options;
  const clock = backgroundClock;
  const random = repeating(systemRandom);
  const sandbox = openSandbox({
    ...{ store: ':memory:', clock, random, code, settleAfterSeconds, keysOfRefused },
    allowHttpWebhooks: true,
  });
  if (seed !== null) await putState(sandbox.handle, seed);
  const network = lateNetwork();
  const defects: Error[] = [];
  const onDefect = (error: Error): void => void defects.push(error);
  const dispatcher = startDispatcher(sandbox.outbox, { transport: network.send, clock, onDefect });
  /** Whatever a request did, there may be something to deliver. */
  const waking = <Args extends unknown[], T>(work: (...args: Args) => T): ((...args: Args) => T) => {
    return (...args) => {
      const result = work(...args);
      dispatcher.wake();
      return result;
    };
  };
  const handle = waking(sandbox.handle);
  const served = { ...sandbox, handle, handleAll: waking(sandbox.handleAll) };
  const server =
    port === null ? null : await serve(served, { port, clock, onDefect, attempted: dispatcher.attempted });
  server?.unref();
  const liveKey = random.once(() => (live ? makeLiveKey(handle) : null));
  return {
    baseUrl: `http://127.0.0.1:${String(server?.port ?? NO_PORT)}`,
    get apiKey() {
      return liveKey.result ?? sandbox.apiKey;
    },
    ask: handle,
    transport: sandboxTransport({ handle, attempted: dispatcher.attempted }, systemClock),
    restoreKey: async () => {
      if (live && !(await knowsKey(handle, liveKey.result ?? ''))) liveKey.again(() => makeLiveKey(handle));
    },
    answered: async (patienceMs) => {
      const patience = new AbortController();
      const all = dispatcher.answered(sandbox.timeMs()).then(() => []);
      const late = systemClock.sleep(patienceMs, patience.signal).then(() => dispatcher.underWay());
      return Promise.race([all, late]).finally(() => patience.abort());
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

function makeLiveKey(handle: Handler): string {
  const answer = handle({
    method: 'POST',
    target: '/_control/keys',
    headers: [['host', 'localhost']],
    body: Buffer.from('{"environment":"live"}'),
  });
  return (answered(answer, 'No live key was made') as { api_key: string }).api_key;
}

export async function knowsKey(ask: AskSandbox, key: string): Promise<boolean> {
  const { companies } = (await sandboxControl(ask).get('companies')) as {
    companies: { keys: { api_key: string }[] }[];
  };
  return companies.some(({ keys }) => keys.some((one) => one.api_key === key));
}

/** Randomness that can say again what it said: a key that a reset took is made again as it was. */
function repeating(random: Random) {
  let [drawn, given]: [string[] | null, string[]] = [null, []];
  return {
    ...random,
    hex: (count: number): string => {
      const text = given.shift() ?? random.hex(count);
      drawn?.push(text);
      return text;
    },
    /** Does the work, and remembers what it drew: `again` does it with the same. */
    once: <T>(work: () => T) => {
      const said: string[] = (drawn = []);
      const result = work();
      drawn = null;
      return {
        result,
        again: (repeat: () => unknown): void => {
          given = [...said];
          repeat();
          given = [];
        },
      };
    },
  };
}

/** The way to receivers, loaded with the first delivery. */
function lateNetwork(): { readonly send: Transport; readonly close: () => Promise<void> } {
  let opened: Promise<{ readonly send: Transport; readonly close: () => Promise<void> }> | null = null;
  const open = async () => {
    const { createUndiciTransport } = await import('../client/undici.js');
    return createUndiciTransport({
      clock: backgroundClock,
      connections: UNDER_WAY_MAX,
      holdsProcess: false,
    });
  };
  return {
    send: async (request, options) => (await (opened ??= open())).send(request, options),
    close: async () => (await opened)?.close(),
  };
}

/** Statuses whose answers have no body. */
const WITHOUT_BODY: readonly number[] = [204, 205, 304];

/** What a path counts from is its address; another one is refused, so that a client that is set up wrong is seen. */
export function fetchOf({ transport, baseUrl }: Pick<Engine, 'transport' | 'baseUrl'>): TestSandbox['fetch'] {
  return async (input, init) => {
    const request =
      input instanceof Request ? new Request(input, init) : new Request(new URL(input, baseUrl), init);
    const { method, url, signal } = request;
    if (new URL(url).origin !== new URL(baseUrl).origin)
      throw new TypeError(`fetch failed: this sandbox is at ${baseUrl}, and ${url} is elsewhere`);
    const body = request.body === null ? null : new Uint8Array(await request.arrayBuffer());
    signal.throwIfAborted();
    const sent = { method, url, headers: Object.fromEntries(request.headers), body };
    const answer = await transport(sent, { timeoutMs: Infinity, signal }).catch((error: unknown) => {
      signal.throwIfAborted();
      if (!(error instanceof NotAnswered)) throw error;
      throw new TypeError('fetch failed', { cause: error });
    });
    const isEmpty = method === 'HEAD' || WITHOUT_BODY.includes(answer.status);
    const response = new Response(isEmpty ? null : Buffer.from(answer.body), {
      status: answer.status,
      headers: answer.headers.map(([name, value]) => [name, value]),
    });
    return Object.defineProperty(response, 'url', { value: url });
  };
}
