import { compareDecimals } from '../../contract/money.js';
import { enumerated } from '../../contract/on-screen.js';
import { hoursText } from './hours.js';
import type { Lock } from './lock.js';
import { POLICY_VERSION } from './policy.js';
import type { CurrencyRules, DirectionRules, Policy, PolicyState } from './policy.js';

export type PlainSentence = Readonly<Record<'about' | 'text', string>>;

function sentence(about: string, text: string): PlainSentence {
  return { about, text };
}

export function plainPolicy(state: PolicyState, lock?: Lock | null): PlainSentence[] {
  return [
    ...policySentences(state),
    ...(lock === undefined ? [] : [sentence('lock', LOCK_SENTENCES[lock ?? 'none'])]),
  ];
}

const LOCK_SENTENCES = {
  none: 'This session has no lock.',
  'read-only': 'This session is locked: live, it may only read.',
  sandbox: 'This session is locked: it may only use the sandbox.',
} as const;

function policySentences(state: PolicyState): PlainSentence[] {
  switch (state.kind) {
    case 'none':
      return [sentence('policy', 'This machine has no policy: everything that a live key may do is sent.')];
    case 'unusable':
      return [sentence('policy', `Only reads are sent live. ${state.why}`)];
    case 'policy': {
      const text = state.binds ? 'In force.' : 'In force, but you are root, and nothing binds root.';
      return [sentence('policy', text), ...plainRules(state.policy)];
    }
  }
}

export function plainRules(policy: Policy): PlainSentence[] {
  const { contact, addresses, payouts, payins, webhooks } = policy;
  const { signers, validForMs } = policy.approvals;
  const addressesText =
    addresses === null
      ? 'Live requests may go to any address.'
      : `Live requests may go to ${enumerated(addresses, 'and')} only.`;
  const plansText = `A plan may be valid for ${lifeText(validForMs)} at most. ${signers} lists who signs.`;
  return [
    sentence('who decides', contact ?? 'It does not say.'),
    sentence('addresses', addressesText),
    ...directionSentences('payouts', payouts),
    ...directionSentences('pay-ins', payins),
    sentence(
      'webhooks',
      webhooks === 'register' ? 'Webhooks may be registered live.' : 'No webhook may be registered live.',
    ),
    ...(payouts.allow === 'all' && payouts.approvals > 0 ? [sentence('plans', plansText)] : []),
  ];
}

const ALLOW_TEXTS = {
  read: 'may be read, and nothing else.',
  cancel: 'may be read and cancelled; none may be created.',
} as const;
const ALL_TEXTS = {
  payouts: 'may be created, cancelled and read.',
  'pay-ins': 'may be created, confirmed, cancelled and read.',
} as const;

function directionSentences(direction: 'payouts' | 'pay-ins', rules: DirectionRules): PlainSentence[] {
  const { allow, methods, currencies, approvals, hours } = rules;
  const detail = (about: string, text: string): PlainSentence => sentence(`${direction}: ${about}`, text);
  const name = direction === 'payouts' ? 'Payouts' : 'Pay-ins';
  const allowText = allow === 'all' ? ALL_TEXTS[direction] : ALLOW_TEXTS[allow];
  const firstSentence = sentence(direction, `${name} ${allowText}`);
  if (allow !== 'all') return [firstSentence];
  const limits = [...(currencies ?? [])].map(([code, limit]) => detail(code, limitText(limit, approvals)));
  const codes = [...(currencies?.keys() ?? [])];
  const currenciesText =
    codes.length === 0 ? 'None: nothing may be created.' : `Only ${enumerated(codes, 'and')}.`;
  const approversText = approvals === 1 ? '1 person approves' : `${approvals} people approve`;
  const isAnyFree = [...(currencies?.values() ?? [])].some(({ freeUpTo }) => isFree(freeUpTo));
  const approvalsText = `${approversText} each batch and each single one${isAnyFree ? ' above that' : ''}, and not the one who made it.`;
  return [
    firstSentence,
    ...(methods === null ? [] : [detail('methods', `Only ${enumerated(methods, 'and')}.`)]),
    ...(currencies === null ? [] : [detail('currencies', currenciesText)]),
    ...limits.filter(({ text }) => text !== ''),
    ...(hours === null ? [] : [detail('hours', `One may begin ${hoursText(hours)}, by the service's time.`)]),
    ...(approvals === 0 ? [] : [detail('approvals', approvalsText)]),
  ];
}

function limitText({ operationMax, batchMax, freeUpTo }: CurrencyRules, approvals: number): string {
  const parts = [
    ...(operationMax === null ? [] : [`at most ${operationMax} each`]),
    ...(batchMax === null ? [] : [`at most ${batchMax} a batch`]),
    ...(approvals === 0 || !isFree(freeUpTo)
      ? []
      : [`up to ${freeUpTo ?? ''} a single one needs no approval`]),
  ];
  const [first = '', ...others] = parts;
  return first === '' ? '' : `${[first.charAt(0).toUpperCase() + first.slice(1), ...others].join(', ')}.`;
}

function isFree(freeUpTo: string | null): boolean {
  return freeUpTo !== null && compareDecimals(freeUpTo, '0') > 0;
}

function lifeText(ms: number): string {
  return `${ms / 3_600_000}h`;
}

export function policyDocument(policy: Policy): Readonly<Record<string, unknown>> {
  const { contact, addresses, payouts, payins, approvals, webhooks } = policy;
  return {
    version: POLICY_VERSION,
    contact,
    addresses,
    payouts: directionDocument(payouts, true),
    payins: directionDocument(payins, false),
    approvals: { signers: approvals.signers, valid_for: lifeText(approvals.validForMs) },
    webhooks,
  };
}

function directionDocument(rules: DirectionRules, isPayouts: boolean): Readonly<Record<string, unknown>> {
  const { allow, methods, currencies, approvals, hours } = rules;
  const limits = [...(currencies ?? [])].map(([code, { operationMax, batchMax, freeUpTo }]) => [
    code,
    { operation_max: operationMax, batch_max: batchMax, ...(isPayouts ? { free_up_to: freeUpTo } : {}) },
  ]);
  return {
    allow,
    methods,
    currencies: currencies === null ? null : (Object.fromEntries(limits) as unknown),
    ...(isPayouts ? { approvals } : {}),
    hours,
  };
}
