import type { Habit } from './vocabulary.js';

const OPERATIONS_LIST = {
  id: 'operations list',
  why: 'The service cannot list operations; svc lists those it knows.',
} as const;
const REFUND_HABIT = {
  id: 'payouts create',
  why: 'The API has no refunds: a payout sends money back.',
} as const;

export const HABITS = {
  login: { id: 'profiles add' },
  logout: { id: 'profiles remove' },
  whoami: { id: 'doctor' },
  config: { id: 'profiles list' },

  pay: { id: 'payouts create' },
  transfer: { id: 'payouts create' },
  refund: REFUND_HABIT,
  refunds: REFUND_HABIT,
  payment: OPERATIONS_LIST,
  payments: OPERATIONS_LIST,
  ls: OPERATIONS_LIST,
  'payins list': { ...OPERATIONS_LIST, flags: '--direction payin' },
  'payouts list': { ...OPERATIONS_LIST, flags: '--direction payout' },
  show: { id: 'transactions get' },
  logs: { id: 'events tail' },

  listen: { id: 'webhooks listen' },
  trigger: { id: 'webhooks trigger' },
  'webhooks list': {
    id: 'webhooks register',
    why: 'The API has no list of webhooks: the URL that was registered last is the only one.',
  },
  mock: { id: 'sandbox start' },
  serve: { id: 'sandbox start' },
  stop: { id: 'sandbox status', why: 'Nothing of svc runs in the background: press Ctrl-C where it runs.' },
} as const satisfies Readonly<Record<string, Habit>>;

/** `--live` and `--yes` must not be in this list, because svc never suggests them. */
export const FLAG_HABITS: ReadonlyMap<string, string> = new Map([
  ['state', 'status'],
  ['format', 'output'],
]);
