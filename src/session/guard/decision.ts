import type { Environment } from '../../contract/access.js';
import { compareDecimals, fromMinor } from '../../contract/money.js';
import { dayTimeIn } from '../../runtime/time-zone.js';
import { hoursText, isInHours } from './hours.js';
import type { Lock } from './lock.js';
import type { CurrencyRules, DirectionRules, Policy, PolicyState, UnusableCode } from './policy.js';
import { PLAIN_AMOUNT } from './policy-document.js';
import type { JudgedRequest, SendingDirection, SendingKind } from './request-kind.js';

export interface ActiveRules {
  readonly environment: Environment;
  readonly lock: Lock | null;
  readonly policy: PolicyState;
}

export interface SendingFacts {
  /**
   * True for a repeat and for a row of a running batch, because hours, batch limits and approvals are checked only at a
   * start.
   */
  readonly isAdmitted: boolean;
  readonly batchTotals: ReadonlyMap<string, { readonly minor: bigint; readonly decimals: number }> | null;
  readonly approvals: number;
  readonly serviceMs: number | null;
}

export const NEW_CREATE: SendingFacts = {
  isAdmitted: false,
  batchTotals: null,
  approvals: 0,
  serviceMs: null,
};

export interface Refusal {
  readonly kind: 'refused';
  readonly code: 'policy_refused' | UnusableCode | 'locked' | 'time_unknown' | 'approvals_missing';
  readonly field: string;
  readonly cause:
    | 'exceeded'
    | 'not_allowed'
    | 'not_named'
    | 'unreadable'
    | 'untrusted'
    | 'newer'
    | 'outside_hours'
    | 'unknown'
    | 'missing';
  /** Escape it, because it may be text of the request. */
  readonly refusedValue: string | null;
  readonly limit: string | null;
  /** Escape it, because it is text of the policy file. */
  readonly contact: string | null;
}

export type SendingVerdict = { readonly kind: 'allowed' } | Refusal;

const ALLOWED: SendingVerdict = { kind: 'allowed' };

const ALLOW_NEEDED: Readonly<Record<Exclude<SendingKind, 'webhooks' | 'other'>, DirectionRules['allow']>> = {
  read: 'read',
  cancel: 'cancel',
  probe: 'cancel',
  act: 'all',
  create: 'all',
};
const ALLOW_RANK = { read: 0, cancel: 1, all: 2 } as const;

type RuleRefusal = Omit<Refusal, 'kind' | 'contact'>;

export function judgeSending(
  { environment, lock, policy: state }: ActiveRules,
  sending: JudgedRequest,
  facts: SendingFacts,
): SendingVerdict {
  if (environment !== 'live') return ALLOWED;
  const ruleRefusal = checkLock(lock, sending) ?? checkPolicyState(state, sending);
  if (ruleRefusal !== null) return { ...ruleRefusal, kind: 'refused', contact: null };
  if (state.kind !== 'policy') return ALLOWED;
  const policyRefusal = checkPolicy(state.policy, sending, facts);
  return policyRefusal === null
    ? ALLOWED
    : { ...policyRefusal, kind: 'refused', contact: state.policy.contact };
}

function checkLock(lock: Lock | null, { kind }: JudgedRequest): RuleRefusal | null {
  if (lock === null || (lock === 'read-only' && kind === 'read')) return null;
  return refusal('lock', 'not_allowed', kind, lock, 'locked');
}

const UNUSABLE_REASONS = {
  policy_untrusted: 'untrusted',
  policy_unreadable: 'unreadable',
  policy_newer: 'newer',
} as const satisfies Record<UnusableCode, Refusal['cause']>;

function checkPolicyState(state: PolicyState, { kind }: JudgedRequest): RuleRefusal | null {
  if (state.kind !== 'unusable' || kind === 'read') return null;
  return refusal('policy', UNUSABLE_REASONS[state.code], null, null, state.code);
}

function checkPolicy(policy: Policy, sending: JudgedRequest, facts: SendingFacts): RuleRefusal | null {
  const { kind, direction, address } = sending;
  if (kind === 'other') return refusal('request', 'not_named');
  if (policy.addresses?.includes(address) === false)
    return refusal('addresses', 'not_named', address, policy.addresses.join(', '));
  if (kind === 'webhooks')
    return policy.webhooks === 'register' ? null : refusal('webhooks', 'not_allowed', kind, policy.webhooks);
  if (kind === 'read') return null;
  if (direction === null) return refusal('request', 'not_named');
  const rules = policy[direction];
  if (ALLOW_RANK[rules.allow] < ALLOW_RANK[ALLOW_NEEDED[kind]])
    return refusal(`${direction}.allow`, 'not_allowed', kind, rules.allow);
  return kind === 'create' ? checkMoney({ direction, rules }, sending, facts) : null;
}

interface Section {
  readonly direction: SendingDirection;
  readonly rules: DirectionRules;
}

function checkMoney(section: Section, sending: JudgedRequest, facts: SendingFacts): RuleRefusal | null {
  const { direction, rules } = section;
  const { amount, method, currency, damage } = sending;
  if (damage !== null) return refusal('body', 'unreadable', damage);
  if (amount === null || !PLAIN_AMOUNT.test(amount) || compareDecimals(amount, '0') === 0)
    return refusal(`${direction}.amount`, 'unreadable', amount);
  if (currency === null) return refusal(`${direction}.currency`, 'unreadable');
  if (rules.methods !== null && (method === null || !rules.methods.includes(method)))
    return refusal(`${direction}.methods`, 'not_named', method, rules.methods.join(', '));
  const limits = limitsOf(section, currency);
  if ('code' in limits) return limits;
  const { operationMax } = limits;
  if (operationMax !== null && compareDecimals(amount, operationMax) > 0)
    return refusal(`${direction}.currencies.${currency}.operation_max`, 'exceeded', amount, operationMax);
  return facts.isAdmitted ? null : checkStartRules(section, { amount, limits }, facts);
}

function checkStartRules(
  section: Section,
  { amount, limits }: { readonly amount: string; readonly limits: CurrencyRules },
  facts: SendingFacts,
): RuleRefusal | null {
  const { direction, rules } = section;
  const { batchTotals, approvals } = facts;
  const hoursRefusal = checkHours(section, facts.serviceMs);
  if (hoursRefusal !== null) return hoursRefusal;
  for (const [currency, { minor, decimals }] of batchTotals ?? []) {
    const batchLimits = limitsOf(section, currency);
    if ('code' in batchLimits) return batchLimits;
    const total = fromMinor(minor, decimals);
    if (batchLimits.batchMax !== null && compareDecimals(total, batchLimits.batchMax) > 0)
      return refusal(
        `${direction}.currencies.${currency}.batch_max`,
        'exceeded',
        total,
        batchLimits.batchMax,
      );
  }
  if (approvals >= rules.approvals) return null;
  const { freeUpTo } = limits;
  if (batchTotals === null && freeUpTo !== null && compareDecimals(amount, freeUpTo) <= 0) return null;
  const [given, needed] = [String(approvals), String(rules.approvals)];
  return refusal(`${direction}.approvals`, 'missing', given, needed, 'approvals_missing');
}

function limitsOf(
  { direction, rules: { currencies } }: Section,
  currency: string,
): CurrencyRules | RuleRefusal {
  if (currencies === null) return { operationMax: null, batchMax: null, freeUpTo: null };
  const namesText = [...currencies.keys()].join(', ');
  return currencies.get(currency) ?? refusal(`${direction}.currencies`, 'not_named', currency, namesText);
}

function checkHours({ direction, rules }: Section, serviceMs: number | null): RuleRefusal | null {
  const { hours } = rules;
  if (hours === null) return null;
  const field = `${direction}.hours`;
  if (serviceMs === null || !Number.isFinite(serviceMs))
    return refusal(field, 'unknown', null, hoursText(hours), 'time_unknown');
  const now = dayTimeIn(hours.timezone, serviceMs);
  if (isInHours(hours, now)) return null;
  return refusal(field, 'outside_hours', `${now.day} ${now.time}`, hoursText(hours));
}

function refusal(
  field: string,
  cause: Refusal['cause'],
  refusedValue: string | null = null,
  limit: string | null = null,
  code: Refusal['code'] = 'policy_refused',
): RuleRefusal {
  return { code, field, cause, refusedValue, limit };
}
