import { endpoint, type EndpointId, type RetryClass, ENDPOINT_IDS } from '../contract/endpoints.js';
import { jsonIn } from '../contract/json.js';
import { isObject } from '../contract/shape.js';
import { isIdempotencyKey, isUuid } from '../contract/notation.js';
import type { HttpRequest } from '../runtime/transport.js';
import type { CallAttempts } from '../contract/attempt.js';
import type { Random } from '../runtime/clock.js';

export interface Origin {
  readonly baseUrl: string;
  readonly key: string;
  readonly userAgent: string;
  readonly traceparent?: string | undefined;
}

export interface RequestInput {
  readonly id?: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: Uint8Array | undefined;
  readonly members?: BodyMembers | undefined;
}

export type BodyMembers = Readonly<Record<string, unknown>>;

export function bodyMembersOf(body: Uint8Array | null): BodyMembers | null {
  const value = body === null ? undefined : jsonIn(body);
  return isObject(value) ? value : null;
}

export class InvalidRequest extends Error {
  override readonly name = 'InvalidRequest';
  constructor(
    readonly field: 'id' | 'Idempotency-Key' | 'method' | 'path',
    message: string,
  ) {
    super(message);
  }
}

/** Some servers refuse an empty JSON body, so a POST without a body sends `{}` (contract section 4). */
const EMPTY_BODY = new TextEncoder().encode('{}');

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

export function buildRequestTo(
  { method, target }: { readonly method: string; readonly target: string },
  body: Uint8Array | undefined,
  origin: Origin,
  idempotencyKey: string | null,
): HttpRequest {
  if (idempotencyKey !== null && !isIdempotencyKey(idempotencyKey)) {
    const text =
      'The idempotency key must be 8 to 128 printable ASCII characters, without leading or trailing spaces.';
    throw new InvalidRequest('Idempotency-Key', text);
  }
  const bytes = body ?? (method === 'POST' ? EMPTY_BODY : null);
  return {
    method,
    url: addressOf(origin) + target,
    headers: {
      accept: 'application/json',
      'accept-encoding': 'identity',
      authorization: `Bearer ${origin.key}`,
      'user-agent': origin.userAgent,
      ...(method === 'GET' ? { 'cache-control': 'no-cache' } : {}),
      ...(bytes === null ? {} : { 'content-type': 'application/json' }),
      ...(idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey }),
      ...(origin.traceparent === undefined ? {} : { traceparent: origin.traceparent }),
    },
    body: bytes,
  };
}

export function addressOf({ baseUrl }: Pick<Origin, 'baseUrl'>): string {
  return baseUrl.replace(/\/+$/, '');
}

const TRACE_CONTEXT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-[\x21-\x7e]{0,200})?$/;

export function readTraceparent(text: string | undefined): string | undefined {
  const [context, version, trace, parent, extra] = TRACE_CONTEXT.exec(text ?? '') ?? [];
  if (context === undefined || version === 'ff' || (version === '00' && extra !== undefined))
    return undefined;
  return isZero(trace) || isZero(parent) ? undefined : context;
}

function isZero(digits = ''): boolean {
  return /^0*$/.test(digits);
}

type CallFacts = Pick<CallAttempts, 'endpointId' | 'retry' | 'id' | 'idempotencyKey'>;

export interface PreparedRequest extends CallFacts {
  readonly request: HttpRequest;
  readonly members: BodyMembers | null;
}

export type RawInput = Pick<RequestInput, 'query' | 'body' | 'members'>;

export function newIdempotencyKey(random: Random): string {
  return random.hex(16);
}

export function prepare(
  source: Origin & { readonly random: Random },
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

export function prepareRaw(
  source: Origin & { readonly random: Random },
  { method: typedMethod, path }: { readonly method: string; readonly path: string },
  input: RawInput,
  ownKey: string | undefined,
): PreparedRequest {
  const method = typedMethod.toUpperCase();
  if (!/^[A-Z]{1,20}$/.test(method) || method === 'CONNECT') {
    throw new InvalidRequest('method', 'The method must be an HTTP method such as GET or POST.');
  }
  const placeholder = 'http://base.invalid';
  const url = URL.canParse(path, placeholder) ? new URL(path, placeholder) : null;
  const typedPath = path.split(/[?#]/, 1)[0] ?? '';
  // A URL parser would send a path with dots, backslashes or another host elsewhere.
  if (
    url?.origin !== placeholder ||
    url.hash !== '' ||
    url.pathname !== typedPath ||
    !/^\/v2\/./.test(typedPath)
  )
    throw pathError(path);
  for (const [name, value] of Object.entries(input.query ?? {})) {
    if (value !== undefined) url.searchParams.append(name, value);
  }
  const { pathname } = url;
  const endpoints = endpointsAt(pathname);
  if (endpoints.length === 0) {
    // A server may read this path as an endpoint of the contract, such as a create.
    const normalPath = normalForm(pathname);
    if (normalPath === null) throw pathError(pathname);
    if (normalPath !== pathname && endpointsAt(normalPath).length > 0) {
      const text = `A server may read this path as ${normalPath}. Write that path instead. Nothing was sent.`;
      throw new InvalidRequest('path', text);
    }
  }
  const matchedEndpoint = endpoints.find(({ endpointId }) => endpoint(endpointId).method === method);
  if (matchedEndpoint === undefined && endpoints.length > 0) {
    const methodsText = endpoints.map(({ endpointId }) => endpoint(endpointId).method).join(' and ');
    throw new InvalidRequest(
      'method',
      `${pathname} accepts ${methodsText}, not ${method}. Nothing was sent.`,
    );
  }
  const { endpointId, id } = matchedEndpoint ?? { endpointId: null, id: null };
  const isRead = method === 'GET' || method === 'HEAD';
  const retry = endpointId !== null ? endpoint(endpointId).retry : isRead ? 'safe' : 'once';
  const idempotencyKey = chooseKey(retry, source.random, ownKey);
  const target = pathname + url.search;
  const request = buildRequestTo({ method, target }, input.body, source, idempotencyKey);
  return { endpointId, retry, id, idempotencyKey, request, members: createMembersOf(request, retry, input) };
}

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

function endpointsAt(pathname: string): { readonly endpointId: EndpointId; readonly id: string | null }[] {
  return ENDPOINT_IDS.flatMap((endpointId): ReturnType<typeof endpointsAt> => {
    const [prefix = '', suffix] = endpoint(endpointId).path.split('{id}');
    if (suffix === undefined) return pathname === prefix ? [{ endpointId, id: null }] : [];
    const id = pathname.slice(prefix.length, pathname.length - suffix.length);
    return pathname === prefix + id + suffix && isUuid(id) ? [{ endpointId, id }] : [];
  });
}

function pathError(path: string): InvalidRequest {
  const [, rest = ''] = /^\/*(?:sandbox\/+)?(?:v2\/+)?([^?#]*)/.exec(path) ?? [];
  const suggestion = `/v2/${rest}`;
  const hint = endpointsAt(suggestion).length === 0 ? '' : ` Did you mean ${suggestion}?`;
  const text = `The path must begin with /v2/ and stay below it.${hint} Nothing was sent.`;
  return new InvalidRequest('path', text);
}

function normalForm(pathname: string): string | null {
  const segments: string[] = [];
  const [path = ''] = decodeFully(pathname).replaceAll('\\', '/').split(/[?#]/);
  for (const part of path.split('/')) {
    const [segment = ''] = part.toLowerCase().split(';');
    const name = segment.replace(SEGMENT_BLANKS, '');
    if (name === '..' && segments.length < 2) return null;
    if (name === '..') segments.pop();
    else if (name !== '' && name !== '.') segments.push(name);
  }
  return segments[0] === 'v2' ? `/${segments.join('/')}` : null;
}

const SEGMENT_BLANKS = /^[\s\p{Cc}]+|[\s\p{Cc}]+$/gu;

function decodeFully(text: string): string {
  const decoded = text.replace(/%([0-9a-f]{2})/gi, (_whole, digits: string) =>
    String.fromCharCode(parseInt(digits, 16)),
  );
  return decoded === text ? text : decodeFully(decoded);
}
