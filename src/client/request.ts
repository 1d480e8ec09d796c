/** Requests before they leave: the exact bytes, the retry class and the key, to be shown, made durable, then sent. Pure but for its randomness. */
import { endpoint, type EndpointId, type RetryClass, ENDPOINT_IDS } from '../contract/endpoints.js';
import { jsonIn } from '../contract/json.js';
import { isObject } from '../contract/shape.js';
import { isIdempotencyKey, isUuid } from '../contract/notation.js';
import type { HttpRequest } from '../runtime/transport.js';
import type { CallAttempts } from '../contract/attempt.js';
import type { Random } from '../runtime/clock.js';

/** Who asks, and where: the same for every request of a command. */
export interface Origin {
  /** The address of the environment: what stands before `/v2`, already checked (scheme, host, no query). */
  readonly baseUrl: string;
  readonly key: string;
  /** Such as `svc/1.2.3`. */
  readonly userAgent: string;
  /** The caller's place in a trace, passed on as it is. */
  readonly traceparent?: string | undefined;
}

/** What fills in a row of the table. */
export interface RequestInput {
  /** The operation, where the path has one. */
  readonly id?: string;
  /** Undefined values are left out. */
  readonly query?: Readonly<Record<string, string | undefined>>;
  /** The exact bytes of the body; a POST that takes none sends `{}`. */
  readonly body?: Uint8Array | undefined;
  /** What is in the body of a create, where that was read before. */
  readonly members?: BodyMembers | undefined;
}

/** The members of a body. */
export type BodyMembers = Readonly<Record<string, unknown>>;

/** Null for bytes that are no JSON object. */
export function bodyMembersOf(body: Uint8Array | null): BodyMembers | null {
  const value = body === null ? undefined : jsonIn(body);
  return isObject(value) ? value : null;
}

/** Thrown before anything is sent: the caller gave something from which no request may be built. A usage error. */
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
 * The body of a POST that takes none (sections 4: resend-code, cancel). A server of this contract accepts nothing, `null` and `{}`;
 * the last is the one that a reader of `Content-Type: application/json` cannot stumble over.
 */
const NO_BODY = new TextEncoder().encode('{}');

/**
 * The request of a row of the table (section 4).
 * @throws InvalidRequest for an id that is no uuid (it would leave the route), or a key that no header carries
 */
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
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const search = given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
  const target = path.replace('{id}', () => id) + search;
  return requestTo({ method, target }, input.body, origin, idempotencyKey);
}

/** The request as it goes out. @throws InvalidRequest for an idempotency key that no header carries */
export function requestTo(
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
      // What somebody in between has kept says neither what is true now nor what time it is.
      ...(method === 'GET' ? { 'cache-control': 'no-cache' } : {}),
      ...(bytes === null ? {} : { 'content-type': 'application/json' }),
      ...(idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey }),
      ...(origin.traceparent === undefined ? {} : { traceparent: origin.traceparent }),
    },
    body: bytes,
  };
}

/** What stands before the path of every request. */
export function addressOf({ baseUrl }: Pick<Origin, 'baseUrl'>): string {
  return baseUrl.replace(/\/+$/, '');
}

/** Version, trace, parent, flags; a later version may go on behind them. */
const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-[\x21-\x7e]{0,200})?$/;

/** The place in a trace (W3C Trace Context) as `TRACEPARENT` says it, passed on as it is; undefined where there is none, or none that the standard allows. */
export function readTraceparent(text: string | undefined): string | undefined {
  const [whole, version, trace, parent, more] = FORM.exec(text ?? '') ?? [];
  if (whole === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  return isZero(trace) || isZero(parent) ? undefined : whole;
}

function isZero(digits = ''): boolean {
  return /^0*$/.test(digits);
}

export interface Prepared extends Pick<CallAttempts, 'endpointId' | 'retry' | 'id' | 'idempotencyKey'> {
  readonly request: HttpRequest;
  /** What is in the body of a create; null where that is no JSON object, and for any other request. */
  readonly members: BodyMembers | null;
}

/** Who asks, and where new keys come from. */
export interface Preparing extends Origin {
  readonly random: Random;
}

/** What fills in a request by hand: its path is whole already. */
export type RawInput = Pick<RequestInput, 'query' | 'body' | 'members'>;

/** 32 hexadecimal characters from a secure random source. */
export function newIdempotencyKey(random: Random): string {
  return random.hex(16);
}

/**
 * The request of a row of the table.
 * @param given the idempotency key of a keyed call; a new one without it
 * @throws InvalidRequest
 */
export function prepare(
  from: Preparing,
  endpointId: EndpointId,
  input: RequestInput,
  given: string | undefined,
): Prepared {
  const { retry } = endpoint(endpointId);
  const idempotencyKey = keyFor(retry, from.random, given);
  const request = buildRequest(endpointId, input, from, idempotencyKey);
  const members = membersIn(request, retry, input);
  return { endpointId, retry, id: input.id ?? null, idempotencyKey, request, members };
}

/**
 * Any request below `/v2`. One that is a row of the table is treated as that row (a POST to a create is keyed);
 * outside the table a read is safe, and anything else is made once.
 * @throws InvalidRequest for a path that a URL parser would lead elsewhere or another server would take for another one, and for a method
 *   that is none, or that the path does not take
 */
export function prepareRaw(
  from: Preparing,
  { method: typed, path }: { readonly method: string; readonly path: string },
  input: RawInput,
  given: string | undefined,
): Prepared {
  const method = typed.toUpperCase();
  if (!/^[A-Z]{1,20}$/.test(method) || method === 'CONNECT') {
    throw new InvalidRequest('method', 'The method must be an HTTP method such as GET or POST.');
  }
  const base = 'http://base.invalid';
  const url = URL.canParse(path, base) ? new URL(path, base) : null;
  const typedPath = path.split(/[?#]/, 1)[0] ?? '';
  // Whatever a URL parser would change (dots, backslashes, another host) would go where nobody asked.
  if (url?.origin !== base || url.hash !== '' || url.pathname !== typedPath || !/^\/v2\/./.test(typedPath))
    throw outsidePath(path);
  for (const [name, value] of Object.entries(input.query ?? {})) {
    if (value !== undefined) url.searchParams.append(name, value);
  }
  const { pathname } = url;
  const rows = rowsOf(pathname);
  if (rows.length === 0) {
    // Only a server in between may take it for a path of the table: there it would be carried out, and here it would be unknown.
    const normal = normalForm(pathname);
    if (normal === null) throw outsidePath(pathname);
    if (normal !== pathname && rowsOf(normal).length > 0) {
      const text = `A server may read this path as ${normal}. Write that path instead. Nothing was sent.`;
      throw new InvalidRequest('path', text);
    }
  }
  const row = rows.find(({ endpointId }) => endpoint(endpointId).method === method);
  if (row === undefined && rows.length > 0) {
    const taken = rows.map(({ endpointId }) => endpoint(endpointId).method).join(' and ');
    throw new InvalidRequest('method', `${pathname} accepts ${taken}, not ${method}. Nothing was sent.`);
  }
  const { endpointId, id } = row ?? { endpointId: null, id: null };
  const reads = method === 'GET' || method === 'HEAD';
  const retry = endpointId !== null ? endpoint(endpointId).retry : reads ? 'safe' : 'once';
  const idempotencyKey = keyFor(retry, from.random, given);
  const request = requestTo({ method, target: pathname + url.search }, input.body, from, idempotencyKey);
  return { endpointId, retry, id, idempotencyKey, request, members: membersIn(request, retry, input) };
}

/** The same request under another key. */
export function withIdempotencyKey(prepared: Prepared, idempotencyKey: string): Prepared {
  const { request } = prepared;
  const headers = { ...request.headers, 'idempotency-key': idempotencyKey };
  return { ...prepared, idempotencyKey, request: { ...request, headers } };
}

function membersIn({ body }: HttpRequest, retry: RetryClass, { members }: RawInput): BodyMembers | null {
  return retry === 'keyed' ? (members ?? bodyMembersOf(body)) : null;
}

function keyFor(retry: RetryClass, random: Random, given: string | undefined): string | null {
  return retry === 'keyed' ? (given ?? newIdempotencyKey(random)) : null;
}

/** The rows of a path, whatever their methods; the id is that of the operation. */
function rowsOf(pathname: string): { readonly endpointId: EndpointId; readonly id: string | null }[] {
  return ENDPOINT_IDS.flatMap((endpointId): ReturnType<typeof rowsOf> => {
    const [before = '', after] = endpoint(endpointId).path.split('{id}');
    if (after === undefined) return pathname === before ? [{ endpointId, id: null }] : [];
    const id = pathname.slice(before.length, pathname.length - after.length);
    return pathname === before + id + after && isUuid(id) ? [{ endpointId, id }] : [];
  });
}

/** A path that is none below `/v2`; the one of the table that was meant is named. */
function outsidePath(path: string): InvalidRequest {
  const [, rest = ''] = /^\/*(?:sandbox\/+)?(?:v2\/+)?([^?#]*)/.exec(path) ?? [];
  const meant = `/v2/${rest}`;
  const hint = rowsOf(meant).length === 0 ? '' : ` Did you mean ${meant}?`;
  return new InvalidRequest(
    'path',
    `The path must begin with /v2/ and stay below it.${hint} Nothing was sent.`,
  );
}

/**
 * What the servers that a request passes may make of a path: decoded, as often as that changes it, without parameters, empty segments and
 * what stands around a segment, its dots resolved, in lower case. Null where it leads out of `/v2`.
 */
function normalForm(pathname: string): string | null {
  const segments: string[] = [];
  const [path = ''] = decoded(pathname).replaceAll('\\', '/').split(/[?#]/);
  for (const part of path.split('/')) {
    // A parameter ends with its segment.
    const [segment = ''] = part.toLowerCase().split(';');
    const name = segment.replace(AROUND, '');
    if (name === '..' && segments.length < 2) return null;
    if (name === '..') segments.pop();
    else if (name !== '' && name !== '.') segments.push(name);
  }
  return segments[0] === 'v2' ? `/${segments.join('/')}` : null;
}

/** White space and control characters, which some servers cut off. */
const AROUND = /^[\s\p{Cc}]+|[\s\p{Cc}]+$/gu;

function decoded(text: string): string {
  const once = text.replace(/%([0-9a-f]{2})/gi, (_whole, digits: string) =>
    String.fromCharCode(parseInt(digits, 16)),
  );
  return once === text ? text : decoded(once);
}
