/** Which row of the table a method and a path are that somebody typed, and what another server would take for one. Pure. */
import { endpoint, ENDPOINT_IDS, type EndpointId } from '../contract/endpoints.js';
import { isUuid } from '../contract/notation.js';
import { InvalidRequest } from './request.js';

/** A row of the table, and the operation; each null where there is none. */
export interface TypedRow {
  readonly endpointId: EndpointId | null;
  readonly id: string | null;
}

/**
 * @param method in capitals
 * @param pathname from `/v2/` on, without a query
 * @throws InvalidRequest for a path of the table with a method that it does not take, and for one that only a server in between would take
 *   for a path of the table: there it would be carried out, and here it would be unknown
 */
export function typedRow(method: string, pathname: string): TypedRow {
  const rows = rowsOf(pathname);
  if (rows.length === 0) {
    requirePlain(pathname);
    return { endpointId: null, id: null };
  }
  const row = rows.find(({ endpointId }) => endpoint(endpointId).method === method);
  if (row !== undefined) return row;
  const taken = rows.map(({ endpointId }) => endpoint(endpointId).method).join(' and ');
  throw new InvalidRequest('method', `${pathname} accepts ${taken}, not ${method}. Nothing was sent.`);
}

interface KnownRow extends TypedRow {
  readonly endpointId: EndpointId;
}

/** The rows of a path, whatever their methods. */
function rowsOf(pathname: string): KnownRow[] {
  return ENDPOINT_IDS.flatMap((endpointId): KnownRow[] => {
    const [before = '', after] = endpoint(endpointId).path.split('{id}');
    if (after === undefined) return pathname === before ? [{ endpointId, id: null }] : [];
    const id = pathname.slice(before.length, pathname.length - after.length);
    return pathname === before + id + after && isUuid(id) ? [{ endpointId, id }] : [];
  });
}

function requirePlain(pathname: string): void {
  const normal = normalForm(pathname);
  if (normal === null) throw outsidePath(pathname);
  if (normal === pathname || rowsOf(normal).length === 0) return;
  throw new InvalidRequest(
    'path',
    `A server may read this path as ${normal}. Write that path instead. Nothing was sent.`,
  );
}

/** A path that is none below `/v2`; the one of the table that was meant is named. */
export function outsidePath(path: string): InvalidRequest {
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
// eslint-disable-next-line no-control-regex -- those are meant
const AROUND = /^[\s\0-\x1f\x7f]+|[\s\0-\x1f\x7f]+$/g;

function decoded(text: string): string {
  const once = text.replace(/%([0-9a-f]{2})/gi, (_whole, digits: string) =>
    String.fromCharCode(parseInt(digits, 16)),
  );
  return once === text ? text : decoded(once);
}
