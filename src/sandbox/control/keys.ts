/** Makes keys: of any company, with any scopes, in either environment, for the company itself or an operator. */
import { ENVIRONMENTS, KEY_PREFIX, SCOPES } from '../../contract/access.js';
import { CREATORS } from '../../contract/operation.js';
import { list, object, oneOf, optional, textLike } from '../../contract/shape.js';
import { readBody, type ControlHandler } from './call.js';

/** The company of the ready key, and of every request that names none. */
export const DEFAULT_COMPANY = 'default';

/** Printable, so that it can stand in a list and in a message. */
export const companyName = textLike(/^[^\p{C}]{1,64}$/u);

const newKey = object({
  company: optional(companyName),
  scopes: optional(list(oneOf(SCOPES))),
  environment: optional(oneOf(ENVIRONMENTS)),
  created_by: optional(oneOf(CREATORS)),
});

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
