import { describe, expect, it } from 'vitest';
import { bodyOf, judged, OPERATION, policyOf, sendingAs, TUESDAY, wordOf } from './given.js';

const ANY = policyOf({ payouts: { allow: 'all' }, payins: { allow: 'all' } });
const NONE = { kind: 'none' } as const;
const CREATE = sendingAs('POST /v2/payouts');
const READ = sendingAs('GET /v2/balances');
const CANCEL = sendingAs(`POST /v2/payouts/${OPERATION}/cancel`, '');

const limited = policyOf({
  payouts: {
    allow: 'all',
    methods: ['mobile_payment'],
    currencies: { VES: { operation_max: '5000.00', batch_max: '20000.00', free_up_to: '500.00' } },
    approvals: 2,
  },
});

describe('the order of the decision', () => {
  it('allows everything in the sandbox, whatever the lock and the policy say', () => {
    const unusable = { kind: 'unusable', code: 'policy_unreadable', why: '' } as const;
    expect(judged(unusable, CREATE, { lock: 'sandbox', environment: 'sandbox' })).toEqual({
      kind: 'allowed',
    });
  });

  it.each([
    ['sandbox', READ, 'locked lock not_allowed'],
    ['sandbox', CREATE, 'locked lock not_allowed'],
    ['read-only', READ, 'allowed'],
    ['read-only', CREATE, 'locked lock not_allowed'],
    ['read-only', CANCEL, 'locked lock not_allowed'],
  ] as const)('lock %s', (lock, sending, word) => {
    expect(wordOf(judged(ANY, sending, { lock }))).toBe(word);
    expect(wordOf(judged(NONE, sending, { lock }))).toBe(word);
  });

  it.each([
    ['policy_untrusted', 'untrusted'],
    ['policy_unreadable', 'unreadable'],
    ['policy_newer', 'newer'],
  ] as const)('%s closes everything but reads', (code, because) => {
    const state = { kind: 'unusable', code, why: '/etc/svc is not of root' } as const;
    expect(wordOf(judged(state, READ))).toBe('allowed');
    for (const sending of [
      CREATE,
      CANCEL,
      sendingAs('POST /v2/payouts', '{"amount":"0","reference":"svc-probe-1"}'),
      sendingAs('PUT /v2/x'),
    ])
      expect(judged(state, sending)).toEqual({
        kind: 'refused',
        code,
        field: 'policy',
        cause: because,
        refusedValue: null,
        limit: null,
        contact: null,
      });
  });

  it('says nothing where there is no policy', () => {
    expect(wordOf(judged(NONE, sendingAs('PUT /v2/anything', 'nonsense')))).toBe('allowed');
  });

  it.each(['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'])('%s is no row of the table', (method) => {
    expect(wordOf(judged(ANY, sendingAs(`${method} /v2/payouts`)))).toBe('policy_refused request not_named');
  });

  it('asks the address of reads too', () => {
    const policy = policyOf({ addresses: ['https://API.example.com:443/'], payouts: { allow: 'all' } });
    const elsewhere = 'https://evil.example';
    expect(wordOf(judged(policy, CREATE))).toBe('allowed');
    expect(wordOf(judged(policy, READ))).toBe('allowed');
    for (const line of ['POST /v2/payouts', 'GET /v2/balances', 'POST /v2/webhook-endpoints'])
      expect(wordOf(judged(policy, sendingAs(line, bodyOf(), elsewhere)))).toBe(
        'policy_refused addresses not_named',
      );
  });

  it.each([
    ['read', 'POST /v2/payouts', 'policy_refused payouts.allow not_allowed'],
    ['read', `POST /v2/payouts/${OPERATION}/cancel`, 'policy_refused payouts.allow not_allowed'],
    ['read', `GET /v2/payouts/${OPERATION}`, 'allowed'],
    ['cancel', 'POST /v2/payouts', 'policy_refused payouts.allow not_allowed'],
    ['cancel', `POST /v2/payouts/${OPERATION}/cancel`, 'allowed'],
    ['all', 'POST /v2/payouts', 'allowed'],
    ['all', `POST /v2/payouts/${OPERATION}/cancel`, 'allowed'],
  ])('allow %s: %s', (allow, line, word) => {
    expect(wordOf(judged(policyOf({ payouts: { allow } }), sendingAs(line)))).toBe(word);
  });

  it.each(['confirm', 'resend-code'])('%s needs all', (deed) => {
    const act = sendingAs(`POST /v2/payins/${OPERATION}/${deed}`, '{"code":"123456"}');
    expect(wordOf(judged(policyOf({ payins: { allow: 'cancel' } }), act))).toBe(
      'policy_refused payins.allow not_allowed',
    );
    expect(wordOf(judged(policyOf({ payins: { allow: 'all' } }), act))).toBe('allowed');
  });

  it('proves an unpaid row under the emergency brake, and creates nothing there', () => {
    const brake = policyOf({ payouts: { allow: 'cancel' } });
    expect(
      wordOf(judged(brake, sendingAs('POST /v2/payouts', '{"amount":"0","reference":"svc-probe-1"}'))),
    ).toBe('allowed');
    expect(wordOf(judged(brake, CREATE, { isAdmitted: true }))).toBe(
      'policy_refused payouts.allow not_allowed',
    );
    expect(
      wordOf(judged(policyOf({}), sendingAs('POST /v2/payouts', '{"amount":"0","reference":"svc-probe-1"}'))),
    ).toBe('policy_refused payouts.allow not_allowed');
  });

  it('leaves a direction that is not named open for reads alone', () => {
    const payinsOnly = policyOf({ payins: { allow: 'all' } });
    expect(wordOf(judged(payinsOnly, sendingAs('POST /v2/payins')))).toBe('allowed');
    expect(wordOf(judged(payinsOnly, CREATE))).toBe('policy_refused payouts.allow not_allowed');
  });

  it('registers webhooks where the policy says so', () => {
    const register = sendingAs('POST /v2/webhook-endpoints', '{"url":"https://a.example"}');
    expect(wordOf(judged(ANY, register))).toBe('policy_refused webhooks not_allowed');
    expect(wordOf(judged(policyOf({ webhooks: 'none' }), register))).toBe(
      'policy_refused webhooks not_allowed',
    );
    expect(wordOf(judged(policyOf({ webhooks: 'register' }), register))).toBe('allowed');
  });
});

describe('the money of a create', () => {
  it('names the rule, what it is, the limit and who decides', () => {
    const policy = policyOf({
      contact: 'treasury desk',
      payouts: { allow: 'all', currencies: { VES: { operation_max: '5000.00' } } },
    });
    expect(judged(policy, sendingAs('POST /v2/payouts', bodyOf({ amount: '7200.00' })))).toEqual({
      kind: 'refused',
      code: 'policy_refused',
      field: 'payouts.currencies.VES.operation_max',
      cause: 'exceeded',
      refusedValue: '7200.00',
      limit: '5000.00',
      contact: 'treasury desk',
    });
  });

  it.each([
    ['4999.99', 'allowed'],
    ['5000', 'allowed'],
    ['5000.00', 'allowed'],
    ['5000.000', 'allowed'],
    ['5000.001', 'policy_refused payouts.currencies.VES.operation_max exceeded'],
    ['5000.01', 'policy_refused payouts.currencies.VES.operation_max exceeded'],
    ['10000', 'policy_refused payouts.currencies.VES.operation_max exceeded'],
  ])('an amount of %s where 5000.00 is the most', (amount, word) => {
    const sending = sendingAs('POST /v2/payouts', bodyOf({ amount }));
    expect(wordOf(judged(limited, sending, { approvals: 2 }))).toBe(word);
  });

  it.each<[unknown, string]>([
    ...[
      '0',
      '0.00',
      '-1.00',
      '1e9',
      '1,00',
      '007.00',
      '.5',
      '5.',
      ' 5',
      '\uff15',
      '',
      5,
      null,
      true,
      ['5'],
      {},
    ].map((amount): [unknown, string] => [{ amount }, 'policy_refused payouts.amount unreadable']),
    [{ amount: undefined }, 'policy_refused payouts.amount unreadable'],
    [{ currency: undefined }, 'policy_refused payouts.currency unreadable'],
    [{ currency: 3 }, 'policy_refused payouts.currency unreadable'],
    ...['ves', '__proto__', 'constructor', 'USD', ''].map((currency): [unknown, string] => [
      { currency },
      'policy_refused payouts.currencies not_named',
    ]),
    [{ method: 'bank_transfer' }, 'policy_refused payouts.methods not_named'],
    [{ method: 'Mobile_Payment' }, 'policy_refused payouts.methods not_named'],
    [{ method: undefined }, 'policy_refused payouts.methods not_named'],
  ])('a body with %j', (members, word) => {
    const sending = sendingAs('POST /v2/payouts', bodyOf(members as object as Record<string, unknown>));
    expect(wordOf(judged(limited, sending, { approvals: 2 }))).toBe(word);
  });

  it('is asked for its amount, its currency and its sense where there is no limit, too', () => {
    const bad = [
      '{"amount":"1.00","amount":"2.00","currency":"VES"}',
      '{"currency":"VES"}',
      '{"amount":"1.00"}',
      '{ }',
    ];
    expect(bad.map((body) => wordOf(judged(ANY, sendingAs('POST /v2/payouts', body))))).toEqual([
      'policy_refused body unreadable',
      'policy_refused payouts.amount unreadable',
      'policy_refused payouts.currency unreadable',
      'policy_refused payouts.amount unreadable',
    ]);
  });

  it('asks what was admitted for its own amount, and for nothing else', () => {
    const over = sendingAs('POST /v2/payouts', bodyOf({ amount: '5000.01' }));
    const under = sendingAs('POST /v2/payouts', bodyOf({ amount: '5000.00' }));
    expect(wordOf(judged(limited, over, { isAdmitted: true }))).toContain('operation_max');
    expect(wordOf(judged(limited, under, { isAdmitted: true, serviceMs: null }))).toBe('allowed');
  });

  it('compares a batch in each of its currencies', () => {
    const totals = (currency: string, minor: bigint) => new Map([[currency, { minor, decimals: 2 }]]);
    const within = { approvals: 2 };
    expect(wordOf(judged(limited, CREATE, { ...within, batchTotals: totals('VES', 2_000_000n) }))).toBe(
      'allowed',
    );
    expect(wordOf(judged(limited, CREATE, { ...within, batchTotals: totals('VES', 2_000_001n) }))).toBe(
      'policy_refused payouts.currencies.VES.batch_max exceeded',
    );
    expect(wordOf(judged(limited, CREATE, { ...within, batchTotals: totals('USD', 1n) }))).toBe(
      'policy_refused payouts.currencies not_named',
    );
  });

  it.each([
    ['500.00', 0, false, 'allowed'],
    ['500.01', 0, false, 'approvals_missing payouts.approvals missing'],
    ['500.01', 1, false, 'approvals_missing payouts.approvals missing'],
    ['500.01', 2, false, 'allowed'],
    ['1.00', 1, true, 'approvals_missing payouts.approvals missing'],
    ['1.00', 2, true, 'allowed'],
  ])('%s with %d approvals, in a batch: %s', (amount, approvals, isBatch, word) => {
    const batchTotals = isBatch ? new Map([['VES', { minor: 100n, decimals: 2 }]]) : null;
    const sending = sendingAs('POST /v2/payouts', bodyOf({ amount }));
    expect(wordOf(judged(limited, sending, { approvals, batchTotals }))).toBe(word);
  });

  it('takes nothing for free where no amount is', () => {
    const policy = policyOf({ payouts: { allow: 'all', approvals: 1 } });
    expect(wordOf(judged(policy, sendingAs('POST /v2/payouts', bodyOf({ amount: '0.01' }))))).toBe(
      'approvals_missing payouts.approvals missing',
    );
  });
});

describe('hours', () => {
  const hours = { timezone: 'America/Caracas', days: ['mon', 'tue'], from: '08:00', to: '18:00' };
  const policy = policyOf({ payouts: { allow: 'all', hours } });
  it.each([
    ['2026-11-24T11:59:59Z', 'policy_refused payouts.hours outside_hours'],
    ['2026-11-24T12:00:00Z', 'allowed'],
    ['2026-11-24T21:59:59Z', 'allowed'],
    ['2026-11-24T22:00:00Z', 'policy_refused payouts.hours outside_hours'],
    ['2026-11-25T13:00:00Z', 'policy_refused payouts.hours outside_hours'],
  ])('%s', (at, word) => expect(wordOf(judged(policy, CREATE, { serviceMs: Date.parse(at) }))).toBe(word));

  it('refuses what nobody knows the time of', () => {
    expect(wordOf(judged(policy, CREATE, { serviceMs: null }))).toBe('time_unknown payouts.hours unknown');
    expect(wordOf(judged(policy, CREATE, { serviceMs: NaN }))).toBe('time_unknown payouts.hours unknown');
  });

  it('is asked when something begins, and of creates', () => {
    expect(wordOf(judged(policy, CREATE, { serviceMs: TUESDAY, isAdmitted: true }))).toBe('allowed');
    expect(wordOf(judged(policy, CANCEL, { serviceMs: TUESDAY }))).toBe('allowed');
    expect(wordOf(judged(policy, CREATE, { serviceMs: TUESDAY }))).toBe(
      'policy_refused payouts.hours outside_hours',
    );
  });
});
