/** Makes a call with its attempts, waits and lookup, and reads each answer. `conclusion.ts` decides how the call ended. */
import type { Environment } from '../contract/access.js';
import { endpoint, type EndpointId, endpointDirection, type Endpoint } from '../contract/endpoints.js';
import type { Moment } from '../contract/moment.js';
import type { Permit } from '../contract/permit.js';
import { runAttempts, CALL_PATIENCE } from '../contract/retry.js';
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
  type PreparedRequest,
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

/** The steps of sending a request, for `--debug` and notes. Nothing in them is redacted. */
export type Observation =
  | { readonly kind: 'request'; readonly request: HttpRequest; readonly attempt: number }
  | { readonly kind: 'answer'; readonly answer: HttpAnswer; readonly tookMs: number }
  | { readonly kind: 'no_answer'; readonly error: NotAnswered; readonly tookMs: number }
  | { readonly kind: 'wait'; readonly waitMs: number };

export interface ClientOptions extends Origin {
  /** The environment of the key. In `live`, every request but a read needs a permit. */
  readonly environment: Environment;
  readonly transport: Transport;
  readonly clock: MachineClock;
  readonly random: Random;
  /** The limit of each exchange with its body, in milliseconds (default 30 s: a shorter one abandons requests that are still alive). */
  readonly timeoutMs?: number;
  readonly observe?: (observation: Observation) => void;
  /** Learns the service's time from every answer. */
  readonly serviceClock?: ServiceClock;
}

interface AttemptOptions {
  readonly signal?: AbortSignal | undefined;
  /** The limit of each exchange of this call, if it differs from the client's. */
  readonly timeoutMs?: number;
  /** Called right before the request is written to its connection. If it returns false, nothing is sent. */
  readonly mayLeave?: () => boolean;
  /** The permit for these exact bytes: needed live for everything but a read. Null if none is needed. */
  readonly permit?: Permit | null;
  /** For a create: finds out whether another record already has the operation of an answer. */
  readonly holderOf?: HolderOf | undefined;
}

/**
 * Looks for another record than the create's own that already has the operation. `same`: its reference is the same. `other`: it differs.
 * `contradicted`: the operation is known to have ended otherwise than the answer says.
 */
export type HolderOf = (operation: OperationFacts) => Promise<'same' | 'other' | 'contradicted' | null>;

export interface SendOptions extends AttemptOptions {
  /** The number of attempts in all (default 3). */
  readonly attemptsMax?: number;
  /** Facts about a create that was sent before, or whose key the caller named. */
  readonly create?: CreateFacts;
  /** When an earlier process first sent the bytes of the create. */
  readonly firstSent?: Moment | undefined;
}

/** All attempts of a call, with the request whose bytes each of them sent. */
export interface Conversation extends CallAttempts, PreparedRequest {}

export interface Client {
  /** Builds the request of an endpoint without sending it. @throws InvalidRequest */
  prepare(endpointId: EndpointId, input?: RequestInput, idempotencyKey?: string): PreparedRequest;
  /** Builds any request below `/v2` without sending it. @throws InvalidRequest */
  prepareRaw(method: string, path: string, input?: RawInput, idempotencyKey?: string): PreparedRequest;
  /** Sends the request once, without a lookup. Rejects as `send` does. */
  attempt(prepared: PreparedRequest, options?: AttemptOptions): Promise<Attempt>;
  /** Sends the request, again if needed. A network error or an abort is in the result. @throws Failure `defect` if a live request lacks its permit */
  send(prepared: PreparedRequest, options?: SendOptions): Promise<Conversation>;
  /**
   * Asks the service for its time, at an address that nobody has asked for before, so that no cache can answer. Without an answer that tells the
   * time, nothing changes. Rejects as `send` does.
   */
  askTime(options?: AttemptOptions): Promise<void>;
  /** Prepares and sends a request. Rejects with InvalidRequest if it cannot be prepared. */
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

  const exchange = async (checked: CheckedRequest, call: AttemptOptions, count: number): Promise<Attempt> => {
    const { request, expected, asked, isFresh = false } = checked;
    if (options.environment === 'live') await requirePermit(request, options, call.permit);
    observe({ kind: 'request', request, attempt: count });
    const startedMs = clock.monotonic();
    const timeoutMs = call.timeoutMs ?? options.timeoutMs ?? 30_000;
    try {
      const answer = await transport(request, { timeoutMs, signal: call.signal, mayLeave: call.mayLeave });
      // Nothing exists under a fresh id, so no cache on the way can hold such an answer.
      const isAbsent = answer.status === 404 || answer.status === 403;
      serviceClock.hear(answer, request.method === 'POST' || (isFresh && isAbsent));
      observe({ kind: 'answer', answer, tookMs: clock.monotonic() - startedMs });
      const attempt = readAnswer(answer, expected, clock.now(), asked);
      return expected?.retry === 'keyed' && attempt.kind === 'success'
        ? await checkCreateAnswer(attempt, asked, call)
        : attempt;
    } catch (error) {
      if (!(error instanceof NotAnswered)) throw error;
      observe({ kind: 'no_answer', error, tookMs: clock.monotonic() - startedMs });
      return { kind: error.sent ? 'lost' : 'not_sent', reason: error.reason, message: error.message };
    }
  };

  /** Makes an answer to a create unreadable if it may be about another payment: the create is then sent again with the same key. */
  const checkCreateAnswer = async (
    attempt: Success,
    asked: RequestedOperation | null,
    call: AttemptOptions,
  ): Promise<Attempt> => {
    const { operation } = attempt;
    if (operation === null) return attempt;
    const wanted = asked?.reference?.trim() ? asked.reference : null;
    if (wanted !== null && operation.reference === null && (await referenceOf(operation, call)) !== wanted)
      return unreadableAttempt(
        attempt,
        `the answer does not say the reference, and operation ${operation.id} does not have it`,
      );
    return call.holderOf === undefined ? attempt : withHolder(attempt, call.holderOf);
  };

  const referenceOf = async ({ id }: OperationFacts, { signal }: AttemptOptions): Promise<string | null> => {
    if (!isUuid(id)) return null;
    const readAttempt = await exchange(
      checkedRequestOf(prepare(options, 'transactions.get', { id }, undefined)),
      { signal },
      1,
    );
    return readAttempt.kind === 'success' ? (readAttempt.operation?.reference ?? null) : null;
  };

  /** Reads the operation of a call with an unknown outcome. A lookup that fails is not repeated: the outcome then stays unknown. */
  const lookUp = async (prepared: PreparedRequest, call: SendOptions): Promise<Attempt | null> => {
    const lookup = prepared.endpointId === null ? null : endpoint(prepared.endpointId).lookup;
    if (lookup === null || prepared.id === null || call.signal?.aborted === true) return null;
    return exchange(checkedRequestOf(prepare(options, lookup, { id: prepared.id }, undefined)), call, 1);
  };

  const send = async (prepared: PreparedRequest, call: SendOptions = {}): Promise<Conversation> => {
    const { retry } = prepared;
    const checked = checkedRequestOf(prepared);
    const startedMs = clock.monotonic();
    const firstSent = call.firstSent ?? serviceClock.moment();
    const attempts = await runAttempts({
      retry,
      patience: { ...CALL_PATIENCE, attemptsMax: call.attemptsMax ?? CALL_PATIENCE.attemptsMax },
      fraction: () => random.fraction(),
      attempt: (count) => exchange(checked, call, count),
      wait: async (waitMs) => {
        observe({ kind: 'wait', waitMs });
        if (!(await sleepUnlessAborted(clock, waitMs, call.signal))) return false;
        // The machine may have slept during the wait, so that the key is too old now.
        return retry !== 'keyed' || serviceClock.mayGoOn(firstSent);
      },
    });
    const isOutcomeUnknown = retry === 'once' && attempts.some((one) => isUnknown(one, retry));
    const lookup = isOutcomeUnknown ? await lookUp(prepared, call) : null;
    return { ...prepared, attempts, lookup, create: retry === 'keyed' ? factsOf(call, startedMs) : null };
  };

  /** Returns the facts of a create. `firstLeftMs` is null if no answer has proved the service's time yet. */
  const factsOf = ({ create }: SendOptions, startedMs: number): CreateFacts => ({
    isOwnKey: create?.isOwnKey ?? false,
    firstLeftMs: create?.firstLeftMs ?? (serviceClock.isHeard() ? serviceClock.at(startedMs) : null),
  });

  const client: Client = {
    prepare: (endpointId, input = {}, key) => prepare(options, endpointId, input, key),
    prepareRaw: (method, path, input = {}, key) => prepareRaw(options, { method, path }, input, key),
    attempt: (prepared, call = {}) => exchange(checkedRequestOf(prepared), call, 1),
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

/** Refuses a live request without a permit. A read of this service needs none. @throws Failure `defect`: a command forgot to ask */
async function requirePermit(request: HttpRequest, origin: Origin, permit: unknown): Promise<void> {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (isRead && request.url.startsWith(`${addressOf(origin)}/`)) return;
  // The class is loaded on demand, because a read needs no permit.
  const { Permit } = await import('../contract/permit.js');
  if (Permit.covers(permit, request)) return;
  throw new Failure(
    'defect',
    'This is a defect in svc: a live request that was not judged was about to leave. Nothing was sent.',
    { code: 'no_permit' },
  );
}

/** Marks the answer to a create if another record has its operation. An answer about another payment becomes unreadable. */
export async function withHolder(attempt: Attempt, holderOf: HolderOf): Promise<Attempt> {
  if (attempt.kind !== 'success' || attempt.operation === null) return attempt;
  const holder = await holderOf(attempt.operation);
  if (holder === 'other')
    return unreadableAttempt(attempt, `operation ${attempt.operation.id} belongs to another payment`);
  if (holder === null) return attempt;
  return { ...attempt, isHeldElsewhere: holder === 'same', isContradicted: holder === 'contradicted' };
}

function unreadableAttempt({ answer, retryAfterMs }: Success, why: string): Attempt {
  return { kind: 'unreadable', why, answer, retryAfterMs };
}

type Success = Extract<Attempt, { kind: 'success' }>;

/** A request, and what its answers must agree with. */
interface CheckedRequest {
  readonly request: HttpRequest;
  /** True if the request asks for something that nobody has asked for before. */
  readonly isFresh?: boolean;
  readonly expected: ExpectedAnswer;
  /** The requested operation; null for a request that is not in the table of endpoints. */
  readonly asked: RequestedOperation | null;
}

export function checkedRequestOf({ endpointId, id, request, members }: PreparedRequest): CheckedRequest {
  if (endpointId === null) return { request, expected: null, asked: null };
  const asked = {
    ...requestedFacts(members ?? {}, endpointDirection(endpointId)),
    ...(id === null ? {} : { id }),
  };
  return { request, expected: endpoint(endpointId), asked };
}

/** What a success must contain. Null accepts any 2xx (for a request that is no endpoint of the table). */
export type ExpectedAnswer = Pick<Endpoint, 'result' | 'list' | 'retry' | 'errors'> | null;

const REFUSAL_STATUSES: ReadonlySet<number> = new Set([400, 401, 403, 404, 409]);

/**
 * Classifies an answer, whose bytes stay untouched.
 * @param nowMs wall-clock time, for a `Retry-After` that is a date
 * @param asked the requested operation: an answer about a different operation is `mismatched`
 */
export function readAnswer(
  answer: HttpAnswer,
  expected: ExpectedAnswer,
  nowMs: number,
  asked: RequestedOperation | null = null,
): Attempt {
  const { status } = answer;
  const common = { answer, retryAfterMs: readRetryAfter(headerOf(answer, 'retry-after'), nowMs) };
  if (status >= 200 && status < 300) return readSuccess(common, expected, asked);
  const body = parseBytes(answer.body);
  const error = readEnvelope(body);
  const refused = { ...common, error };
  if (status >= 300 && status < 400) return { kind: 'broken', ...refused };
  if (status === 429 || (status === 503 && error !== null)) return { kind: 'unavailable', ...refused };
  if (status >= 500 && status < 600) return { kind: 'server_error', ...refused };
  if (status >= 600) return { kind: 'unreadable', why: `${status} is not an HTTP status`, ...common };
  let isRefused: boolean;
  // A 401 is a refusal even if a gateway sent it; a 403 only with the code `scope_missing`.
  if (status === 401 || status === 403) isRefused = status === 401 || error?.code === 'scope_missing';
  // Only a code that the contract lists for the create, with its own status, refuses a create: anything else may be the answer of a
  // gateway, after the service has carried the create out.
  else if (expected?.retry === 'keyed') {
    const listedCodes: readonly string[] = expected.errors;
    isRefused =
      error !== null && listedCodes.includes(error.code) && ERRORS[error.code as ErrorCode].status === status;
  }
  // All bodies are JSON (section 1): a 4xx with another body, such as a gateway's page, says nothing about an operation.
  else isRefused = REFUSAL_STATUSES.has(status) && (answer.body.length === 0 || body !== undefined);
  return { kind: isRefused ? 'refused' : 'broken', ...refused };
}

function readSuccess(
  common: { answer: HttpAnswer; retryAfterMs: number | null },
  expected: ExpectedAnswer,
  asked: RequestedOperation | null,
): Attempt {
  const unreadable = (why: string): Attempt => ({ kind: 'unreadable', why, ...common });
  const body = expected === null ? undefined : parseBytes(common.answer.body);
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

/** Returns the list of a list response: by its known name, else the only array in the object, else the body itself; null without a list. */
export function listMember(body: unknown, name: string): readonly unknown[] | null {
  if (Array.isArray(body)) return body as readonly unknown[];
  if (!isObject(body)) return null;
  const byName = Object.hasOwn(body, name) ? body[name] : undefined;
  if (Array.isArray(byName)) return byName as readonly unknown[];
  const [only, ...others] = Object.values(body).filter((value): value is unknown[] => Array.isArray(value));
  return only !== undefined && others.length === 0 ? only : null;
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/** Returns the JSON value of UTF-8 bytes; undefined if they are no JSON. */
function parseBytes(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(UTF_8.decode(bytes)) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * The wait that `Retry-After` asks for (seconds or an HTTP date), in milliseconds and never negative; null if the header is absent or invalid.
 * @param nowMs wall-clock time in milliseconds
 */
function readRetryAfter(value: string | undefined, nowMs: number): number | null {
  const text = value?.trim() ?? '';
  if (/^[0-9]{1,9}$/.test(text)) return Number(text) * 1000;
  // Checks the form first: Date.parse alone takes "-5" and "1.5" for dates, in the machine's time zone.
  if (!/^[A-Za-z]{3,9}, .{10,40} GMT$/.test(text)) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - nowMs);
}
