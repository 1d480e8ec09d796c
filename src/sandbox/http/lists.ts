/** Answers what is only read: the catalog (sections 2.5 and 4), balances (section 4), and a page of events, in order (section 6). */
import type { Balance, CurrencyEntry } from '../../contract/catalog.js';
import type { Detail } from '../../contract/errors.js';
import { LIMITS } from '../../contract/limits.js';
import { DIRECTIONS } from '../../contract/operation.js';
import { fromMinor } from '../../contract/money.js';
import { banksOf, CAPABILITIES, methodsOf } from '../catalog/catalog.js';
import type { Money } from '../store/beside-operations.js';
import type { EndpointHandler } from './call.js';
import { inPages } from './paged-list.js';
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

const currencies = currenciesOf();

/** Every currency of the catalog, at zero where nothing moved yet. */
export const listsBalances: EndpointHandler = ({ world, company }) =>
  JSON.stringify({ balances: balancesOf(world.store.money, company.id) });

/** The balances of a company, by its number. */
export function balancesOf(money: Money, company: number): Balance[] {
  return currencies.map(({ code, decimals }): Balance => {
    const { available, reserved } = money.funds(company, code);
    return {
      currency: code,
      available: fromMinor(available, decimals),
      reserved: fromMinor(reserved, decimals),
    };
  });
}

function currenciesOf(): readonly CurrencyEntry[] {
  const all = CAPABILITIES.countries.flatMap((country) => country.currencies);
  return [...new Map(all.map((currency) => [currency.code, currency])).values()];
}

export const listsEvents = inPages({
  name: 'events',
  limits: { least: LIMITS.eventsPageMin, most: LIMITS.eventsPageMax, usual: 50 },
  after: ({ world, company }, position, limit) => world.store.feed.after(company, position, limit),
});
