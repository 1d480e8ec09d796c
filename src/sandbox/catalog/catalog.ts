/** The sandbox's catalog and the questions that the catalog endpoints ask of it (sections 2.5 and 4). */
import type { Bank, Capabilities, MethodEntry } from '../../contract/catalog.js';
import { rejectField, type Rejection } from '../../contract/create.js';
import { type Direction, isMethod } from '../../contract/operation.js';
import { COUNTRIES, type Country } from './countries.js';

/** The answer of GET /v2/capabilities. The version goes up with every change of this folder's data. */
export const CAPABILITIES: Capabilities = {
  config_version: 1,
  countries: COUNTRIES.map(({ entry }) => entry),
};

/** The method entries of one country (in either case) or all, of one direction or both; `country_unsupported` for another country. */
export function methodsOf(filter: {
  readonly country?: string | undefined;
  readonly direction?: Direction | undefined;
}): readonly MethodEntry[] | Rejection {
  const countries = filter.country === undefined ? COUNTRIES : COUNTRIES.filter(isNamed(filter.country));
  if (countries.length === 0) return rejectField('country_unsupported', 'country');
  return countries
    .flatMap(({ entry }) => [...entry.payin_methods, ...entry.payout_methods])
    .filter(({ direction }) => filter.direction === undefined || direction === filter.direction);
}

/**
 * The banks of a country (in either case), or only those that support a method; `country_unsupported` for another country,
 * `method_unavailable` for a method that is unknown or that the country does not offer.
 */
export function banksOf(country: string, method?: string): readonly Bank[] | Rejection {
  const place = COUNTRIES.find(isNamed(country));
  if (place === undefined) return rejectField('country_unsupported', 'country');
  if (method === undefined) return place.banks;
  const { payin_methods: payins, payout_methods: payouts } = place.entry;
  const isOffered = [...payins, ...payouts].some(({ code }) => code === method);
  if (!isMethod(method) || !isOffered) return rejectField('method_unavailable', 'method');
  return place.banks.filter(({ methods }) => methods.includes(method));
}

/** Whether a bank of that country takes the method today. */
export function supportsBank(country: string, bankCode: string, method: string): boolean {
  const bank = COUNTRIES.find(isNamed(country))?.banks.find(({ code }) => code === bankCode);
  return bank?.methods.some((supported) => supported === method) ?? false;
}

function isNamed(country: string): (candidate: Country) => boolean {
  const code = country.toUpperCase();
  return ({ entry }) => entry.code === code;
}
