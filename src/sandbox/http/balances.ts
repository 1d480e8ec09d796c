/** Answers what the company has in each currency (section 4). */
import type { Balance, CurrencyEntry } from '../../contract/catalog.js';
import { fromMinor } from '../../contract/money.js';
import { CAPABILITIES } from '../catalog/catalog.js';
import type { EndpointHandler } from './call.js';

const currencies = currenciesOf();

/** Every currency of the catalog, at zero where nothing moved yet. */
export const listsBalances: EndpointHandler = ({ world, company }) => {
  const balances = currencies.map(({ code, decimals }): Balance => {
    const { available, reserved } = world.store.money.funds(company.id, code);
    return {
      currency: code,
      available: fromMinor(available, decimals),
      reserved: fromMinor(reserved, decimals),
    };
  });
  return JSON.stringify({ balances });
};

function currenciesOf(): readonly CurrencyEntry[] {
  const all = CAPABILITIES.countries.flatMap((country) => country.currencies);
  return [...new Map(all.map((currency) => [currency.code, currency])).values()];
}
