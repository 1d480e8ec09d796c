/** Who is asking and whether they may: 401, then 403 (section 5). */
import { environmentOfKey, type Environment } from '../../contract/access.js';
import { endpoint, type EndpointId } from '../../contract/endpoints.js';
import type { SandboxRequest } from '../message.js';
import type { Bearer, Companies } from '../store/companies.js';
import type { HttpRefusal } from './answer.js';
import { headerValues } from './headers.js';

const CREDENTIALS = /^bearer ([\x21-\x7e]+)$/i;

/** The bearer of the request's key, where it belongs to this environment and carries the endpoint's scope. */
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
