/** What is decided before anything leaves: the request, its retry class and its key, to be shown, made durable, then sent. */
import type { Tried } from '../contract/attempt.js';
import type { RetryClass } from '../contract/endpoint.js';
import { endpoint, type EndpointId } from '../contract/endpoints.js';
import type { Random } from '../runtime/random.js';
import type { HttpRequest } from '../runtime/transport.js';
import { buildRequest, InvalidRequest, requestTo, type RequestInput, type Origin } from './request.js';
import { outsidePath, typedRow } from './typed-row.js';

export interface Prepared extends Pick<Tried, 'endpointId' | 'retry' | 'id' | 'idempotencyKey'> {
  readonly request: HttpRequest;
}

/** Who asks, and where new keys come from. */
export interface Preparing extends Origin {
  readonly random: Random;
}

/** What fills in a request by hand: its path is whole already. */
export type RawInput = Pick<RequestInput, 'query' | 'body'>;

/** A request by hand: any method, and a path below `/v2` with its query if it has one. */
export interface RawTarget {
  readonly method: string;
  readonly path: string;
}

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
  return { endpointId, retry, id: input.id ?? null, idempotencyKey, request };
}

/**
 * Any request below `/v2`. One that is a row of the table is treated as that row (a POST to a create is keyed);
 * outside the table a read is safe, and anything else is made once.
 * @throws InvalidRequest for a path that a URL parser would lead elsewhere or another server would take for another one, and for a method
 *   that is none, or that the path does not take
 */
export function prepareRaw(
  from: Preparing,
  { method: typed, path }: RawTarget,
  { query, body }: RawInput,
  given: string | undefined,
): Prepared {
  const method = typed.toUpperCase();
  if (!/^[A-Z]{1,20}$/.test(method) || method === 'CONNECT') {
    throw new InvalidRequest('method', 'The method must be an HTTP method such as GET or POST.');
  }
  const url = readPath(path);
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) url.searchParams.append(name, value);
  }
  const { endpointId, id } = typedRow(method, url.pathname);
  const reads = method === 'GET' || method === 'HEAD';
  const retry = endpointId !== null ? endpoint(endpointId).retry : reads ? 'safe' : 'once';
  const idempotencyKey = keyFor(retry, from.random, given);
  const request = requestTo({ method, target: url.pathname + url.search }, body, from, idempotencyKey);
  return { endpointId, retry, id, idempotencyKey, request };
}

/** The same request under another key. */
export function withIdempotencyKey(prepared: Prepared, idempotencyKey: string): Prepared {
  const { request } = prepared;
  const headers = { ...request.headers, 'idempotency-key': idempotencyKey };
  return { ...prepared, idempotencyKey, request: { ...request, headers } };
}

function keyFor(retry: RetryClass, random: Random, given: string | undefined): string | null {
  return retry === 'keyed' ? (given ?? newIdempotencyKey(random)) : null;
}

function readPath(path: string): URL {
  const base = 'http://base.invalid';
  const url = URL.canParse(path, base) ? new URL(path, base) : null;
  const pathname = path.split(/[?#]/, 1)[0] ?? '';
  // Whatever a URL parser would change (dots, backslashes, another host) would go where nobody asked.
  if (url?.origin !== base || url.hash !== '' || url.pathname !== pathname || !/^\/v2\/./.test(pathname))
    throw outsidePath(path);
  return url;
}
