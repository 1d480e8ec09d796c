/** The first words of commands: they are plural, and the singular works everywhere too. */
import type { Noun } from '../../contract/endpoints.js';

/** A new noun of the table does not compile until it is here. */
const SINGULAR: Readonly<Record<Noun | 'requests' | 'profiles' | 'batches', string>> = {
  payins: 'payin',
  payouts: 'payout',
  events: 'event',
  methods: 'method',
  banks: 'bank',
  balances: 'balance',
  capabilities: 'capability',
  transactions: 'transaction',
  webhooks: 'webhook',
  requests: 'request',
  profiles: 'profile',
  batches: 'batch',
};

/** The noun behind each singular. */
export const PLURAL: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(SINGULAR).map(([plural, singular]) => [singular, plural]),
);
