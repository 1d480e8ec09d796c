/** The client: makes a call with its attempts, waits and lookup, reads each answer, and hands back the whole conversation. It decides nothing about the end. */
import type { Environment } from '../contract/access.js';
import { endpoint, type EndpointId, operationsOf, type Endpoint } from '../contract/endpoints.js';
import type { Moment } from '../contract/moment.js';
import type { Permit } from '../contract/permit.js';
import { attemptsOf, CALL_PATIENCE } from '../contract/retry.js';
import { type MachineClock, type Random, sleepUnlessAborted } from '../runtime/clock.js';
import { Failure } from '../runtime/failure.js';
import {
  NotAnswered,
  type HttpAnswer,
  type HttpRequest,
  type Transport,
  headerOf,
} from '../runtime/transport.js';
import { isUnknown, type Attempt, type CreateFacts, type CallAttempts } from '../contract/attempt.js';
import {
  prepare,
  prepareRaw,
  type Prepared,
  type RawInput,
  addressOf,
  buildRequest,
  type RequestInput,
  type Origin,
} from './request.js';
import { ServiceClock } from './service-clock.js';
import {
  requestedFacts,
  type RequestedOperation,
  differenceOf,
  type OperationFacts,
  readOperation,
} from '../contract/operation-facts.js';
import { isUuid } from '../contract/notation.js';
import { isObject } from '../contract/shape.js';
import { ERRORS, readEnvelope, type ErrorCode } from '../contract/errors.js';

/** What happens on the wire, for `--debug` and notes; nothing in it is redacted. */
export type Observation =
  | { readonly kind: 'request'; readonly request: HttpRequest; readonly attempt: number }
  | { readonly kind: 'answer'; readonly answer: HttpAnswer; readonly tookMs: number }
  | { readonly kind: 'no_answer'; readonly error: NotAnswered; readonly tookMs: number }
  | { readonly kind: 'wait'; readonly waitMs: number };

export interface ClientOptions extends Origin {
  /** Live, only reads leave without a permit. */
  readonly environment: Environment;
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
  /** Live, what is no read leaves with the permit of its very bytes; null where none is needed. */
  readonly permit?: Permit | null;
  /** Of a create: who holds the operation of an answer already, as far as this machine knows. */
  readonly holderOf?: HolderOf | undefined;
}

/**
 * `same`: something else of the reference that was sent. `other`: something of another one. `contradicted`: it is known to have ended otherwise than
 * the answer says.
 */
export type HolderOf = (operation: OperationFacts) => Promise<'same' | 'other' | 'contradicted' | null>;

export interface SendOptions extends AttemptOptions {
  /** In all; 3 without it. */
  readonly attemptsMax?: number;
  /** For a create that was sent before, or whose key the caller named. */
  readonly create?: CreateFacts;
  /** When the bytes of a create first left, where an earlier process has sent them. */
  readonly left?: Moment | undefined;
}

/** Everything that was tried, with the request whose bytes every attempt carried. */
export interface Conversation extends CallAttempts, Prepared {}

export interface Client {
  /** The request of a row of the table, not sent yet. @throws InvalidRequest */
  prepare(endpointId: EndpointId, input?: RequestInput, idempotencyKey?: string): Prepared;
  /** Any request below `/v2`, not sent yet. @throws InvalidRequest */
  prepareRaw(method: string, path: string, input?: RawInput, idempotencyKey?: string): Prepared;
  /** Sends it once, without a look at what came of it. Rejects as below. */
  attempt(prepared: Prepared, options?: AttemptOptions): Promise<Attempt>;
  /**
   * Sends it. Never rejects for anything that happens on the wire, nor for an abort: that is in the conversation. Live, what is no read and
   * has no permit of its own is a defect, and nothing leaves.
   */
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

  const exchange = async (held: HeldRequest, call: AttemptOptions, count: number): Promise<Attempt> => {
    const { request, expected, asked, isFresh = false } = held;
    if (options.environment === 'live') await requirePermit(request, options, call.permit);
    observe({ kind: 'request', request, attempt: count });
    const startedMs = clock.monotonic();
    const timeoutMs = call.timeoutMs ?? options.timeoutMs ?? 30_000;
    try {
      const answer = await transport(request, { timeoutMs, signal: call.signal, mayLeave: call.mayLeave });
      // There is nothing by a fresh id, or this key may not see it: nobody in between has such an answer.
      const isAbsent = answer.status === 404 || answer.status === 403;
      serviceClock.hear(answer, request.method === 'POST' || (isFresh && isAbsent));
      observe({ kind: 'answer', answer, tookMs: clock.monotonic() - startedMs });
      const attempt = readAnswer(answer, expected, clock.now(), asked);
      return expected?.retry === 'keyed' && attempt.kind === 'success'
        ? await believed(attempt, asked, call)
        : attempt;
    } catch (error) {
      if (!(error instanceof NotAnswered)) throw error;
      observe({ kind: 'no_answer', error, tookMs: clock.monotonic() - startedMs });
      return { kind: error.sent ? 'lost' : 'not_sent', reason: error.reason, message: error.message };
    }
  };

  /** What may be another payment is no answer to a create: the same key is asked again. */
  const believed = async (
    attempt: Success,
    asked: RequestedOperation | null,
    call: AttemptOptions,
  ): Promise<Attempt> => {
    const { operation } = attempt;
    if (operation === null) return attempt;
    const sent = asked?.reference?.trim() ? asked.reference : null;
    if (sent !== null && operation.reference === null && (await referenceOf(operation, call)) !== sent)
      return noAnswer(
        attempt,
        `the answer does not say the reference, and operation ${operation.id} does not have it`,
      );
    return call.holderOf === undefined ? attempt : withHolder(attempt, call.holderOf);
  };

  const referenceOf = async ({ id }: OperationFacts, { signal }: AttemptOptions): Promise<string | null> => {
    if (!isUuid(id)) return null;
    const read = await exchange(
      heldRequestOf(prepare(options, 'transactions.get', { id }, undefined)),
      { signal },
      1,
    );
    return read.kind === 'success' ? (read.operation?.reference ?? null) : null;
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
        observe({ kind: 'wait', waitMs });
        if (!(await sleepUnlessAborted(clock, waitMs, call.signal))) return false;
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

/**
 * Nothing that nobody judged leaves live, but for reads of this service: a command that forgets to ask cannot send.
 * @throws Failure `defect`
 */
async function requirePermit(request: HttpRequest, origin: Origin, permit: unknown): Promise<void> {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (isRead && request.url.startsWith(`${addressOf(origin)}/`)) return;
  // A read does not load what it does not need.
  const { Permit } = await import('../contract/permit.js');
  if (Permit.covers(permit, request)) return;
  throw new Failure(
    'defect',
    'This is a defect in svc: a live request that was not judged was about to leave. Nothing was sent.',
    { code: 'no_permit' },
  );
}

/** What the answer to a create counts as, by who holds its operation. */
export async function withHolder(attempt: Attempt, holderOf: HolderOf): Promise<Attempt> {
  if (attempt.kind !== 'success' || attempt.operation === null) return attempt;
  const holder = await holderOf(attempt.operation);
  if (holder === 'other')
    return noAnswer(attempt, `operation ${attempt.operation.id} belongs to another payment`);
  if (holder === null) return attempt;
  return { ...attempt, isHeld: holder === 'same', isContradicted: holder === 'contradicted' };
}

function noAnswer({ answer, retryAfterMs }: Success, why: string): Attempt {
  return { kind: 'unreadable', why, answer, retryAfterMs };
}

type Success = Extract<Attempt, { kind: 'success' }>;

/** One request, and what its answers are held to. */
interface HeldRequest {
  readonly request: HttpRequest;
  /** It names what nobody has asked for before. */
  readonly isFresh?: boolean;
  readonly expected: Expected;
  /** Null for a request that is no row of the table. */
  readonly asked: RequestedOperation | null;
}

export function heldRequestOf({ endpointId, id, request, members }: Prepared): HeldRequest {
  if (endpointId === null) return { request, expected: null, asked: null };
  const asked = {
    ...requestedFacts(members ?? {}, operationsOf(endpointId)),
    ...(id === null ? {} : { id }),
  };
  return { request, expected: endpoint(endpointId), asked };
}

/** What a success must hold; null accepts any 2xx as it is (a request that is no row of the table). */
export type Expected = Pick<Endpoint, 'result' | 'list' | 'retry' | 'errors'> | null;

const REFUSALS: ReadonlySet<number> = new Set([400, 401, 403, 404, 409]);

/**
 * The kind of attempt that ended in this answer. The bytes stay untouched in it.
 * @param nowMs wall-clock time, for a `Retry-After` that is a date
 * @param asked what was asked for: an operation in the answer is held against it, and is no answer where it is another one
 */
export function readAnswer(
  answer: HttpAnswer,
  expected: Expected,
  nowMs: number,
  asked: RequestedOperation | null = null,
): Attempt {
  const { status } = answer;
  const common = { answer, retryAfterMs: readRetryAfter(headerOf(answer, 'retry-after'), nowMs) };
  if (status >= 200 && status < 300) return readSuccess(common, expected, asked);
  const body = parse(answer.body);
  const error = readEnvelope(body);
  const refused = { ...common, error };
  if (status >= 300 && status < 400) return { kind: 'broken', ...refused };
  if (status === 429 || (status === 503 && error !== null)) return { kind: 'unavailable', ...refused };
  if (status >= 500 && status < 600) return { kind: 'server_error', ...refused };
  if (status >= 600) return { kind: 'unreadable', why: `${status} is not an HTTP status`, ...common };
  let isRefused: boolean;
  // A 401 is believed from a gateway too; a 403 only as `scope_missing`.
  if (status === 401 || status === 403) isRefused = status === 401 || error?.code === 'scope_missing';
  // A create is settled only by what the contract lists for it, with the status that the code has: whatever else stands in between may
  // answer after the service has carried it out.
  else if (expected?.retry === 'keyed') {
    const listed: readonly string[] = expected.errors;
    isRefused =
      error !== null && listed.includes(error.code) && ERRORS[error.code as ErrorCode].status === status;
  }
  // All bodies are JSON (section 1): a 4xx with anything else in it, such as a gateway's page, says nothing about an operation.
  else isRefused = REFUSALS.has(status) && (answer.body.length === 0 || body !== undefined);
  return { kind: isRefused ? 'refused' : 'broken', ...refused };
}

function readSuccess(
  common: { answer: HttpAnswer; retryAfterMs: number | null },
  expected: Expected,
  asked: RequestedOperation | null,
): Attempt {
  const unreadable = (why: string): Attempt => ({ kind: 'unreadable', why, ...common });
  const body = expected === null ? undefined : parse(common.answer.body);
  const success = (operation: OperationFacts | null): Attempt => ({
    kind: 'success',
    operation,
    value: body,
    ...common,
  });
  if (expected === null) return success(null);
  if (common.answer.body.length === 0) return unreadable('the answer is empty');
  if (body === undefined) return unreadable('the answer is not JSON');
  if (expected.list !== null) {
    return listMember(body, expected.list) === null ? unreadable('the answer has no list') : success(null);
  }
  if (expected.result === 'operation') {
    const operation = readOperation(body);
    if (operation === null) return unreadable('the answer has no operation');
    const why = asked === null ? null : differenceOf(asked, operation);
    return why === null ? success(operation) : { kind: 'mismatched', operation, why, ...common };
  }
  if (!isObject(body)) return unreadable('the answer is not a JSON object');
  const { secret } = body;
  if (expected.result === 'webhook_endpoint' && (typeof secret !== 'string' || secret === ''))
    return unreadable('the answer has no secret');
  return success(null);
}

/** The list of a list response: by its known name, else the only array in the object, else the body itself; null where there is none. */
export function listMember(body: unknown, name: string): readonly unknown[] | null {
  if (Array.isArray(body)) return body as readonly unknown[];
  if (!isObject(body)) return null;
  const named = Object.hasOwn(body, name) ? body[name] : undefined;
  if (Array.isArray(named)) return named as readonly unknown[];
  const [only, ...others] = Object.values(body).filter((value): value is unknown[] => Array.isArray(value));
  return only !== undefined && others.length === 0 ? only : null;
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/** The JSON value of UTF-8 bytes, undefined where they are none. */
function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(UTF_8.decode(bytes)) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * The wait that `Retry-After` asks for (seconds or an HTTP date), in milliseconds and never negative; null where it is absent or says
 * nothing that can be understood.
 * @param nowMs wall-clock time in milliseconds
 */
function readRetryAfter(value: string | undefined, nowMs: number): number | null {
  const text = value?.trim() ?? '';
  if (/^[0-9]{1,9}$/.test(text)) return Number(text) * 1000;
  // Only the forms of an HTTP date: Date.parse alone takes "-5" and "1.5" for dates, in the machine's time zone.
  if (!/^[A-Za-z]{3,9}, .{10,40} GMT$/.test(text)) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}
