/** Who may send requests: a loopback host, no page of another site, then a key with the scope (section 5). */
import { type Environment, environmentOfKey, KEY_PREFIX, type Scope } from '../../contract/access.js';
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
  return {
    ...{
      refusal: 'field_invalid',
      why: 'Host is not an address of this machine: localhost, 127.0.0.1 or [::1].',
    },
    details: [{ field: 'Host', code: 'invalid' }],
  };
}

const SITE = 'sec-fetch-site';
const ORIGIN = 'origin';
const SAFE_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];
/** The page of this very server, or the address bar. */
const OWN_SITES: readonly string[] = ['same-origin', 'none'];

/**
 * Control takes no key, so where a request comes from decides: a page of another site may ask a browser for no change. Null for a safe method,
 * and for a request of no page of another site; else 403 `foreign_origin`. `Host` was checked before.
 */
export function checkOrigin(request: Pick<SandboxRequest, 'method' | 'headers'>): HttpRefusal | null {
  return SAFE_METHODS.includes(request.method) ? null : checkSite(request);
}

/**
 * Null for a request of no browser (neither header), and for one of our own page; else 403 `foreign_origin`: whatever the method, for what
 * even reading uses up or writes down.
 */
export function checkSite(request: Pick<SandboxRequest, 'headers'>): HttpRefusal | null {
  const sites = headerValues(request, SITE);
  const origins = headerValues(request, ORIGIN);
  // A browser's own word on it counts; Origin is what older browsers send.
  const isOwn =
    sites.length > 0
      ? sites.every((site) => OWN_SITES.includes(site))
      : origins.every((origin) => isHost(origin, request));
  return isOwn ? null : { refusal: 'foreign_origin' };
}

/** What browsers ask for by themselves. */
const ICON = /^\/(?:favicon\.ico|apple-touch-icon[^/?]*\.png)(?:\?|$)/;

/** Whether nothing stays of a request: of an icon, and of a page that is not our own, also by a name that was pointed at this machine. */
export function isTraceless(request: Pick<SandboxRequest, 'headers' | 'target'>): boolean {
  if (ICON.test(request.target)) return true;
  // By a name that is not secure a browser says neither of them, and names itself all the same.
  const isBrowser =
    [SITE, ORIGIN].some((name) => headerValues(request, name).length > 0) ||
    headerValues(request, 'user-agent').some((agent) => agent.startsWith('Mozilla/'));
  return isBrowser && (checkHost(request) ?? checkSite(request)) !== null;
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
  if (key === undefined) return { refusal: 'unauthorized', why: whyNoKey(credentials, others) };
  if (environmentOfKey(key) !== environment)
    return { refusal: 'unauthorized', why: whyElsewhere(key, environment) };
  const bearer = companies.bearerOf(key);
  if (bearer?.company.environment !== environment)
    return { refusal: 'unauthorized', why: 'This sandbox did not make this key, or was reset since.' };
  const { scope } = endpoint(id);
  return scope === null || bearer.scopes.includes(scope)
    ? bearer
    : { refusal: 'scope_missing', why: whyScope(scope, bearer) };
}

function whyNoKey(credentials: string | undefined, others: readonly string[]): string {
  if (credentials === undefined) return 'There is no Authorization header. Send "Authorization: Bearer KEY".';
  if (others.length > 0) return 'Authorization appears more than once.';
  return 'Authorization must be "Bearer", one space and a key.';
}

function whyElsewhere(key: string, environment: Environment): string {
  const prefix = KEY_PREFIX[environment];
  if (environmentOfKey(key) === null) return `The key does not begin with ${prefix}.`;
  const place = environment === 'sandbox' ? 'the sandbox, under /sandbox' : 'production, without /sandbox';
  return `The key belongs to the other environment: this address is ${place}, and its keys begin with ${prefix}.`;
}

function whyScope(scope: Scope, { scopes }: Bearer): string {
  return `The key does not have the scope ${scope}; it has ${scopes.join(', ') || 'none'}.`;
}
