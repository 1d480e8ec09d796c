/** Who may ask at all: a loopback host, no page of another site, then a key with its scope (section 5). */
import { type Environment, environmentOfKey } from '../../contract/access.js';
import { endpoint, type EndpointId } from '../../contract/endpoints.js';
import type { HttpRefusal, SandboxRequest } from '../message.js';
import type { Bearer, Companies } from '../store/companies.js';

/** Every value of a header; `name` in lower case. */
export function headerValues({ headers }: Pick<SandboxRequest, 'headers'>, name: string): string[] {
  const values: string[] = [];
  for (const [key, value] of headers) {
    if (key.length === name.length && key.toLowerCase() === name) values.push(value);
  }
  return values;
}

const LOOPBACK = /^(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])(?::[0-9]{1,5})?$/i;

/**
 * Null where the request names a loopback host, once; else 400: a page of another site whose name was pointed at this machine gets
 * nothing (DNS rebinding).
 */
export function checkHost(request: Pick<SandboxRequest, 'headers'>): HttpRefusal | null {
  const [host, ...others] = headerValues(request, 'host');
  if (host === undefined)
    return { refusal: 'field_required', details: [{ field: 'Host', code: 'required' }] };
  if (others.length === 0 && LOOPBACK.test(host)) return null;
  return { refusal: 'field_invalid', details: [{ field: 'Host', code: 'invalid' }] };
}

const SAFE_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];
/** The page of this very server, or the address bar. */
const OWN_SITES: readonly string[] = ['same-origin', 'none'];

/**
 * Control takes no key, so where a request comes from decides: a page of another site may ask a browser for no change.
 * Null for a safe method, for a request of no browser (neither header), and for one of our own page; else 403 `foreign_origin`.
 * `Host` was checked before.
 */
export function checkOrigin(request: Pick<SandboxRequest, 'method' | 'headers'>): HttpRefusal | null {
  if (SAFE_METHODS.includes(request.method)) return null;
  const sites = headerValues(request, 'sec-fetch-site');
  const origins = headerValues(request, 'origin');
  // A browser's own word on it counts; Origin is what older browsers send.
  const isOwn =
    sites.length > 0
      ? sites.every((site) => OWN_SITES.includes(site))
      : origins.every((origin) => isHost(origin, request));
  return isOwn ? null : { refusal: 'foreign_origin' };
}

function isHost(origin: string, request: Pick<SandboxRequest, 'headers'>): boolean {
  const [host = ''] = headerValues(request, 'host');
  return origin.toLowerCase() === `http://${host.toLowerCase()}`;
}

const CREDENTIALS = /^bearer ([\x21-\x7e]+)$/i;

/**
 * Who is asking and whether they may, 401 and then 403: the bearer of the request's key, where it belongs to this environment and carries
 * the endpoint's scope.
 */
export function authorize(
  companies: Companies,
  request: Pick<SandboxRequest, 'headers'>,
  environment: Environment,
  id: EndpointId,
): Bearer | HttpRefusal {
  const [credentials, ...others] = headerValues(request, 'authorization');
  const key = others.length === 0 ? CREDENTIALS.exec(credentials ?? '')?.[1] : undefined;
  if (key === undefined || environmentOfKey(key) !== environment) return { refusal: 'unauthorized' };
  const bearer = companies.bearerOf(key);
  if (bearer?.company.environment !== environment) return { refusal: 'unauthorized' };
  const { scope } = endpoint(id);
  return scope === null || bearer.scopes.includes(scope) ? bearer : { refusal: 'scope_missing' };
}
