/** The client: makes a call with its attempts, waits and lookup, and hands back the whole conversation. It decides nothing about the end. */
import { endpoint, type EndpointId, operationsOf } from '../contract/endpoints.js';
import type { Moment } from '../contract/moment.js';
import { attemptsOf, CALL_PATIENCE } from '../contract/retry.js';
import type { MachineClock } from '../runtime/clock.js';
import type { Random } from '../runtime/random.js';
import { NotAnswered, type HttpAnswer, type HttpRequest, type Transport } from '../runtime/transport.js';
import { isUnknown, type Attempt, type CreateFacts, type Tried } from '../contract/attempt.js';
import {
  prepare,
  prepareRaw,
  type Prepared,
  type RawInput,
  buildRequest,
  type RequestInput,
  type Origin,
} from './request.js';
import { readAnswer, type Expected } from './response.js';
import { ServiceClock } from './service-clock.js';
import { askedOf, type Asked } from '../contract/operation-facts.js';

/** What happens on the wire, for `--debug` and notes; nothing in it is redacted. */
export type Observation =
  | { readonly kind: 'request'; readonly request: HttpRequest; readonly attempt: number }
  | { readonly kind: 'answer'; readonly answer: HttpAnswer; readonly tookMs: number }
  | { readonly kind: 'no_answer'; readonly error: NotAnswered; readonly tookMs: number }
  | { readonly kind: 'wait'; readonly waitMs: number };

export interface ClientOptions extends Origin {
  readonly transport: Transport;
  readonly clock: MachineClock;
  readonly random: Random;
  /** For each exchange, its body included, in milliseconds (30 s: cutting earlier abandons a request that is still alive). */
  readonly timeoutMs?: number;
  readonly observe?: (observation: Observation) => void;
  /** Hears every answer as it comes, and so knows the service's time. */
  readonly serviceClock?: ServiceClock;
}

interface AttemptOptions {
  readonly signal?: AbortSignal | undefined;
  /** For each exchange of this call, where it differs from the client's. */
  readonly timeoutMs?: number;
  /** Asked in the moment in which it is written; where it says no, nothing leaves. */
  readonly mayLeave?: () => boolean;
}

export interface SendOptions extends AttemptOptions {
  /** In all; 3 without it. */
  readonly attemptsMax?: number;
  /** For a create that was sent before, or whose key the caller named. */
  readonly create?: CreateFacts;
  /** When the bytes of a create first left, where an earlier process has sent them. */
  readonly left?: Moment | undefined;
}

/** Everything that was tried, with the request whose bytes every attempt carried. */
export interface Conversation extends Tried, Prepared {}

export interface Client {
  /** The request of a row of the table, not sent yet. @throws InvalidRequest */
  prepare(endpointId: EndpointId, input?: RequestInput, idempotencyKey?: string): Prepared;
  /** Any request below `/v2`, not sent yet. @throws InvalidRequest */
  prepareRaw(method: string, path: string, input?: RawInput, idempotencyKey?: string): Prepared;
  /** Sends it once, without a look at what came of it. Never rejects, as below. */
  attempt(prepared: Prepared, options?: AttemptOptions): Promise<Attempt>;
  /** Sends it. Never rejects for anything that happens on the wire, nor for an abort: that is in the conversation. */
  send(prepared: Prepared, options?: SendOptions): Promise<Conversation>;
  /**
   * Asks what time it is for the service, at an address that nobody has asked for before: no cache can have kept that answer. Where none comes,
   * or none that says it, nothing is known afterwards. Rejects as `send` does: never.
   */
  askTime(options?: AttemptOptions): Promise<void>;
  /** Prepares and sends. Rejects with InvalidRequest. */
  call(
    endpointId: EndpointId,
    input?: RequestInput,
    options?: SendOptions & { readonly idempotencyKey?: string },
  ): Promise<Conversation>;
}

export function createClient(options: ClientOptions): Client {
  const { transport, clock, random } = options;
  const observe = options.observe ?? ((): void => undefined);
  const serviceClock = options.serviceClock ?? new ServiceClock({ clock });

  const exchange = async (
    { request, expected, asked, isFresh = false }: HeldRequest,
    call: AttemptOptions,
    count: number,
  ): Promise<Attempt> => {
    observe({ kind: 'request', request, attempt: count });
    const startedMs = clock.monotonic();
    const timeoutMs = call.timeoutMs ?? options.timeoutMs ?? 30_000;
    try {
      const answer = await transport(request, { timeoutMs, signal: call.signal, mayLeave: call.mayLeave });
      serviceClock.hear(answer, request.method === 'POST' || (isFresh && isAbsent(answer)));
      observe({ kind: 'answer', answer, tookMs: clock.monotonic() - startedMs });
      return readAnswer(answer, expected, clock.now(), asked);
    } catch (error) {
      if (!(error instanceof NotAnswered)) throw error;
      observe({ kind: 'no_answer', error, tookMs: clock.monotonic() - startedMs });
      return { kind: error.sent ? 'lost' : 'not_sent', reason: error.reason, message: error.message };
    }
  };

  /** One GET, never repeated: the call has been answered, or not, without it. */
  const lookUp = async (prepared: Prepared, call: SendOptions): Promise<Attempt | null> => {
    const lookup = prepared.endpointId === null ? null : endpoint(prepared.endpointId).lookup;
    if (lookup === null || prepared.id === null || call.signal?.aborted === true) return null;
    return exchange(heldRequestOf(prepare(options, lookup, { id: prepared.id }, undefined)), call, 1);
  };

  const send = async (prepared: Prepared, call: SendOptions = {}): Promise<Conversation> => {
    const { retry } = prepared;
    const held = heldRequestOf(prepared);
    const startedMs = clock.monotonic();
    const left = call.left ?? serviceClock.moment();
    const attempts = await attemptsOf({
      retry,
      patience: { ...CALL_PATIENCE, attemptsMax: call.attemptsMax ?? CALL_PATIENCE.attemptsMax },
      fraction: () => random.fraction(),
      attempt: (count) => exchange(held, call, count),
      wait: async (waitMs) => {
        if (!(await waited(waitMs, call.signal))) return false;
        // The machine may have slept meanwhile.
        return retry !== 'keyed' || serviceClock.mayGoOn(left);
      },
    });
    const unsettled = retry === 'once' && attempts.some((one) => isUnknown(one, retry));
    const lookup = unsettled ? await lookUp(prepared, call) : null;
    return { ...prepared, attempts, lookup, create: retry === 'keyed' ? factsOf(call, startedMs) : null };
  };

  /** Bytes that leave now left when the service's clock showed what it shows now; before its first answer nobody knows that. */
  const factsOf = ({ create }: SendOptions, startedMs: number): CreateFacts => ({
    isOwnKey: create?.isOwnKey ?? false,
    firstLeftMs: create?.firstLeftMs ?? (serviceClock.isHeard() ? serviceClock.at(startedMs) : null),
  });

  const waited = async (waitMs: number, signal: AbortSignal | undefined): Promise<boolean> => {
    observe({ kind: 'wait', waitMs });
    try {
      await clock.sleep(waitMs, signal);
      return true;
    } catch (error) {
      if (signal?.aborted === true) return false;
      throw error;
    }
  };

  const client: Client = {
    prepare: (endpointId, input = {}, key) => prepare(options, endpointId, input, key),
    prepareRaw: (method, path, input = {}, key) => prepareRaw(options, { method, path }, input, key),
    attempt: (prepared, call = {}) => exchange(heldRequestOf(prepared), call, 1),
    send,
    askTime: async (call = {}) => {
      const request = buildRequest('transactions.get', { id: random.uuid() }, options, null);
      await exchange({ request, expected: null, asked: null, isFresh: true }, call, 1);
    },
    call: async (endpointId, input, call = {}) =>
      send(client.prepare(endpointId, input, call.idempotencyKey), call),
  };
  return client;
}

/** There is nothing by that id, or this key may not see it: nobody in between has such an answer. */
function isAbsent({ status }: HttpAnswer): boolean {
  return status === 404 || status === 403;
}

/** One request, and what its answers are held to. */
interface HeldRequest {
  readonly request: HttpRequest;
  /** It names what nobody has asked for before. */
  readonly isFresh?: boolean;
  readonly expected: Expected;
  /** Null for a request that is no row of the table. */
  readonly asked: Asked | null;
}

export function heldRequestOf({ endpointId, id, request, members }: Prepared): HeldRequest {
  if (endpointId === null) return { request, expected: null, asked: null };
  const asked = { ...askedOf(members ?? {}, operationsOf(endpointId)), ...(id === null ? {} : { id }) };
  return { request, expected: endpoint(endpointId), asked };
}
