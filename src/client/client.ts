import type { Environment } from '../contract/access.js';
import { endpoint, type EndpointId, endpointDirection, type Endpoint } from '../contract/endpoints.js';
import type { Moment } from '../contract/moment.js';
import type { Permit } from '../contract/permit.js';
import { runAttempts, CALL_PATIENCE } from '../contract/retry.js';
import { type MachineClock, type Random, sleepUnlessAborted } from '../runtime/clock.js';
import { Failure } from '../runtime/failure.js';
import { NotAnswered, headerOf } from '../runtime/transport.js';
import type { HttpAnswer, HttpRequest, Transport } from '../runtime/transport.js';
import { isUnknown, type Attempt, type CreateFacts, type CallAttempts } from '../contract/attempt.js';
import { prepare, prepareRaw, addressOf, buildRequest } from './request.js';
import type { PreparedRequest, RawInput, RequestInput, Origin } from './request.js';
import { ServiceClock } from './service-clock.js';
import { requestedFacts, differenceOf, readOperation } from '../contract/operation-facts.js';
import type { RequestedOperation, OperationFacts } from '../contract/operation-facts.js';
import { isUuid } from '../contract/notation.js';
import { isObject } from '../contract/shape.js';
import { ERRORS, readEnvelope, type ErrorCode } from '../contract/errors.js';

export type Observation =
  | { readonly kind: 'request'; readonly request: HttpRequest; readonly attempt: number }
  | { readonly kind: 'answer'; readonly answer: HttpAnswer; readonly tookMs: number }
  | { readonly kind: 'no_answer'; readonly error: NotAnswered; readonly tookMs: number }
  | { readonly kind: 'wait'; readonly waitMs: number };

export interface ClientOptions extends Origin {
  readonly environment: Environment;
  readonly transport: Transport;
  readonly clock: MachineClock;
  readonly random: Random;
  readonly timeoutMs?: number;
  readonly observe?: (observation: Observation) => void;
  readonly serviceClock?: ServiceClock;
}

interface AttemptOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
  /** The transport calls `maySend` right before it writes the request, and sends nothing if the result is false. */
  readonly maySend?: () => boolean;
  readonly permit?: Permit | null;
  readonly findHolder?: FindHolder | undefined;
}

export type FindHolder = (operation: OperationFacts) => Promise<'same' | 'other' | 'contradicted' | null>;

export interface SendOptions extends AttemptOptions {
  readonly attemptsMax?: number;
  readonly create?: CreateFacts;
  readonly firstSentAt?: Moment | undefined;
}

export interface Conversation extends CallAttempts, PreparedRequest {}

export interface Client {
  prepare(endpointId: EndpointId, input?: RequestInput, idempotencyKey?: string): PreparedRequest;
  prepareRaw(method: string, path: string, input?: RawInput, idempotencyKey?: string): PreparedRequest;
  attempt(prepared: PreparedRequest, options?: AttemptOptions): Promise<Attempt>;
  send(prepared: PreparedRequest, options?: SendOptions): Promise<Conversation>;
  askTime(options?: AttemptOptions): Promise<void>;
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
    const { request, expected, requestedOperation, isFresh = false } = checked;
    if (options.environment === 'live') await requirePermit(request, options, call.permit);
    observe({ kind: 'request', request, attempt: count });
    const startedMs = clock.monotonic();
    const timeoutMs = call.timeoutMs ?? options.timeoutMs ?? 30_000;
    try {
      const answer = await transport(request, { timeoutMs, signal: call.signal, maySend: call.maySend });
      // The 404 or 403 of a random id proves the service's time, because no cache can hold it.
      const isRefused = answer.status === 404 || answer.status === 403;
      serviceClock.hear(answer, request.method === 'POST' || (isFresh && isRefused));
      observe({ kind: 'answer', answer, tookMs: clock.monotonic() - startedMs });
      const attempt = readAnswer(answer, expected, clock.now(), requestedOperation);
      return expected?.retry === 'keyed' && attempt.kind === 'success'
        ? await checkCreateAnswer(attempt, requestedOperation, call)
        : attempt;
    } catch (error) {
      if (!(error instanceof NotAnswered)) throw error;
      observe({ kind: 'no_answer', error, tookMs: clock.monotonic() - startedMs });
      return { kind: error.wasSent ? 'lost' : 'not_sent', reason: error.reason, message: error.message };
    }
  };

  /** An answer that may be about another payment counts as unreadable, so that the create is sent again with the same key. */
  const checkCreateAnswer = async (
    attempt: Success,
    requestedOperation: RequestedOperation | null,
    call: AttemptOptions,
  ): Promise<Attempt> => {
    const { operation } = attempt;
    if (operation === null) return attempt;
    const sentReference = requestedOperation?.reference?.trim() ? requestedOperation.reference : null;
    const mayBeAnother = sentReference !== null && operation.reference === null;
    if (mayBeAnother && (await referenceOf(operation, call)) !== sentReference) {
      const why = `the answer does not say the reference, and operation ${operation.id} does not have it`;
      return unreadableAttempt(attempt, why);
    }
    return call.findHolder === undefined ? attempt : markHolder(attempt, call.findHolder);
  };

  const referenceOf = async ({ id }: OperationFacts, { signal }: AttemptOptions): Promise<string | null> => {
    if (!isUuid(id)) return null;
    const prepared = prepare(options, 'transactions.get', { id }, undefined);
    const readAttempt = await exchange(checkedRequestOf(prepared), { signal }, 1);
    return readAttempt.kind === 'success' ? (readAttempt.operation?.reference ?? null) : null;
  };

  const readOutcome = async (prepared: PreparedRequest, call: SendOptions): Promise<Attempt | null> => {
    const lookup = prepared.endpointId === null ? null : endpoint(prepared.endpointId).lookup;
    if (lookup === null || prepared.id === null || call.signal?.aborted === true) return null;
    return exchange(checkedRequestOf(prepare(options, lookup, { id: prepared.id }, undefined)), call, 1);
  };

  const send = async (prepared: PreparedRequest, call: SendOptions = {}): Promise<Conversation> => {
    const { retry } = prepared;
    const checked = checkedRequestOf(prepared);
    const startedMs = clock.monotonic();
    const firstSentAt = call.firstSentAt ?? serviceClock.moment();
    const attempts = await runAttempts({
      retry,
      patience: { ...CALL_PATIENCE, attemptsMax: call.attemptsMax ?? CALL_PATIENCE.attemptsMax },
      fraction: () => random.fraction(),
      attempt: (count) => exchange(checked, call, count),
      wait: async (waitMs) => {
        observe({ kind: 'wait', waitMs });
        if (!(await sleepUnlessAborted(clock, waitMs, call.signal))) return false;
        // The machine may have slept during the wait, so the idempotency key may be too old now.
        return retry !== 'keyed' || serviceClock.maySendAgain(firstSentAt);
      },
    });
    const isOutcomeUnknown = retry === 'once' && attempts.some((one) => isUnknown(one, retry));
    const lookup = isOutcomeUnknown ? await readOutcome(prepared, call) : null;
    const create = retry === 'keyed' ? createFactsOf(call, startedMs) : null;
    return { ...prepared, attempts, lookup, create };
  };

  const createFactsOf = ({ create }: SendOptions, startedMs: number): CreateFacts => ({
    isOwnKey: create?.isOwnKey ?? false,
    firstLeftMs: create?.firstLeftMs ?? (serviceClock.isTimeProved() ? serviceClock.at(startedMs) : null),
  });

  const client: Client = {
    prepare: (endpointId, input = {}, key) => prepare(options, endpointId, input, key),
    prepareRaw: (method, path, input = {}, key) => prepareRaw(options, { method, path }, input, key),
    attempt: (prepared, call = {}) => exchange(checkedRequestOf(prepared), call, 1),
    send,
    askTime: async (call = {}) => {
      const request = buildRequest('transactions.get', { id: random.uuid() }, options, null);
      await exchange({ request, expected: null, requestedOperation: null, isFresh: true }, call, 1);
    },
    call: async (endpointId, input, call = {}) =>
      send(client.prepare(endpointId, input, call.idempotencyKey), call),
  };
  return client;
}

async function requirePermit(request: HttpRequest, origin: Origin, permit: unknown): Promise<void> {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (isRead && request.url.startsWith(`${addressOf(origin)}/`)) return;
  const { Permit } = await import('../contract/permit.js');
  if (Permit.covers(permit, request)) return;
  const text =
    'This is a defect in svc: a live request that was not judged was about to leave. Nothing was sent.';
  throw new Failure('defect', text, { code: 'no_permit' });
}

export async function markHolder(attempt: Attempt, findHolder: FindHolder): Promise<Attempt> {
  if (attempt.kind !== 'success' || attempt.operation === null) return attempt;
  const holder = await findHolder(attempt.operation);
  if (holder === 'other')
    return unreadableAttempt(attempt, `operation ${attempt.operation.id} belongs to another payment`);
  if (holder === null) return attempt;
  return { ...attempt, isHeldElsewhere: holder === 'same', isContradicted: holder === 'contradicted' };
}

function unreadableAttempt({ answer, retryAfterMs }: Success, why: string): Attempt {
  return { kind: 'unreadable', why, answer, retryAfterMs };
}

type Success = Extract<Attempt, { kind: 'success' }>;

interface CheckedRequest {
  readonly request: HttpRequest;
  readonly isFresh?: boolean;
  readonly expected: ExpectedAnswer;
  readonly requestedOperation: RequestedOperation | null;
}

export function checkedRequestOf({ endpointId, id, request, members }: PreparedRequest): CheckedRequest {
  if (endpointId === null) return { request, expected: null, requestedOperation: null };
  const requestedOperation = {
    ...requestedFacts(members ?? {}, endpointDirection(endpointId)),
    ...(id === null ? {} : { id }),
  };
  return { request, expected: endpoint(endpointId), requestedOperation };
}

export type ExpectedAnswer = Pick<Endpoint, 'result' | 'list' | 'retry' | 'errors'> | null;

const REFUSAL_STATUSES: ReadonlySet<number> = new Set([400, 401, 403, 404, 409]);

export function readAnswer(
  answer: HttpAnswer,
  expected: ExpectedAnswer,
  nowMs: number,
  requestedOperation: RequestedOperation | null = null,
): Attempt {
  const { status } = answer;
  const answerMembers = { answer, retryAfterMs: readRetryAfter(headerOf(answer, 'retry-after'), nowMs) };
  if (status >= 200 && status < 300) return readSuccess(answerMembers, expected, requestedOperation);
  const body = parseBytes(answer.body);
  const error = readEnvelope(body);
  const refusalMembers = { ...answerMembers, error };
  if (status >= 300 && status < 400) return { kind: 'broken', ...refusalMembers };
  if (status === 429 || (status === 503 && error !== null)) return { kind: 'unavailable', ...refusalMembers };
  if (status >= 500 && status < 600) return { kind: 'server_error', ...refusalMembers };
  if (status >= 600) return { kind: 'unreadable', why: `${status} is not an HTTP status`, ...answerMembers };
  let isRefused: boolean;
  if (status === 401 || status === 403) isRefused = status === 401 || error?.code === 'scope_missing';
  // For a create only a listed error is a refusal, because a gateway may send any other error after the payment was made.
  else if (expected?.retry === 'keyed') {
    const listedCodes: readonly string[] = expected.errors;
    isRefused =
      error !== null && listedCodes.includes(error.code) && ERRORS[error.code as ErrorCode].status === status;
  }
  // All bodies are JSON (contract section 1), so the HTML page of a gateway is no refusal.
  else isRefused = REFUSAL_STATUSES.has(status) && (answer.body.length === 0 || body !== undefined);
  return { kind: isRefused ? 'refused' : 'broken', ...refusalMembers };
}

function readSuccess(
  answerMembers: { answer: HttpAnswer; retryAfterMs: number | null },
  expected: ExpectedAnswer,
  requestedOperation: RequestedOperation | null,
): Attempt {
  const unreadable = (why: string): Attempt => ({ kind: 'unreadable', why, ...answerMembers });
  const body = expected === null ? undefined : parseBytes(answerMembers.answer.body);
  const success = (operation: OperationFacts | null): Attempt => {
    return { kind: 'success', operation, value: body, ...answerMembers };
  };
  if (expected === null) return success(null);
  if (answerMembers.answer.body.length === 0) return unreadable('the answer is empty');
  if (body === undefined) return unreadable('the answer is not JSON');
  if (expected.list !== null) {
    return listMember(body, expected.list) === null ? unreadable('the answer has no list') : success(null);
  }
  if (expected.result === 'operation') {
    const operation = readOperation(body);
    if (operation === null) return unreadable('the answer has no operation');
    const why = requestedOperation === null ? null : differenceOf(requestedOperation, operation);
    return why === null ? success(operation) : { kind: 'mismatched', operation, why, ...answerMembers };
  }
  if (!isObject(body)) return unreadable('the answer is not a JSON object');
  const { secret } = body;
  if (expected.result === 'webhook_endpoint' && (typeof secret !== 'string' || secret === ''))
    return unreadable('the answer has no secret');
  return success(null);
}

export function listMember(body: unknown, name: string): readonly unknown[] | null {
  if (Array.isArray(body)) return body as readonly unknown[];
  if (!isObject(body)) return null;
  const namedList = Object.hasOwn(body, name) ? body[name] : undefined;
  if (Array.isArray(namedList)) return namedList as readonly unknown[];
  const [onlyArray, ...otherArrays] = Object.values(body).filter((value): value is unknown[] =>
    Array.isArray(value),
  );
  return onlyArray !== undefined && otherArrays.length === 0 ? onlyArray : null;
}

const UTF_8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

function parseBytes(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(UTF_8.decode(bytes)) as unknown;
  } catch {
    return undefined;
  }
}

function readRetryAfter(value: string | undefined, nowMs: number): number | null {
  const text = value?.trim() ?? '';
  if (/^[0-9]{1,9}$/.test(text)) return Number(text) * 1000;
  // Date.parse alone takes "-5" and "1.5" for dates.
  if (!/^[A-Za-z]{3,9}, .{10,40} GMT$/.test(text)) return null;
  const dateMs = Date.parse(text);
  return Number.isNaN(dateMs) ? null : Math.max(0, dateMs - nowMs);
}
