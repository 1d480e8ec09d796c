/** Makes keys: of any company, with any scopes, in either environment, for the company itself or an operator. */
import { KEY_PREFIX, SCOPES } from '../../contract/access.js';
import { newKey } from './bodies.js';
import { readBody, type ControlHandler } from './call.js';

/** The company of the ready key, and of every request that names none. */
export const DEFAULT_COMPANY = 'default';

export const makesKey: ControlHandler = (call) => {
  const body = readBody(call, newKey);
  if ('refusal' in body) return body;
  const {
    company = DEFAULT_COMPANY,
    scopes = SCOPES,
    environment = 'sandbox',
    created_by: createdBy,
  } = body.value;
  const { store, random } = call.world;
  const key = KEY_PREFIX[environment] + random.hex(24);
  store.companies.addKey(key, store.companies.ensure(environment, company), scopes, createdBy);
  return JSON.stringify({ api_key: key });
};
