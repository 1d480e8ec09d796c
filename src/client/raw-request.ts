/** Requests that somebody wrote by hand: any method and path below `/v2`, and the row of the table that they are. Pure. */
import { endpoint, ENDPOINT_IDS, type EndpointId } from '../contract/endpoints.js';
import { isUuid } from '../contract/ids.js';
import type { HttpRequest } from '../runtime/transport.js';
import { assemble, InvalidRequest, type Input, type Origin } from './request.js';

/** Where a method and a path lead: the row of the table and the operation, each null where there is none. */
export interface Route {
  readonly endpointId: EndpointId | null;
  readonly id: string | null;
}

/** A path below `/v2` that stays there, with its query, and the method in capitals. */
export interface Target extends Route {
  readonly method: string;
  readonly pathAndQuery: string;
}

/**
 * Checks a method and a path, and finds the row they belong to.
 * @param path from `/v2/` on, with its query if it has one
 * @throws InvalidRequest for a path that a URL parser would lead elsewhere, or a method that is none
 */
export function readTarget(method: string, path: string, query: Input['query']): Target {
  const verb = method.toUpperCase();
  if (!/^[A-Z]{1,20}$/.test(verb) || verb === 'CONNECT') {
    throw new InvalidRequest('method', 'The method must be an HTTP method such as GET or POST.');
  }
  const url = readPath(path);
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) url.searchParams.append(name, value);
  }
  return { method: verb, pathAndQuery: url.pathname + url.search, ...findRoute(verb, url.pathname) };
}

/** @throws InvalidRequest for an idempotency key that no header carries */
export function buildRawRequest(
  target: Target,
  body: Uint8Array | undefined,
  origin: Origin,
  idempotencyKey: string | null,
): HttpRequest {
  return assemble(target.method, target.pathAndQuery, body, origin, idempotencyKey);
}

function readPath(path: string): URL {
  const base = 'http://base.invalid';
  const url = URL.canParse(path, base) ? new URL(path, base) : null;
  const pathname = path.split(/[?#]/, 1)[0] ?? '';
  // Whatever a URL parser would change (dots, backslashes, another host) would go where nobody asked.
  if (url?.origin !== base || url.hash !== '' || url.pathname !== pathname || !/^\/v2\/./.test(pathname)) {
    throw new InvalidRequest('path', 'The path must begin with /v2/ and stay below it. Nothing was sent.');
  }
  return url;
}

function findRoute(method: string, pathname: string): Route {
  for (const endpointId of ENDPOINT_IDS) {
    const row = endpoint(endpointId);
    if (row.method !== method) continue;
    const [before = '', after] = row.path.split('{id}');
    if (after === undefined) {
      if (pathname === before) return { endpointId, id: null };
      continue;
    }
    const id = pathname.slice(before.length, pathname.length - after.length);
    if (pathname === before + id + after && isUuid(id)) return { endpointId, id };
  }
  return { endpointId: null, id: null };
}
