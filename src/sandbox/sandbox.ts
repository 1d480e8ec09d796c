import { DEFAULT_CODE, type KeysOfRefused } from '../contract/sandbox-code.js';
import { ISSUED_KEY_PREFIX, SCOPES } from '../contract/access.js';
import type { Clock, Random } from '../runtime/clock.js';
import type { Dispatcher } from './delivery/dispatcher.js';
import { outboxOf } from './delivery/outbox.js';
import { fixedRandom } from './engine/fixed-random.js';
import { beginEra, sandboxTime, type World } from './engine/world.js';
import { isUnlogged } from './http/access.js';
import { findRoute } from './http/endpoints.js';
import { answerRequest } from './http/handle.js';
import { isStateUpload } from './control/call.js';
import { CONTROL_PATH } from './control/control.js';
import { loadStateReader } from './control/state.js';
import { RequestNote, requestLogOf } from './log/request-log.js';
import { refusalAnswer, type Handler, type SandboxAnswer, type SandboxRequest } from './message.js';
import { DEFAULT_COMPANY } from './store/companies.js';
import { openStore } from './store/store.js';
import { DatabaseUnusable } from '../runtime/database-unusable.js';
import { NotAnswered, type Transport, type TransportOptions } from '../runtime/transport.js';

export interface SandboxOptions {
  readonly store: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly code?: string;
  readonly settleAfterSeconds?: number;
  readonly keysOfRefused?: KeysOfRefused;
  readonly allowHttpWebhooks?: boolean;
  readonly isLive?: boolean;
  /** The time at which the clock begins. */
  readonly nowMs?: number | null;
  /** Use `fixed` only with a store in memory, because everybody can guess fixed keys. */
  readonly ids?: IdChoice;
  readonly onReplaced?: () => void;
}

export const ID_CHOICES = ['random', 'fixed'] as const;
export type IdChoice = (typeof ID_CHOICES)[number];

export type Sandbox = ReturnType<typeof openSandbox>;

export function openSandbox(options: SandboxOptions) {
  const { clock, code = DEFAULT_CODE, settleAfterSeconds = 0, nowMs = null } = options;
  const { keysOfRefused = 'forget', allowHttpWebhooks = false } = options;
  const store = openStore(options.store);
  const idSource = options.ids === 'fixed' ? fixedRandom() : null;
  const random = idSource ?? options.random;
  const liveKey = options.isLive === true ? ISSUED_KEY_PREFIX.live + random.hex(24) : null;
  const fixedSettings = store.transaction(() => {
    const key = store.settings.readOrMake('ready_key', () => {
      const key = ISSUED_KEY_PREFIX.sandbox + random.hex(24);
      store.companies.addKey(key, store.companies.ensure('sandbox', DEFAULT_COMPANY), SCOPES);
      return key;
    });
    const secret = store.settings.readOrMake('cursor_secret', () => random.hex(32));
    if (nowMs !== null) store.settings.setClockOffsetMs(nowMs - clock.now());
    return idSource === null ? {} : { ready_key: key, cursor_secret: secret };
  });
  const world: World = {
    ...{ store, clock, random, code, keysOfRefused, allowHttpWebhooks },
    settleAfterMs: settleAfterSeconds * 1000,
    log: requestLogOf(store.requests, options.store === ':memory:'),
    heldEntries: new Map(),
    isReplaced: false,
    era: 0,
    start: { nowMs, liveKey, idSource, fixedSettings, seed: null },
  };
  if (liveKey !== null || idSource !== null) store.transaction(() => beginEra(world));
  const notifyReplaced = <T>(result: T): T => {
    if (world.isReplaced) options.onReplaced?.();
    world.isReplaced = false;
    return result;
  };
  const handle: Handler = (request) => notifyReplaced(handleOne(world, request));
  return {
    get apiKey() {
      return liveKey ?? store.settings.readFixed('ready_key');
    },
    code: world.code,
    handle,
    /** Runs all requests in one transaction. The result of a failed request is its error. */
    handleAll: (requests: readonly SandboxRequest[]) => notifyReplaced(handleTogether(world, requests)),
    faultLog: faultLogOf(world),
    timeMs: timeOf(world),
    outbox: outboxOf(world),
    counters: () => {
      writeLog(world);
      return { requests: store.requests.lastId(), ...store.writeCounts() };
    },
    close: (): void => {
      try {
        if (!world.log.isInMemory) writeLog(world);
      } catch {
        // Only log entries of requests that changed nothing are lost.
      }
      store.close();
    },
  };
}

function timeOf({ store, clock }: World): () => number {
  let offsetMs = 0;
  return () => {
    try {
      offsetMs = store.settings.clockOffsetMs();
    } catch {
      // An unusable store leaves the last known offset, because every answer needs a date.
    }
    return clock.now() + offsetMs;
  };
}

/** With a store in a file, a lone request that changed nothing is not logged, to save a commit. */
function handleOne(world: World, request: SandboxRequest): SandboxAnswer {
  return transact(world, () => {
    const oldCount = world.store.changes();
    const answer = answerLogged(world, request);
    if (world.log.isInMemory) return answer;
    if (world.store.changes() !== oldCount) world.log.write();
    else world.log.clear();
    return answer;
  });
}

function handleTogether(world: World, requests: readonly SandboxRequest[]): (SandboxAnswer | Error)[] {
  try {
    return handleGroup(world, requests);
  } catch (error) {
    if (error instanceof DatabaseUnusable) return requests.map(() => error);
    return requests.map((request) => {
      try {
        return handleGroup(world, [request])[0] ?? new Error('a request has an answer');
      } catch (error) {
        return error instanceof Error ? error : new Error('not an error was thrown', { cause: error });
      }
    });
  }
}

function handleGroup(world: World, requests: readonly SandboxRequest[]): SandboxAnswer[] {
  return transact(world, () => {
    const oldCount = world.store.changes();
    const answers = requests.map((request) => answerLogged(world, request));
    if (!world.log.isInMemory && (world.store.changes() !== oldCount || world.log.isFull()))
      world.log.write();
    return answers;
  });
}

function transact<T>(world: World, work: () => T): T {
  const savepoint = world.log.savepoint();
  world.isReplaced = false;
  try {
    return world.store.transaction(work);
  } catch (error) {
    savepoint.restore();
    throw error;
  }
}

function answerLogged(world: World, request: SandboxRequest): SandboxAnswer {
  const { clock, log } = world;
  const startedMs = clock.monotonic();
  const note = new RequestNote();
  const answer = answerRequest(world, request, note);
  if (request.target.startsWith(CONTROL_PATH) || isUnlogged(request)) return answer;
  const atMs = note.atMs ?? sandboxTime(world);
  const entry = { request, answer, note, atMs, wallMs: clock.now(), tookMs: clock.monotonic() - startedMs };
  if (world.heldEntries.has(request)) world.heldEntries.set(request, entry);
  else log.add(entry);
  return answer;
}

function faultLogOf(world: World) {
  const { clock, log, heldEntries } = world;
  return {
    holdEntry: (request: SandboxRequest) => void heldEntries.set(request, heldEntries.get(request) ?? null),
    finish: (request: SandboxRequest, fault: string, sentAnswer: SandboxAnswer | null): void => {
      const exchange = heldEntries.get(request) ?? null;
      heldEntries.delete(request);
      const note = exchange?.note ?? new RequestNote();
      note.fault = fault;
      const route = findRoute(request.method, request.target.split('?', 1)[0] ?? '');
      if (exchange === null && !('refusal' in route)) note.endpoint = route.endpoint;
      const unsentAnswer = exchange?.answer ?? refusalAnswer({ refusal: 'temporarily_unavailable' });
      const kind = exchange === null ? 'drop-before' : 'drop-after';
      const answer: SandboxAnswer = sentAnswer ?? { ...unsentAnswer, interference: { kind } };
      const timing = exchange ?? { request, atMs: timeOf(world)(), wallMs: clock.now(), tookMs: 0 };
      log.add({ ...timing, note, answer });
    },
  };
}

function writeLog(world: World): void {
  if (world.log.hasEntries()) transact(world, () => world.log.write());
}

export function sandboxTransport(
  { handle, whenAttempted }: Pick<Sandbox, 'handle'> & Partial<Pick<Dispatcher, 'whenAttempted'>>,
  clock: Clock,
): Transport {
  return async (request, options) => {
    // `new URL` would rewrite a path such as `/a/../b`, so a pattern reads the path.
    const [, host = '', path = ''] = /^[a-z]+:\/\/([^/?#]*)([^#]*)/i.exec(request.url) ?? [];
    const target = path.startsWith('/') ? path : `/${path}`;
    if (isStateUpload(request.method, target)) await loadStateReader();
    if (options.signal?.aborted === true)
      throw new NotAnswered('aborted', false, 'stopped before it was sent');
    const { status, headers, body, interference, deliveryIds } = handle({
      method: request.method,
      target,
      headers: [['host', host], ...Object.entries(request.headers).filter(([name]) => name !== 'host')],
      body: request.body ?? new Uint8Array(),
    });
    if (deliveryIds !== undefined) await whenAttempted?.(deliveryIds);
    await interfere(interference, options, clock);
    return { status, headers: Object.entries(headers), body };
  };
}

async function interfere(
  interference: SandboxAnswer['interference'],
  { timeoutMs, signal }: TransportOptions,
  clock: Clock,
): Promise<void> {
  if (interference === null) return;
  if (interference.kind === 'truncated')
    throw new NotAnswered('truncated', true, 'the connection was cut in the middle of the answer');
  if (interference.kind === 'drop-before' || interference.kind === 'drop-after')
    throw new NotAnswered('reset', true, 'the connection was cut');
  const delayMs = interference.kind === 'delay' ? interference.delayMs : Infinity;
  try {
    await clock.sleep(Math.min(delayMs, timeoutMs), signal);
  } catch (error) {
    throw new NotAnswered('aborted', true, 'stopped while it waited for an answer', { cause: error });
  }
  if (delayMs >= timeoutMs) throw new NotAnswered('timeout', true, `no answer within ${timeoutMs} ms`);
}
