/** The embedded sandbox: the whole service over one store, as a function from a request to an answer, and as a transport. */
import { DEFAULT_CODE, type KeysOfRefused } from './default-code.js';
import { OWN_KEY_PREFIX, SCOPES } from '../contract/access.js';
import type { Clock, Random } from '../runtime/clock.js';
import type { Dispatcher } from './delivery/dispatcher.js';
import { outboxOf, type Outbox } from './delivery/outbox.js';
import { sandboxTime, type World } from './engine/world.js';
import { isTraceless } from './http/access.js';
import { findRoute } from './http/endpoints.js';
import { answerRequest } from './http/handle.js';
import { putsState } from './control/call.js';
import { CONTROL_PATH } from './control/control.js';
import { readyForState } from './control/state.js';
import { blankNote, type Note, requestLogOf } from './log/request-log.js';
import {
  refusalAnswer,
  type Handler,
  type Interference,
  type SandboxAnswer,
  type SandboxRequest,
} from './message.js';
import { openStore, type Store, type Written } from './store/store.js';
import { DatabaseUnusable } from '../runtime/database-unusable.js';
import {
  NotAnswered,
  type HttpRequest,
  type Transport,
  type TransportOptions,
} from '../runtime/transport.js';

export interface SandboxOptions {
  /** The path of a file, or `:memory:`. */
  readonly store: string;
  readonly clock: Clock;
  readonly random: Random;
  /** The one valid code; default `123456`. */
  readonly code?: string;
  /** How long payouts and `direct_debit` stay processing; default 0. */
  readonly settleAfterSeconds?: number;
  /** Default `forget`. */
  readonly keysOfRefused?: KeysOfRefused;
  /** Accept `http://` on loopback as a webhook url; default no. */
  readonly allowHttpWebhooks?: boolean;
  /** Called when another state was put in the place of everything, and is durable. */
  readonly onReplaced?: () => void;
}

export interface Sandbox {
  /** The key of company `default`, with every scope; the same for the same store, unless a state that is put into it has another one. */
  readonly apiKey: string;
  readonly code: string;
  /** @throws DatabaseUnusable where the file cannot be used; nothing was carried out then */
  readonly handle: Handler;
  /**
   * Carries out several requests in one transaction, all durable when it returns. A defect that one of them meets does not
   * touch the others: its place holds the error instead of an answer.
   */
  readonly handleAll: (requests: readonly SandboxRequest[]) => (SandboxAnswer | Error)[];
  /** What goes wrong with requests by the word of an interposer, in the log. */
  readonly spoilt: ReturnType<typeof spoiltLogOf>;
  /** Sandbox time in milliseconds. Where the store can't be read now, the clock stands where it was last seen. */
  readonly timeMs: () => number;
  /**
   * For a reader that follows along: how often each was written here, and the number of the last request. They only grow while the sandbox
   * is open. @throws DatabaseUnusable
   */
  readonly counters: () => Written & { readonly requests: number };
  /** The deliveries that are due. A running server sends them. */
  readonly outbox: Outbox;
  close(): void;
}

/**
 * Opens the sandbox over its store, making what is missing.
 * @throws DatabaseUnusable where the file cannot be used
 */
export function openSandbox(options: SandboxOptions): Sandbox {
  const store = openStore(options.store);
  const world = worldOf(store, options);
  const told = <T>(result: T): T => {
    if (world.replaced) options.onReplaced?.();
    world.replaced = false;
    return result;
  };
  const handle: Handler = (request) => told(handleOne(world, request));
  return {
    get apiKey() {
      return world.store.settings.lasting('ready_key');
    },
    code: world.code,
    handle,
    handleAll: (requests) => told(handleTogether(world, requests)),
    spoilt: spoiltLogOf(world),
    timeMs: timeOf(world),
    outbox: outboxOf(world),
    counters: () => ({ requests: writeLog(world), ...store.written() }),
    close: () => {
      try {
        if (!world.log.isInMemory) writeLog(world);
      } catch {
        // What only read is not worth a failure at the end.
      }
      store.close();
    },
  };
}

function worldOf(store: Store, options: SandboxOptions): World {
  const { clock, random, code = DEFAULT_CODE, settleAfterSeconds = 0 } = options;
  const { keysOfRefused = 'forget', allowHttpWebhooks = false } = options;
  store.transaction(() => {
    store.settings.once('ready_key', () => {
      const key = OWN_KEY_PREFIX.sandbox + random.hex(24);
      store.companies.addKey(key, store.companies.ensure('sandbox', 'default'), SCOPES);
      return key;
    });
    store.settings.once('cursor_secret', () => random.hex(32));
  });
  return {
    store,
    clock,
    random,
    code,
    settleAfterMs: settleAfterSeconds * 1000,
    keysOfRefused,
    allowHttpWebhooks,
    log: requestLogOf(store.requests, options.store === ':memory:'),
    expected: new Map(),
    replaced: false,
  };
}

/** For what is answered outside of any transaction. */
function timeOf({ store, clock }: World): () => number {
  let offsetMs = 0;
  return () => {
    try {
      offsetMs = store.settings.clockOffsetMs();
    } catch {
      // The answer that the store can't be used has a date too.
    }
    return clock.now() + offsetMs;
  };
}

/** The log has it where it changed something: one that only read is not worth a commit of its own, but in memory, where that costs nothing. */
function handleOne(world: World, request: SandboxRequest): SandboxAnswer {
  return undoable(world, () => {
    const before = world.store.changes();
    const answer = answerLogged(world, request);
    if (world.log.isInMemory) return answer;
    if (world.store.changes() !== before) world.log.write();
    else world.log.clear();
    return answer;
  });
}

/** One transaction for all; where one request breaks it, nothing was answered yet, so each gets a transaction of its own. */
function handleTogether(world: World, requests: readonly SandboxRequest[]): (SandboxAnswer | Error)[] {
  try {
    return handleGroup(world, requests);
  } catch (error) {
    if (error instanceof DatabaseUnusable) return requests.map(() => error);
    return requests.map((request) => {
      try {
        const [answer] = handleGroup(world, [request]);
        return answer ?? new Error('a request has an answer');
      } catch (error) {
        return error instanceof Error ? error : new Error('not an error was thrown', { cause: error });
      }
    });
  }
}

/** Those that only read wait in the log for a commit that is made anyway. */
function handleGroup(world: World, requests: readonly SandboxRequest[]): SandboxAnswer[] {
  return undoable(world, () => {
    const before = world.store.changes();
    const answers = requests.map((request) => answerLogged(world, request));
    if (!world.log.isInMemory && (world.store.changes() !== before || world.log.isFull())) world.log.write();
    return answers;
  });
}

/** A transaction, and with it what waits for the log: undone together. */
function undoable<T>(world: World, work: () => T): T {
  const mark = world.log.mark();
  world.replaced = false;
  try {
    return world.store.transaction(work);
  } catch (error) {
    mark.restore();
    throw error;
  }
}

function answerLogged(world: World, request: SandboxRequest): SandboxAnswer {
  const { clock, log } = world;
  const startedMs = clock.monotonic();
  const note = blankNote();
  const answer = answerRequest(world, request, note);
  if (request.target.startsWith(CONTROL_PATH) || isTraceless(request)) return answer;
  const atMs = note.atMs ?? sandboxTime(world);
  const exchanged = {
    request,
    answer,
    note,
    atMs,
    wallMs: clock.now(),
    tookMs: clock.monotonic() - startedMs,
  };
  if (world.expected.has(request)) world.expected.set(request, exchanged);
  else log.add(exchanged);
  return answer;
}

/** Requests that the log has only once they are over. */
function spoiltLogOf(world: World) {
  const { clock, log, expected } = world;
  return {
    /** Said before it is carried out. */
    expect: (request: SandboxRequest): void => void expected.set(request, expected.get(request) ?? null),
    /** @param sent what its sender got; null where the connection was cut */
    ended: (request: SandboxRequest, fault: string, sent: SandboxAnswer | null): void => {
      const carriedOut = expected.get(request) ?? null;
      expected.delete(request);
      const note = { ...(carriedOut?.note ?? noteOf(request)), fault };
      const lost = carriedOut?.answer ?? refusalAnswer({ refusal: 'temporarily_unavailable' });
      const kind = carriedOut === null ? 'drop-before' : 'drop-after';
      const answer: SandboxAnswer = sent ?? { ...lost, interference: { kind } };
      const seen = carriedOut ?? { request, atMs: timeOf(world)(), wallMs: clock.now(), tookMs: 0 };
      log.add({ ...seen, note, answer });
    },
  };
}

/** What is known of one that nobody carried out. */
function noteOf({ method, target }: SandboxRequest): Note {
  const route = findRoute(method, target.split('?', 1)[0] ?? '');
  return { ...blankNote(), endpoint: 'refusal' in route ? null : route.endpoint };
}

function writeLog(world: World): number {
  if (!world.log.isWaiting()) return world.store.requests.lastId();
  return undoable(world, () => {
    world.log.write();
    return world.store.requests.lastId();
  });
}

const NO_BODY = new Uint8Array();

/**
 * Answers requests to any loopback address from the handler; what a fault does to a connection becomes `NotAnswered`. Without a
 * dispatcher's `attempted` nobody delivers, and no answer waits for that.
 * @throws DatabaseUnusable where the file cannot be used
 */
export function sandboxTransport(
  { handle, attempted }: Pick<Sandbox, 'handle'> & Partial<Pick<Dispatcher, 'attempted'>>,
  clock: Clock,
): Transport {
  return async (request, options) => {
    if (options.signal?.aborted === true)
      throw new NotAnswered('aborted', false, 'stopped before it was sent');
    const { host, target } = split(request);
    if (putsState(request.method, target)) await readyForState();
    const { status, headers, body, interference, deliveredFirst } = handle({
      method: request.method,
      target,
      headers: [['host', host], ...Object.entries(request.headers).filter(([name]) => name !== 'host')],
      body: request.body ?? NO_BODY,
    });
    if (deliveredFirst !== undefined) await attempted?.(deliveredFirst);
    await interfere(interference, options, clock);
    return { status, headers: Object.entries(headers), body };
  };
}

/** Host and target as they stand in the address: a parser would rewrite `//` and `%2f`. */
function split({ url }: HttpRequest): { host: string; target: string } {
  const [, host = '', target = ''] = /^[a-z]+:\/\/([^/?#]*)([^#]*)/i.exec(url) ?? [];
  return { host, target: target.startsWith('/') ? target : `/${target}` };
}

async function interfere(
  interference: Interference | null,
  { timeoutMs, signal }: TransportOptions,
  clock: Clock,
): Promise<void> {
  if (interference === null) return;
  if (interference.kind === 'truncated')
    throw new NotAnswered('truncated', true, 'the connection was cut in the middle of the answer');
  if (interference.kind === 'drop-before' || interference.kind === 'drop-after')
    throw new NotAnswered('reset', true, 'the connection was cut');
  const heldMs = interference.kind === 'silent' ? Infinity : interference.delayMs;
  try {
    await clock.sleep(Math.min(heldMs, timeoutMs), signal);
  } catch (error) {
    throw new NotAnswered('aborted', true, 'stopped while it waited for an answer', { cause: error });
  }
  if (heldMs >= timeoutMs) {
    throw new NotAnswered('timeout', true, `no answer within ${timeoutMs} ms`);
  }
}
