/** Builds requests before they are sent: the exact bytes, the retry class and the key, so that they can be shown and recorded first. */
import { endpoint, type EndpointId, type RetryClass, ENDPOINT_IDS } from '../contract/endpoints.js';
import { jsonIn } from '../contract/json.js';
import { isObject } from '../contract/shape.js';
import { isIdempotencyKey, isUuid } from '../contract/notation.js';
import type { HttpRequest } from '../runtime/transport.js';
import type { CallAttempts } from '../contract/attempt.js';
import type { Random } from '../runtime/clock.js';

/** The address and identity that all requests of a command share. */
export interface Origin {
  /** The URL before `/v2`, already checked (scheme, host, no query). */
  readonly baseUrl: string;
  readonly key: string;
  /** The value of `User-Agent`, for example `svc/1.2.3`. */
  readonly userAgent: string;
  /** The caller's W3C trace context, passed on unchanged. */
  readonly traceparent?: string | undefined;
}

/** The values for an endpoint of the table. */
export interface RequestInput {
  /** The operation's id, if the path has one. */
  readonly id?: string;
  /** The query parameters. Those with an undefined value are left out. */
  readonly query?: Readonly<Record<string, string | undefined>>;
  /** The exact bytes of the body. A POST without a body sends `{}`. */
  readonly body?: Uint8Array | undefined;
  /** The members of a create's body, if they were already parsed. */
  readonly members?: BodyMembers | undefined;
}

/** The members of a JSON body. */
export type BodyMembers = Readonly<Record<string, unknown>>;

/** Returns the members of a JSON body; null for bytes that are no JSON object. */
export function bodyMembersOf(body: Uint8Array | null): BodyMembers | null {
  const value = body === null ? undefined : jsonIn(body);
  return isObject(value) ? value : null;
}

/** A usage error: no request may be built from the given values. Thrown before anything is sent. */
export class InvalidRequest extends Error {
  override readonly name = 'InvalidRequest';
  constructor(
    readonly field: 'id' | 'Idempotency-Key' | 'method' | 'path',
    message: string,
  ) {
    super(message);
  }
}

/**
 * The body of a POST that takes none (section 4: resend-code, cancel). A server of this contract accepts nothing, `null` and `{}`; only `{}`
 * satisfies every reader of `Content-Type: application/json`.
 */
const NO_BODY = new TextEncoder().encode('{}');

/** Builds the request of an endpoint (section 4). @throws InvalidRequest for an id that is no uuid (it would change the route), or an invalid key */
export function buildRequest(
  endpointId: EndpointId,
  input: RequestInput,
  origin: Origin,
  idempotencyKey: string | null,
): HttpRequest {
  const { method, path } = endpoint(endpointId);
  const { id = '', query = {} } = input;
  if (path.includes('{id}') && !isUuid(id))
    throw new InvalidRequest(
      'id',
      'The id must be a uuid such as 6f1c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f, or 6 or more of its first characters. "svc operations find REFERENCE" looks for a reference. Nothing was sent.',
    );
  const pairs = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const search = pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
  const target = path.replace('{id}', () => id) + search;
  return buildRequestTo({ method, target }, input.body, origin, idempotencyKey);
}

/** Builds a request with its final headers and bytes. @throws InvalidRequest for an invalid idempotency key */
export function buildRequestTo(
  { method, target }: { readonly method: string; readonly target: string },
  body: Uint8Array | undefined,
  origin: Origin,
  idempotencyKey: string | null,
): HttpRequest {
  if (idempotencyKey !== null && !isIdempotencyKey(idempotencyKey)) {
    throw new InvalidRequest(
      'Idempotency-Key',
      'The idempotency key must be 8 to 128 printable ASCII characters, without leading or trailing spaces.',
    );
  }
  const bytes = body ?? (method === 'POST' ? NO_BODY : null);
  return {
    method,
    url: addressOf(origin) + target,
    headers: {
      accept: 'application/json',
      'accept-encoding': 'identity',
      authorization: `Bearer ${origin.key}`,
      'user-agent': origin.userAgent,
      // The answer of a cache would tell neither the present state nor the time.
      ...(method === 'GET' ? { 'cache-control': 'no-cache' } : {}),
      ...(bytes === null ? {} : { 'content-type': 'application/json' }),
      ...(idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey }),
      ...(origin.traceparent === undefined ? {} : { traceparent: origin.traceparent }),
    },
    body: bytes,
  };
}

/** Returns the URL before the path of every request. */
export function addressOf({ baseUrl }: Pick<Origin, 'baseUrl'>): string {
  return baseUrl.replace(/\/+$/, '');
}

/** A W3C trace context: version, trace, parent, flags. A later version may add more. */
const TRACE_CONTEXT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-[\x21-\x7e]{0,200})?$/;

/** Reads a W3C trace context from `TRACEPARENT`. Returns it unchanged; undefined if it is missing or invalid. */
export function readTraceparent(text: string | undefined): string | undefined {
  const [context, version, trace, parent, extra] = TRACE_CONTEXT.exec(text ?? '') ?? [];
  if (context === undefined || version === 'ff' || (version === '00' && extra !== undefined))
    return undefined;
  return isZero(trace) || isZero(parent) ? undefined : context;
}

function isZero(digits = ''): boolean {
  return /^0*$/.test(digits);
}

export interface PreparedRequest extends Pick<
  CallAttempts,
  'endpointId' | 'retry' | 'id' | 'idempotencyKey'
> {
  readonly request: HttpRequest;
  /** The members of a create's body. Null for other requests, and if the body is no JSON object. */
  readonly members: BodyMembers | null;
}

/** The origin, and the source of new keys. */
export interface RequestSource extends Origin {
  readonly random: Random;
}

/** The values for a request with a hand-written path. */
export type RawInput = Pick<RequestInput, 'query' | 'body' | 'members'>;

/** 32 hexadecimal characters from a secure random source. */
export function newIdempotencyKey(random: Random): string {
  return random.hex(16);
}

/** Builds the request of an endpoint. @param ownKey the idempotency key of a keyed call; default a new one @throws InvalidRequest */
export function prepare(
  source: RequestSource,
  endpointId: EndpointId,
  input: RequestInput,
  ownKey: string | undefined,
): PreparedRequest {
  const { retry } = endpoint(endpointId);
  const idempotencyKey = chooseKey(retry, source.random, ownKey);
  const request = buildRequest(endpointId, input, source, idempotencyKey);
  const members = createMembersOf(request, retry, input);
  return { endpointId, retry, id: input.id ?? null, idempotencyKey, request, members };
}

/**
 * Builds any request below `/v2`. A path of the table is treated as its endpoint (a POST to a create is keyed); outside the table a read is safe, and
 * anything else is sent once.
 * @throws InvalidRequest for a path that a URL parser or another server would read differently, and for an invalid method or one that the path does
 * not take
 */
export function prepareRaw(
  source: RequestSource,
  { method: typedMethod, path }: { readonly method: string; readonly path: string },
  input: RawInput,
  ownKey: string | undefined,
): PreparedRequest {
  const method = typedMethod.toUpperCase();
  if (!/^[A-Z]{1,20}$/.test(method) || method === 'CONNECT') {
    throw new InvalidRequest('method', 'The method must be an HTTP method such as GET or POST.');
  }
  const origin = 'http://base.invalid';
  const url = URL.canParse(path, origin) ? new URL(path, origin) : null;
  const typedPath = path.split(/[?#]/, 1)[0] ?? '';
  // A URL parser would change such a path (dots, backslashes, another host) and send the request elsewhere.
  if (url?.origin !== origin || url.hash !== '' || url.pathname !== typedPath || !/^\/v2\/./.test(typedPath))
    throw pathError(path);
  for (const [name, value] of Object.entries(input.query ?? {})) {
    if (value !== undefined) url.searchParams.append(name, value);
  }
  const { pathname } = url;
  const endpoints = endpointsAt(pathname);
  if (endpoints.length === 0) {
    // A server on the way may read this path as one of the table: then the request would be carried out, and svc would not know.
    const normalPath = normalForm(pathname);
    if (normalPath === null) throw pathError(pathname);
    if (normalPath !== pathname && endpointsAt(normalPath).length > 0) {
      const text = `A server may read this path as ${normalPath}. Write that path instead. Nothing was sent.`;
      throw new InvalidRequest('path', text);
    }
  }
  const matchedEndpoint = endpoints.find(({ endpointId }) => endpoint(endpointId).method === method);
  if (matchedEndpoint === undefined && endpoints.length > 0) {
    const methods = endpoints.map(({ endpointId }) => endpoint(endpointId).method).join(' and ');
    throw new InvalidRequest('method', `${pathname} accepts ${methods}, not ${method}. Nothing was sent.`);
  }
  const { endpointId, id } = matchedEndpoint ?? { endpointId: null, id: null };
  const isRead = method === 'GET' || method === 'HEAD';
  const retry = endpointId !== null ? endpoint(endpointId).retry : isRead ? 'safe' : 'once';
  const idempotencyKey = chooseKey(retry, source.random, ownKey);
  const request = buildRequestTo(
    { method, target: pathname + url.search },
    input.body,
    source,
    idempotencyKey,
  );
  return { endpointId, retry, id, idempotencyKey, request, members: createMembersOf(request, retry, input) };
}

/** Returns the same request with another key. */
export function withIdempotencyKey(prepared: PreparedRequest, idempotencyKey: string): PreparedRequest {
  const { request } = prepared;
  const headers = { ...request.headers, 'idempotency-key': idempotencyKey };
  return { ...prepared, idempotencyKey, request: { ...request, headers } };
}

function createMembersOf(
  { body }: HttpRequest,
  retry: RetryClass,
  { members }: RawInput,
): BodyMembers | null {
  return retry === 'keyed' ? (members ?? bodyMembersOf(body)) : null;
}

function chooseKey(retry: RetryClass, random: Random, ownKey: string | undefined): string | null {
  return retry === 'keyed' ? (ownKey ?? newIdempotencyKey(random)) : null;
}

/** Returns the endpoints of a path, whatever their method, with the operation's id in the path. */
function endpointsAt(pathname: string): { readonly endpointId: EndpointId; readonly id: string | null }[] {
  return ENDPOINT_IDS.flatMap((endpointId): ReturnType<typeof endpointsAt> => {
    const [prefix = '', suffix] = endpoint(endpointId).path.split('{id}');
    if (suffix === undefined) return pathname === prefix ? [{ endpointId, id: null }] : [];
    const id = pathname.slice(prefix.length, pathname.length - suffix.length);
    return pathname === prefix + id + suffix && isUuid(id) ? [{ endpointId, id }] : [];
  });
}

/** Returns the error for a path outside `/v2`. It suggests the path of the table that was probably meant. */
function pathError(path: string): InvalidRequest {
  const [, rest = ''] = /^\/*(?:sandbox\/+)?(?:v2\/+)?([^?#]*)/.exec(path) ?? [];
  const suggestion = `/v2/${rest}`;
  const hint = endpointsAt(suggestion).length === 0 ? '' : ` Did you mean ${suggestion}?`;
  return new InvalidRequest(
    'path',
    `The path must begin with /v2/ and stay below it.${hint} Nothing was sent.`,
  );
}

/**
 * The path as servers on the way may read it: decoded repeatedly, without parameters, empty segments, and characters around a segment, with dots
 * resolved, in lower case. Null if it leads out of `/v2`.
 */
function normalForm(pathname: string): string | null {
  const segments: string[] = [];
  const [path = ''] = decodeFully(pathname).replaceAll('\\', '/').split(/[?#]/);
  for (const part of path.split('/')) {
    // A parameter ends with its segment.
    const [segment = ''] = part.toLowerCase().split(';');
    const name = segment.replace(SEGMENT_BLANKS, '');
    if (name === '..' && segments.length < 2) return null;
    if (name === '..') segments.pop();
    else if (name !== '' && name !== '.') segments.push(name);
  }
  return segments[0] === 'v2' ? `/${segments.join('/')}` : null;
}

/** White space and control characters around a segment, which some servers cut off. */
const SEGMENT_BLANKS = /^[\s\p{Cc}]+|[\s\p{Cc}]+$/gu;

function decodeFully(text: string): string {
  const decoded = text.replace(/%([0-9a-f]{2})/gi, (_whole, digits: string) =>
    String.fromCharCode(parseInt(digits, 16)),
  );
  return decoded === text ? text : decodeFully(decoded);
}
