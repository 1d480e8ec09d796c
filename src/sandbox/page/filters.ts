import { ENVIRONMENTS } from '../../contract/access.js';
import { companyText, queryText } from './answers.js';
import { route } from './route.js';
import { companies } from './server.js';

type FilterRules = Readonly<Record<string, true | ((value: string) => boolean)>>;

export type Filters = readonly (readonly [name: string, value: string])[];

export const isOneOf =
  (values: readonly string[]) =>
  (text: string): boolean =>
    values.includes(text);

const hasCompany = (matches: (company: (typeof companies.value)[number]) => boolean): boolean =>
  companies.value.length === 0 || companies.value.some(matches);

const SHOWN_RULES: FilterRules = {
  search: true,
  company: (text) => hasCompany((one) => companyText(one) === text),
};
const ACCEPTED_RULES: FilterRules = {
  company: (text) => hasCompany(({ name }) => name === text),
  environment: isOneOf(ENVIRONMENTS),
};

const isKnown = (rules: FilterRules, [name, value]: Filters[number]): boolean => {
  const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
  return typeof rule === 'function' ? rule(value) : rule === true;
};

export function readFilters(shown: FilterRules, accepted: FilterRules = {}) {
  const filters = Object.entries(route.value.query).filter(([, value]) => value !== '');
  const chips = filters.filter((one) => !isKnown({ ...SHOWN_RULES, ...shown }, one));
  const matchesNothing = chips.some((one) => !isKnown({ ...ACCEPTED_RULES, ...accepted }, one));
  const { company = '', ...query } = route.value.query;
  const [, name = company, environment] = /^(.+), (sandbox|live)$/s.exec(company) ?? [];
  const companyFilter = { company: name, ...(environment !== undefined && { environment }) };
  return { chips, query: matchesNothing ? null : { ...query, ...companyFilter } };
}

export const filterText = (query: Readonly<Record<string, string | null>> | null): string | null =>
  query === null ? null : queryText(query);
