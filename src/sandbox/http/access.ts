/** Who may send requests: a loopback host, no page of another site, then a key with the scope (section 5). */
import { type Environment, environmentOfKey, KEY_PREFIX } from '../../contract/access.js';
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
    refusal: 'field_invalid',
    why: 'Host is not an address of this machine: localhost, 127.0.0.1 or [::1].',
    details: [{ field: 'Host', code: 'invalid' }],
  };
}

const SITE = 'sec-fetch-site';
const ORIGIN = 'origin';
/** The page of this very server, or the address bar. */
const OWN_SITES: readonly string[] = ['same-origin', 'none'];

/**
 * Null for a request of no browser (neither header), and for one of our own page; else 403 `foreign_origin`: whatever the method, for what
 * even reading uses up or writes down.
 */
export function checkSite(request: Pick<SandboxRequest, 'headers'>): HttpRefusal | null {
  const sites = headerValues(request, SITE);
  const origins = headerValues(request, ORIGIN).map((origin) => origin.toLowerCase());
  const [host = ''] = headerValues(request, 'host');
  // A browser's own word on it counts; Origin is what older browsers send.
  const isOwn =
    sites.length > 0
      ? sites.every((site) => OWN_SITES.includes(site))
      : origins.every((origin) => origin === `http://${host.toLowerCase()}`);
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
  const refuse = (why: string): HttpRefusal => ({ refusal: 'unauthorized', why });
  const [credentials, ...others] = headerValues(request, 'authorization');
  if (credentials === undefined)
    return refuse('There is no Authorization header. Send "Authorization: Bearer KEY".');
  if (others.length > 0) return refuse('Authorization appears more than once.');
  const key = CREDENTIALS.exec(credentials)?.[1];
  if (key === undefined) return refuse('Authorization must be "Bearer", one space and a key.');
  const own = environmentOfKey(key);
  const prefix = KEY_PREFIX[environment];
  if (own === null) return refuse(`The key does not begin with ${prefix}.`);
  if (own !== environment) {
    const place = environment === 'sandbox' ? 'the sandbox, under /sandbox' : 'production, without /sandbox';
    return refuse(
      `The key belongs to the other environment: this address is ${place}, and its keys begin with ${prefix}.`,
    );
  }
  const bearer = companies.bearerOf(key);
  if (bearer?.company.environment !== environment)
    return refuse('This sandbox did not make this key, or was reset since.');
  const { scope } = endpoint(id);
  if (scope === null || bearer.scopes.includes(scope)) return bearer;
  const held = bearer.scopes.join(', ') || 'none';
  return { refusal: 'scope_missing', why: `The key does not have the scope ${scope}; it has ${held}.` };
}
