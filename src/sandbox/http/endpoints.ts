/** Finds the endpoint of a request in the table of the API, under `/sandbox` for the sandbox and bare for production; and the handler of each. */
import { type Environment, ENVIRONMENT_PATH } from '../../contract/access.js';
import { endpoint, ENDPOINT_IDS, type EndpointId } from '../../contract/endpoints.js';
import type { HttpRefusal } from '../message.js';
import { listsBalances, listsBanks, listsCapabilities, listsEvents, listsMethods } from './lists.js';
import type { EndpointHandler } from './call.js';
import { createsPayin, createsPayout } from './creates.js';
import {
  cancelsPayin,
  cancelsPayout,
  confirms,
  readsOperation,
  readsPayin,
  readsPayout,
  resendsCode,
} from './operations.js';
import { registersWebhook } from './webhooks.js';

export interface Route {
  readonly environment: Environment;
  readonly endpoint: EndpointId;
  /** What stands in the place of `{id}`, not decoded: `%2F` is part of it. Empty where the path has none. */
  readonly id: string;
}

type ByMethod = Map<string, EndpointId>;

const fixed = new Map<string, ByMethod>();
const patterns = new Map<string, { pattern: RegExp; byMethod: ByMethod }>();

for (const id of ENDPOINT_IDS) {
  const { method, path } = endpoint(id);
  if (path.includes('{id}')) {
    const pattern = new RegExp(`^${path.replace('{id}', '([^/]+)')}$`);
    const known = patterns.get(path) ?? { pattern, byMethod: new Map<string, EndpointId>() };
    patterns.set(path, known);
    known.byMethod.set(method, id);
  } else {
    const known = fixed.get(path) ?? new Map<string, EndpointId>();
    fixed.set(path, known);
    known.set(method, id);
  }
}

/** The endpoint of a method and a raw path, or 404 `route_not_found`, or 405 `method_not_allowed` with `Allow`. */
export function findRoute(method: string, path: string): Route | HttpRefusal {
  const environment: Environment = path.startsWith(`${ENVIRONMENT_PATH.sandbox}/`) ? 'sandbox' : 'live';
  const place = locate(path.slice(ENVIRONMENT_PATH[environment].length));
  if (place === null) return { refusal: 'route_not_found', why: whyNoRoute(path) };
  const found = place.byMethod.get(method);
  if (found === undefined) return methodNotAllowed([...place.byMethod.keys()]);
  return { environment, endpoint: found, id: place.id };
}

/** 405 with the methods that the path does take. */
export function methodNotAllowed(methods: readonly string[]): HttpRefusal {
  const why = `The path accepts ${methods.join(', ')}.`;
  return { refusal: 'method_not_allowed', why, headers: { Allow: methods.join(', ') } };
}

function whyNoRoute(path: string): string {
  const isOutside = !/^(?:\/sandbox)?\/v2\//.test(path);
  return isOutside
    ? 'Paths begin with /sandbox/v2/, or with /v2/ for a rehearsal with live keys.'
    : 'No endpoint has this path. A slash at the end, or an id with a slash in it, makes another path.';
}

function locate(path: string): { byMethod: ByMethod; id: string } | null {
  const byMethod = fixed.get(path);
  if (byMethod !== undefined) return { byMethod, id: '' };
  for (const candidate of patterns.values()) {
    const id = candidate.pattern.exec(path)?.[1];
    if (id !== undefined) return { byMethod: candidate.byMethod, id };
  }
  return null;
}

/** What carries out each endpoint of the table: a new row does not compile until it is here. */
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
