/** Country and currency of a create where the catalog leaves only one possible. Pure. */
import type { Capabilities } from './catalog.js';
import type { Direction } from './methods.js';

export interface Defaults {
  readonly country?: string | undefined;
  readonly currency?: string | undefined;
}

/** What is given, and what follows from it: the other one where every method that fits agrees on it. */
export function completeDefaults(
  catalog: Capabilities,
  direction: Direction,
  given: Defaults & { readonly method?: string | undefined },
): Defaults {
  const fits = (wanted: string | undefined, actual: string): boolean =>
    wanted === undefined || wanted.toUpperCase() === actual.toUpperCase();
  const entries = catalog.countries
    .flatMap((country) => (direction === 'payin' ? country.payin_methods : country.payout_methods))
    .filter((entry) => fits(given.country, entry.country) && fits(given.currency, entry.currency))
    .filter((entry) => given.method === undefined || given.method === entry.code);
  const only = (values: string[]): string | undefined => (new Set(values).size === 1 ? values[0] : undefined);
  return {
    country: given.country ?? only(entries.map(({ country }) => country)),
    currency: given.currency ?? only(entries.map(({ currency }) => currency)),
  };
}
