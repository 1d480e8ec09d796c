import fc from 'fast-check';
import { ZONES } from './naive-judge.js';
import type { NaiveCase, NaiveDirection, NaivePolicy, NaiveSending } from './naive-judge.js';

export interface DrawnCase {
  readonly known: NaiveCase;
  readonly request: { readonly method: string; readonly url: string; readonly body: string };
  readonly service: string;
}

const OPERATION = '6f1c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f';
const AMOUNTS = [
  '0.01',
  '9.99',
  '10',
  '10.00',
  '10.001',
  '100',
  '99.995',
  '5000.00',
  '5000.01',
  '999999999999.99',
];
const NO_AMOUNTS: readonly unknown[] = [
  '0',
  '0.00',
  '-1',
  '1e9',
  '1,00',
  '007',
  '.5',
  '5.',
  ' 1',
  '\uff11',
  '',
  4,
  null,
  true,
  ['1'],
  undefined,
];
const CURRENCIES = ['VES', 'USD', 'COP'];
const METHODS = ['mobile_payment', 'bank_transfer'];
const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const ADDRESSES = ['https://api.example.com', 'https://api.example.com/pay', 'http://localhost:4010'];
const SPELLINGS: Readonly<Record<string, readonly string[]>> = {
  'https://api.example.com': [
    'https://api.example.com',
    'https://API.example.com:443/',
    'https://api.example.com/',
  ],
  'https://api.example.com/pay': ['https://api.example.com/pay', 'https://api.example.com/pay//'],
  'http://localhost:4010': ['http://127.0.0.1:4010', 'http://[::1]:4010/', 'http://LOCALHOST:4010'],
};

function partly<T>(model: {
  [K in keyof T]-?: readonly [tenths: number, fc.Arbitrary<NonNullable<T[K]>>];
}): fc.Arbitrary<T> {
  const members = Object.entries<readonly [number, fc.Arbitrary<unknown>]>(model).map(
    ([name, [tenths, arbitrary]]) => [
      name,
      fc.oneof({ weight: tenths, arbitrary }, { weight: 10 - tenths, arbitrary: fc.constant(undefined) }),
    ],
  );
  const all = fc.record(Object.fromEntries(members) as Record<string, fc.Arbitrary<unknown>>);
  return all.map((drawn) => JSON.parse(JSON.stringify(drawn)) as T);
}

const amount = fc.constantFrom(...AMOUNTS);
const minutes = fc.integer({ min: 0, max: 24 * 60 });
const timeText = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
const hours = fc
  .tuple(fc.constantFrom(...Object.keys(ZONES)), fc.subarray(DAYS, { minLength: 1 }), minutes, minutes)
  .filter(([, , one, other]) => one !== other)
  .map(([timezone, days, one, other]) => ({
    timezone,
    days,
    from: timeText(Math.min(one, other)),
    to: timeText(Math.max(one, other)),
  }));

function directionOf(isPayouts: boolean): fc.Arbitrary<NaiveDirection> {
  const limits = partly<Record<string, string>>({
    operation_max: [4, amount],
    batch_max: [5, amount],
    ...(isPayouts ? { free_up_to: [5, amount] as const } : {}),
  });
  const currencies = fc
    .subarray(CURRENCIES, { minLength: 2 })
    .chain((codes) => fc.record(Object.fromEntries(codes.map((code) => [code, limits]))));
  const common = {
    allow: [10, fc.constantFrom('read', 'cancel', 'all', 'all', 'all', 'all', 'all', 'all')],
    methods: [3, fc.subarray(METHODS, { minLength: 1 })],
    currencies: [8, currencies],
    hours: [3, hours],
  } as const;
  const approvals = [7, fc.integer({ min: 0, max: 5 })] as const;
  return partly<NaiveDirection>((isPayouts ? { ...common, approvals } : common) as never);
}

const policy = partly<NaivePolicy>({
  version: [10, fc.constant(1 as const)],
  contact: [5, fc.constant('treasury desk')],
  addresses: [3, fc.subarray(ADDRESSES, { minLength: 2 })],
  payouts: [9, directionOf(true)],
  payins: [9, directionOf(false)],
  webhooks: [5, fc.constantFrom('none', 'register')],
});

type Body = NaiveSending['body'];
const NOTHING: Body = { damaged: false, amount: null, currency: null, method: null };

const body: fc.Arbitrary<readonly [Body, string]> = fc
  .record({
    amount: fc.oneof(
      { weight: 9, arbitrary: amount },
      { weight: 1, arbitrary: fc.constantFrom(...NO_AMOUNTS) },
    ),
    currency: fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(...CURRENCIES) },
      {
        weight: 1,
        arbitrary: fc.constantFrom<unknown>('ves', '__proto__', 'constructor', null, 3, undefined),
      },
    ),
    method: fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(...METHODS) },
      { weight: 1, arbitrary: fc.constantFrom<unknown>('Mobile_Payment', null, undefined) },
    ),
    damage: fc.oneof(
      { weight: 12, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.constantFrom('twice', 'escaped', 'capital', 'deep', 'mark', 'cut', 'list') },
    ),
  })
  .map(({ damage, ...members }) => {
    const text = JSON.stringify({ reference: 'r-1', ...members, beneficiary: { name: 'a' } });
    const says: Body = {
      damaged: damage !== null,
      amount: AMOUNTS.find((one) => one === members.amount) ?? null,
      currency: typeof members.currency === 'string' ? members.currency : null,
      method: typeof members.method === 'string' ? members.method : null,
    };
    return [says, damage === null ? text : damaged(text, damage)] as const;
  });

function damaged(text: string, how: string): string {
  switch (how) {
    case 'twice':
      return `{"currency":"VES","currency":"USD",${text.slice(1)}`;
    case 'escaped':
      return `{"\\u0072eference":"r-2",${text.slice(1)}`;
    case 'capital':
      return `{"Amount":"1.00",${text.slice(1)}`;
    case 'deep':
      return text.replace('{"name":"a"}', '{"list":[{"a":1,"a":2}]}');
    case 'mark':
      return `\ufeff${text}`;
    case 'cut':
      return text.slice(0, -1);
    default:
      return `[${text}]`;
  }
}

type Line = readonly [
  what: NaiveSending['what'],
  direction: NaiveSending['direction'],
  method: string,
  path: string,
];
const LINES: readonly Line[] = [
  ['read', null, 'GET', '/v2/balances'],
  ['read', null, 'HEAD', '/v2/nothing'],
  ['read', 'payouts', 'GET', `/v2/payouts/${OPERATION}`],
  ['cancel', 'payouts', 'POST', `/v2/payouts/${OPERATION}/cancel`],
  ['cancel', 'payins', 'POST', `/v2/payins/${OPERATION}/cancel`],
  ['confirm', 'payins', 'POST', `/v2/payins/${OPERATION}/confirm`],
  ['resend', 'payins', 'POST', `/v2/payins/${OPERATION}/resend-code`],
  ['webhook', null, 'POST', '/v2/webhook-endpoints'],
  ...[
    '/v2//payouts',
    '/v2/payouts/',
    '/v2/%70ayouts',
    '/v2/Payouts',
    '/v2/payouts/x/cancel',
    '/v3/payouts',
    `/v2/payouts/${OPERATION}/confirm`,
  ].map((path): Line => ['odd', null, 'POST', path]),
  ...['PUT', 'PATCH', 'DELETE'].map((method): Line => ['odd', null, method, '/v2/payouts']),
];
const CREATES: readonly Line[] = (['payouts', 'payins'] as const).flatMap((direction): Line[] => [
  ['create', direction, 'POST', `/v2/${direction}`],
  ['create', direction, 'post', `/v2/${direction}?x=1`],
]);
const PROOFS: readonly Line[] = (['payouts', 'payins'] as const).map((direction): Line => [
  'proof',
  direction,
  'POST',
  `/v2/${direction}`,
]);

const line = fc.oneof(
  { weight: 7, arbitrary: fc.constantFrom(...CREATES) },
  { weight: 1, arbitrary: fc.constantFrom(...PROOFS) },
  { weight: 3, arbitrary: fc.constantFrom(...LINES) },
);

const batch = fc
  .dictionary(fc.constantFrom(...CURRENCIES), amount, { minKeys: 1, maxKeys: 2, noNullPrototype: true })
  .map((totals): Readonly<Record<string, string>> => totals);

const MONDAY = Date.UTC(2026, 10, 23);
const timeMs = fc.integer({ min: 0, max: 7 * 24 * 60 * 60 - 1 }).map((second) => MONDAY + second * 1000);

export const drawnCase: fc.Arbitrary<DrawnCase> = fc
  .record({
    environment: fc.constantFrom(
      'live',
      'live',
      'live',
      'live',
      'live',
      'live',
      'live',
      'live',
      'live',
      'sandbox',
    ),
    lock: fc.oneof(
      { weight: 14, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.constantFrom('sandbox', 'read-only') },
    ),
    policy: fc.oneof(
      { weight: 16, arbitrary: policy },
      {
        weight: 1,
        arbitrary: fc.constantFrom('policy_untrusted', 'policy_unreadable', 'policy_newer', null),
      },
    ),
    line,
    body,
    address: fc.constantFrom(...ADDRESSES),
    spelling: fc.nat(10),
    admitted: fc.constantFrom(false, false, true),
    batch: fc.option(batch),
    approvals: fc.integer({ min: 0, max: 5 }),
    timeMs: fc.option(timeMs, { freq: 12 }),
  })
  .map(({ line: [what, direction, method, path], body: [says, text], address, spelling, ...rest }) => {
    const spellings = SPELLINGS[address] ?? [];
    const service = (spellings[spelling % spellings.length] ?? address).replace(/\/+$/, '');
    const isCreate = what === 'create';
    const plain = what === 'proof' ? '{"amount":"0","reference":"svc-probe-1"}' : '{}';
    return {
      known: { ...rest, sending: { what, direction, address, body: isCreate ? says : NOTHING } },
      request: { method, url: service + path, body: isCreate ? text : plain },
      service,
    };
  });
