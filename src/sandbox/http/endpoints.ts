/** What carries out each endpoint of the table: a new row does not compile until it is here. */
import type { EndpointId } from '../../contract/endpoints.js';
import {
  cancelsPayin,
  cancelsPayout,
  confirms,
  readsOperation,
  readsPayin,
  readsPayout,
  resendsCode,
} from './operations.js';
import { listsBalances } from './balances.js';
import type { EndpointHandler } from './call.js';
import { listsBanks, listsCapabilities, listsMethods } from './catalog.js';
import { createsPayin, createsPayout } from './creates.js';
import { listsEvents } from './events.js';
import { registersWebhook } from './webhooks.js';

export const HANDLERS: Readonly<Record<EndpointId, EndpointHandler>> = {
  capabilities: listsCapabilities,
  methods: listsMethods,
  banks: listsBanks,
  balances: listsBalances,
  'payins.create': createsPayin,
  'payins.get': readsPayin,
  'payins.confirm': confirms,
  'payins.resend': resendsCode,
  'payins.cancel': cancelsPayin,
  'payouts.create': createsPayout,
  'payouts.get': readsPayout,
  'payouts.cancel': cancelsPayout,
  'transactions.get': readsOperation,
  'events.list': listsEvents,
  'webhooks.register': registersWebhook,
};
