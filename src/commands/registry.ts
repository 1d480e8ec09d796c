/** Every command by its id, loaded when it is run. A new command file is registered here and nowhere else. */
import type { SvcCommandClass } from '../command/base.js';

type Loader = () => Promise<{ default: SvcCommandClass }>;

export const REGISTRY = {
  api: () => import('./api.js'),
  balances: () => import('./balances.js'),
  banks: () => import('./banks.js'),
  capabilities: () => import('./capabilities.js'),
  'events forward': () => import('./events/forward.js'),
  'events list': () => import('./events/list.js'),
  'events tail': () => import('./events/tail.js'),
  methods: () => import('./methods.js'),
  'payins cancel': () => import('./payins/cancel.js'),
  'payins confirm': () => import('./payins/confirm.js'),
  'payins create': () => import('./payins/create.js'),
  'payins get': () => import('./payins/get.js'),
  'payins resend': () => import('./payins/resend.js'),
  'payouts cancel': () => import('./payouts/cancel.js'),
  'payouts create': () => import('./payouts/create.js'),
  'payouts get': () => import('./payouts/get.js'),
  'profiles add': () => import('./profiles/add.js'),
  'profiles list': () => import('./profiles/list.js'),
  'profiles remove': () => import('./profiles/remove.js'),
  'profiles set-key': () => import('./profiles/set-key.js'),
  'profiles show': () => import('./profiles/show.js'),
  'profiles use': () => import('./profiles/use.js'),
  'requests forget': () => import('./requests/forget.js'),
  'requests list': () => import('./requests/list.js'),
  'requests repeat': () => import('./requests/repeat.js'),
  'requests show': () => import('./requests/show.js'),
  'sandbox clock': () => import('./sandbox/clock.js'),
  'sandbox deliveries': () => import('./sandbox/deliveries.js'),
  'sandbox fault': () => import('./sandbox/fault.js'),
  'sandbox key': () => import('./sandbox/key.js'),
  'sandbox payment': () => import('./sandbox/payment.js'),
  'sandbox ping': () => import('./sandbox/ping.js'),
  'sandbox reset': () => import('./sandbox/reset.js'),
  'sandbox start': () => import('./sandbox/start.js'),
  'sandbox status': () => import('./sandbox/status.js'),
  'transactions get': () => import('./transactions/get.js'),
  'transactions trace': () => import('./transactions/trace.js'),
  'webhooks listen': () => import('./webhooks/listen.js'),
  'webhooks register': () => import('./webhooks/register.js'),
  'webhooks sign': () => import('./webhooks/sign.js'),
  'webhooks verify': () => import('./webhooks/verify.js'),
  'webhooks trigger': () => import('./webhooks/trigger.js'),
} as const satisfies Record<string, Loader>;

export type CommandId = keyof typeof REGISTRY;
export const COMMAND_IDS = Object.keys(REGISTRY) as readonly CommandId[];
