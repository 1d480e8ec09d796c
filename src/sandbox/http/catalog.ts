/** Answers what is possible: capabilities, methods and banks (sections 2.5 and 4). */
import type { Detail } from '../../contract/errors.js';
import { DIRECTIONS } from '../../contract/methods.js';
import { banksOf, CAPABILITIES, methodsOf } from '../catalog/catalog.js';
import type { EndpointHandler } from './call.js';
import { readQuery } from './query.js';

const COUNTRY = /^[A-Za-z]{2}$/;
const capabilitiesJson = JSON.stringify(CAPABILITIES);

export const listsCapabilities: EndpointHandler = () => capabilitiesJson;

export const listsMethods: EndpointHandler = ({ query }) => {
  const values = readQuery(query, ['country', 'direction']);
  if ('refusal' in values) return values;
  const { country, direction } = values;
  const known = DIRECTIONS.find((name) => name === direction);
  const details: Detail[] = [];
  if (country !== undefined && !COUNTRY.test(country)) details.push({ field: 'country', code: 'invalid' });
  if (direction !== undefined && known === undefined) details.push({ field: 'direction', code: 'invalid' });
  if (details.length > 0) return { refusal: 'field_invalid', details };
  const methods = methodsOf({ country, direction: known });
  return 'refusal' in methods ? methods : JSON.stringify({ methods });
};

export const listsBanks: EndpointHandler = ({ query }) => {
  const values = readQuery(query, ['country', 'method']);
  if ('refusal' in values) return values;
  const { country, method } = values;
  if (country === undefined || country === '') {
    return { refusal: 'field_required', details: [{ field: 'country', code: 'required' }] };
  }
  const banks = banksOf(country, method);
  return 'refusal' in banks ? banks : JSON.stringify({ banks });
};
