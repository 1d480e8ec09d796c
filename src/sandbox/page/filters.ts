import { ENVIRONMENTS } from '../../contract/access.js';
import { companyText, queryText } from './answers.js';
import { route } from './route.js';
import { companies } from './server.js';

type KnownFilters = Readonly<Record<string, true | ((value: string) => boolean)>>;

export type Filters = readonly (readonly [name: string, value: string])[];

export const isOneOf =
  (values: readonly string[]) =>
  (text: string): boolean =>
    values.includes(text);

const hasCompany = (known: (company: (typeof companies.value)[number]) => boolean): boolean =>
  companies.value.length === 0 || companies.value.some(known);

const SHOWN: KnownFilters = {
  search: true,
  company: (text) => hasCompany((one) => companyText(one) === text),
};
const ACCEPTED: KnownFilters = {
  company: (text) => hasCompany(({ name }) => name === text),
  environment: isOneOf(ENVIRONMENTS),
};

const isKnown = (known: KnownFilters, [name, value]: Filters[number]): boolean => {
  const rule = Object.hasOwn(known, name) ? known[name] : undefined;
  return typeof rule === 'function' ? rule(value) : rule === true;
};

export function filtersNow(shown: KnownFilters, accepted: KnownFilters = {}) {
  const filters = Object.entries(route.value.query).filter(([, value]) => value !== '');
  const chips = filters.filter((one) => !isKnown({ ...SHOWN, ...shown }, one));
  const isNone = chips.some((one) => !isKnown({ ...ACCEPTED, ...accepted }, one));
  const { company = '', ...query } = route.value.query;
  const [, name = company, environment] = /^(.+), (sandbox|live)$/s.exec(company) ?? [];
  const owner = { company: name, ...(environment !== undefined && { environment }) };
  return { chips, query: isNone ? null : { ...query, ...owner } };
}

export const filterText = (query: Readonly<Record<string, string | null>> | null): string | null =>
  query === null ? null : queryText(query);
