/** Decides as `src/session/guard/` does, and shares no code with it. */

export interface NaiveSending {
  readonly what: 'read' | 'create' | 'proof' | 'cancel' | 'confirm' | 'resend' | 'webhook' | 'odd';
  readonly direction: 'payouts' | 'payins' | null;
  readonly address: string;
  readonly body: {
    readonly damaged: boolean;
    readonly amount: string | null;
    readonly currency: string | null;
    readonly method: string | null;
  };
}

interface NaiveLimits {
  operation_max?: string;
  batch_max?: string;
  free_up_to?: string;
}

export interface NaiveDirection {
  allow: string;
  methods?: string[];
  currencies?: Record<string, NaiveLimits>;
  approvals?: number;
  hours?: { timezone: string; days: string[]; from: string; to: string };
}

export interface NaivePolicy {
  version: 1;
  contact?: string;
  addresses?: string[];
  payouts?: NaiveDirection;
  payins?: NaiveDirection;
  webhooks?: string;
}

export interface NaiveCase {
  readonly environment: 'live' | 'sandbox';
  readonly lock: 'sandbox' | 'read-only' | null;
  readonly policy: NaivePolicy | 'policy_untrusted' | 'policy_unreadable' | 'policy_newer' | null;
  readonly sending: NaiveSending;
  readonly admitted: boolean;
  readonly batch: Readonly<Record<string, string>> | null;
  readonly approvals: number;
  readonly timeMs: number | null;
}

export const ZONES: Readonly<Record<string, number>> = {
  'America/Caracas': -4,
  UTC: 0,
  'Asia/Kolkata': 5.5,
  'Pacific/Kiritimati': 14,
};

const money = (text: string): bigint => {
  const [whole = '', rest = ''] = text.split('.');
  return BigInt(whole + rest.padEnd(12, '0'));
};
const document = ({ policy }: NaiveCase): NaivePolicy | null =>
  policy !== null && typeof policy === 'object' ? policy : null;
const section = (one: NaiveCase): NaiveDirection => {
  const { direction } = one.sending;
  return (direction === null ? undefined : document(one)?.[direction]) ?? { allow: 'read' };
};
const limits = (one: NaiveCase, currency: string): NaiveLimits => section(one).currencies?.[currency] ?? {};
const isNamed = (one: NaiveCase, currency: string): boolean => {
  const { currencies } = section(one);
  return currencies === undefined || Object.keys(currencies).includes(currency);
};
const isCreate = (one: NaiveCase): boolean => document(one) !== null && one.sending.what === 'create';
const begins = (one: NaiveCase): boolean => isCreate(one) && !one.admitted;
const at = (one: NaiveCase, rest: string): string =>
  `policy_refused ${String(one.sending.direction)}.${rest}`;

const RULES: readonly (readonly [name: string, refuses: (one: NaiveCase) => string | false])[] = [
  [
    'lock',
    ({ lock, sending }) =>
      (lock === 'sandbox' || (lock === 'read-only' && sending.what !== 'read')) && 'locked lock',
  ],
  [
    'unusable',
    ({ policy, sending }) => typeof policy === 'string' && sending.what !== 'read' && `${policy} policy`,
  ],
  ['odd', (one) => document(one) !== null && one.sending.what === 'odd' && 'policy_refused request'],
  [
    'addresses',
    (one) => {
      const { addresses } = document(one) ?? {};
      return (
        addresses !== undefined && !addresses.includes(one.sending.address) && 'policy_refused addresses'
      );
    },
  ],
  [
    'webhooks',
    (one) =>
      document(one) !== null &&
      one.sending.what === 'webhook' &&
      document(one)?.webhooks !== 'register' &&
      'policy_refused webhooks',
  ],
  [
    'allow',
    (one) => {
      if (document(one) === null || one.sending.direction === null) return false;
      const open: Record<string, string[]> = {
        read: ['read'],
        cancel: ['read', 'cancel', 'proof'],
        all: ['read', 'cancel', 'proof', 'create', 'confirm', 'resend'],
      };
      return open[section(one).allow]?.includes(one.sending.what) !== true && at(one, 'allow');
    },
  ],
  ['damage', (one) => isCreate(one) && one.sending.body.damaged && 'policy_refused body'],
  ['amount', (one) => isCreate(one) && one.sending.body.amount === null && at(one, 'amount')],
  ['currency', (one) => isCreate(one) && one.sending.body.currency === null && at(one, 'currency')],
  [
    'methods',
    (one) => {
      const { methods } = section(one);
      return (
        isCreate(one) &&
        methods !== undefined &&
        !methods.includes(one.sending.body.method ?? '') &&
        at(one, 'methods')
      );
    },
  ],
  [
    'currencies',
    (one) => isCreate(one) && !isNamed(one, one.sending.body.currency ?? '') && at(one, 'currencies'),
  ],
  [
    'operation_max',
    (one) => {
      const { amount, currency } = one.sending.body;
      const most = limits(one, currency ?? '').operation_max;
      return (
        isCreate(one) &&
        most !== undefined &&
        money(amount ?? '0') > money(most) &&
        at(one, `currencies.${String(currency)}.operation_max`)
      );
    },
  ],
  [
    'hours',
    (one) => {
      const { hours } = section(one);
      if (!begins(one) || hours === undefined) return false;
      if (one.timeMs === null) return `time_unknown ${String(one.sending.direction)}.hours`;
      const there = new Date(one.timeMs + (ZONES[hours.timezone] ?? NaN) * 3_600_000);
      const minute = there.getUTCHours() * 60 + there.getUTCMinutes();
      const [from, to] = [hours.from, hours.to].map(
        (text) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3)),
      );
      const day = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'][there.getUTCDay()] ?? '';
      return !(hours.days.includes(day) && minute >= (from ?? 0) && minute < (to ?? 0)) && at(one, 'hours');
    },
  ],
  [
    'batch_max',
    (one) => {
      if (!begins(one) || one.batch === null) return false;
      for (const [currency, total] of Object.entries(one.batch)) {
        if (!isNamed(one, currency)) return at(one, 'currencies');
        const most = limits(one, currency).batch_max;
        if (most !== undefined && money(total) > money(most))
          return at(one, `currencies.${currency}.batch_max`);
      }
      return false;
    },
  ],
  [
    'approvals',
    (one) => {
      const { approvals = 0 } = section(one);
      if (!begins(one) || one.approvals >= approvals) return false;
      const { amount, currency } = one.sending.body;
      const free = limits(one, currency ?? '').free_up_to;
      const isFree = one.batch === null && free !== undefined && money(amount ?? '0') <= money(free);
      return !isFree && `approvals_missing ${String(one.sending.direction)}.approvals`;
    },
  ],
];

export const RULE_NAMES: readonly string[] = RULES.map(([name]) => name);

export function naiveJudge(one: NaiveCase, without: string | null = null): string {
  if (one.environment === 'sandbox') return 'allowed';
  const said = RULES.filter(([name]) => name !== without).map(([, refuses]) => refuses(one));
  return said.find((word) => word !== false) ?? 'allowed';
}
