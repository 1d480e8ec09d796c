import { type Environment, environmentOfKey, KEY_PREFIX } from '../../contract/access.js';
import { endpoint, type EndpointId } from '../../contract/endpoints.js';
import type { HttpRefusal, SandboxRequest } from '../message.js';
import type { Bearer, Companies } from '../store/companies.js';

export function headerValues({ headers }: Pick<SandboxRequest, 'headers'>, lowerCaseName: string): string[] {
  const values: string[] = [];
  for (const [key, value] of headers)
    if (key.length === lowerCaseName.length && key.toLowerCase() === lowerCaseName) values.push(value);
  return values;
}

const LOOPBACK_HOST = /^(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])(?::[0-9]{1,5})?$/i;

/** A check of `Host` stops DNS rebinding, by which a page of another site could send requests. */
export function checkHost(request: Pick<SandboxRequest, 'headers'>): HttpRefusal | null {
  const [host, ...others] = headerValues(request, 'host');
  if (host === undefined)
    return { refusal: 'field_required', details: [{ field: 'Host', code: 'required' }] };
  if (others.length === 0 && LOOPBACK_HOST.test(host)) return null;
  return {
    refusal: 'field_invalid',
    why: 'Host is not an address of this machine: localhost, 127.0.0.1 or [::1].',
    details: [{ field: 'Host', code: 'invalid' }],
  };
}

const SITE_HEADER = 'sec-fetch-site';
const ORIGIN_HEADER = 'origin';
const OWN_SITES: readonly string[] = ['same-origin', 'none'];

export function checkSite(request: Pick<SandboxRequest, 'headers'>): HttpRefusal | null {
  const sites = headerValues(request, SITE_HEADER);
  const origins = headerValues(request, ORIGIN_HEADER).map((origin) => origin.toLowerCase());
  const [host = ''] = headerValues(request, 'host');
  // Older browsers send only `Origin`.
  const isOwn =
    sites.length > 0
      ? sites.every((site) => OWN_SITES.includes(site))
      : origins.every((origin) => origin === `http://${host.toLowerCase()}`);
  return isOwn ? null : { refusal: 'foreign_origin' };
}

const ICON_TARGET = /^\/(?:favicon\.ico|apple-touch-icon[^/?]*\.png)(?:\?|$)/;

export function isUnlogged(request: Pick<SandboxRequest, 'headers' | 'target'>): boolean {
  if (ICON_TARGET.test(request.target)) return true;
  const isBrowser =
    [SITE_HEADER, ORIGIN_HEADER].some((name) => headerValues(request, name).length > 0) ||
    headerValues(request, 'user-agent').some((agent) => agent.startsWith('Mozilla/'));
  return isBrowser && (checkHost(request) ?? checkSite(request)) !== null;
}

const CREDENTIALS_FORM = /^bearer ([\x21-\x7e]+)$/i;

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
  const key = CREDENTIALS_FORM.exec(credentials)?.[1];
  if (key === undefined) return refuse('Authorization must be "Bearer", one space and a key.');
  const keyEnvironment = environmentOfKey(key);
  const prefix = KEY_PREFIX[environment];
  if (keyEnvironment === null) return refuse(`The key does not begin with ${prefix}.`);
  if (keyEnvironment !== environment) {
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
  const scopesText = bearer.scopes.join(', ') || 'none';
  return { refusal: 'scope_missing', why: `The key does not have the scope ${scope}; it has ${scopesText}.` };
}
