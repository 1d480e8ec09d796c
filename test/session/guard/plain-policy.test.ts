import { expect, it } from 'vitest';
import { plainPolicy, policyDocument } from '../../../src/session/guard/plain-policy.js';
import { parsePolicy, type PolicyState } from '../../../src/session/guard/policy.js';
import { policyOf } from './given.js';

const said = (state: PolicyState, lock: 'sandbox' | 'read-only' | null = null) =>
  plainPolicy(state, lock).map(({ about, text }) => `${about}: ${text}`);

const WHOLE = {
  contact: 'treasury desk',
  addresses: ['https://api.example.com', 'http://localhost:4010'],
  payouts: {
    allow: 'all',
    methods: ['mobile_payment'],
    currencies: { VES: { operation_max: '5000.00', batch_max: '20000.00', free_up_to: '500.00' }, USD: {} },
    approvals: 2,
    hours: { timezone: 'America/Caracas', days: ['tue', 'mon'], from: '08:00', to: '18:00' },
  },
  payins: { allow: 'cancel' },
  approvals: { signers: '/etc/svc/treasury', valid_for: '2d' },
  webhooks: 'register',
};

it('says each rule', () => {
  expect(said(policyOf(WHOLE))).toEqual([
    'policy: In force.',
    'who decides: treasury desk',
    'addresses: Live requests may go to https://api.example.com and http://localhost:4010 only.',
    'payouts: Payouts may be created, cancelled and read.',
    'payouts: methods: Only mobile_payment.',
    'payouts: currencies: Only VES and USD.',
    'payouts: VES: At most 5000.00 each, at most 20000.00 a batch, up to 500.00 a single one needs no approval.',
    "payouts: hours: One may begin mon, tue 08:00 to 18:00 America/Caracas, by the service's time.",
    'payouts: approvals: 2 people approve each batch and each single one above that, and not the one who made it.',
    'pay-ins: Pay-ins may be read and cancelled; none may be created.',
    'webhooks: Webhooks may be registered live.',
    'plans: A plan may be valid for 48h at most. /etc/svc/treasury lists who signs.',
    'lock: This session has no lock.',
  ]);
});

it('says what a policy leaves out', () => {
  expect(said(policyOf({ payouts: { allow: 'all', approvals: 1 } }), 'read-only')).toEqual([
    ...['policy: In force.', 'who decides: It does not say.'],
    'addresses: Live requests may go to any address.',
    'payouts: Payouts may be created, cancelled and read.',
    'payouts: approvals: 1 person approves each batch and each single one, and not the one who made it.',
    ...['pay-ins: Pay-ins may be read, and nothing else.', 'webhooks: No webhook may be registered live.'],
    'plans: A plan may be valid for 72h at most. /etc/svc/allowed_signers lists who signs.',
    'lock: This session is locked: live, it may only read.',
  ]);
});

it('says no amount without approval where none is asked for or it is nothing, and no currency where none is named', () => {
  const free = policyOf({
    payouts: { allow: 'all', currencies: { VES: { free_up_to: '5' } } },
    payins: { allow: 'all', currencies: {} },
  });
  expect(said(free).filter((line) => line.startsWith('pay'))).toEqual([
    'payouts: Payouts may be created, cancelled and read.',
    'payouts: currencies: Only VES.',
    'pay-ins: Pay-ins may be created, confirmed, cancelled and read.',
    'pay-ins: currencies: None: nothing may be created.',
  ]);
  const nothing = { VES: { free_up_to: '0.00' } };
  const asked = said(policyOf({ payouts: { allow: 'all', approvals: 1, currencies: nothing } }));
  expect(asked.filter((line) => /VES:|approvals/.test(line))).toEqual([
    'payouts: approvals: 1 person approves each batch and each single one, and not the one who made it.',
  ]);
});

it('says that there is none, that it binds nobody, and why it can not be used', () => {
  expect(said({ kind: 'none' }, 'sandbox')).toEqual([
    'policy: This machine has no policy: everything that a live key may do is sent.',
    'lock: This session is locked: it may only use the sandbox.',
  ]);
  expect(said({ ...policyOf({}), binds: false } as PolicyState)[0]).toBe(
    'policy: In force, but you are root, and nothing binds root.',
  );
  expect(
    said({ kind: 'unusable', code: 'policy_untrusted', why: '/etc/svc does not belong to root.' })[0],
  ).toBe('policy: Only reads are sent live. /etc/svc does not belong to root.');
});

it('is a document that says the same when it is read again', () => {
  const policy = parsePolicy(Buffer.from(JSON.stringify({ version: 1, ...WHOLE })));
  const document = policyDocument(policy);
  expect(document).toEqual({
    ...WHOLE,
    version: 1,
    payouts: {
      ...WHOLE.payouts,
      currencies: {
        ...WHOLE.payouts.currencies,
        USD: { operation_max: null, batch_max: null, free_up_to: null },
      },
    },
    payins: { allow: 'cancel', methods: null, currencies: null, hours: null },
    approvals: { signers: '/etc/svc/treasury', valid_for: '48h' },
  });
  const withoutNulls = JSON.stringify(document, (_name, value: unknown) => value ?? undefined);
  expect(parsePolicy(Buffer.from(withoutNulls))).toEqual(policy);
});
