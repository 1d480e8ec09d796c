/** The names by which a fault's route may be called: the endpoint's id, or the words of its path in camel case (`payins.resendCode`). */
import { endpoint, ENDPOINT_IDS, type EndpointId } from '../../contract/endpoints.js';

const BY_NAME: ReadonlyMap<string, EndpointId> = new Map(
  ENDPOINT_IDS.flatMap((id): [string, EndpointId][] => namesOf(id).map((name) => [name, id])),
);

/** Every such name that is no id. */
export const OPERATION_NAMES = [...BY_NAME.keys()];

/** The endpoint of a name; an id and `*` are what they are. */
export function routeNamed(name: string): EndpointId | '*' {
  return BY_NAME.get(name) ?? (name as EndpointId | '*');
}

/** `/v2/webhook-endpoints` by POST is `webhookEndpoints.create`, `/v2/payins/{id}/resend-code` is `payins.resendCode`. */
function namesOf(id: EndpointId): string[] {
  const { method, path } = endpoint(id);
  const [resource = '', ...rest] = path.replace(/^\/v2\//, '').split('/');
  const action = rest.find((word) => !word.startsWith('{'));
  const verb = action ?? (method === 'POST' ? 'create' : rest.length > 0 ? 'get' : 'list');
  const name = `${camelCase(resource)}.${camelCase(verb)}`;
  return ENDPOINT_IDS.includes(name as EndpointId) ? [] : [name];
}

function camelCase(words: string): string {
  return words.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
