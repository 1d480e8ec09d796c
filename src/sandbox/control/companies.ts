/** Who there is: every company with its keys, its balances, and the urls that it registered. */
import { isoSeconds } from '../../runtime/clock.js';
import { balancesOf } from '../http/lists.js';
import type { ControlHandler } from './call.js';

/** Keys are shown whole, as everywhere in the sandbox; the secrets of webhooks never. */
export const listsCompanies: ControlHandler = ({ world: { store } }) => {
  const companies = store.companies.all().map((company) => ({
    name: company.name,
    environment: company.environment,
    keys: store.companies
      .keysOf(company)
      .map(({ key, scopes, createdBy }) => ({ api_key: key, scopes, created_by: createdBy })),
    balances: balancesOf(store.money, company.id),
    webhooks: store.webhooks
      .all(company.id)
      .map(({ id, url, created_at: created, replaced_at: replaced }) => ({
        id,
        url,
        created_at: created,
        replaced_at: replaced === null ? null : isoSeconds(replaced),
      })),
  }));
  return JSON.stringify({ companies });
};
