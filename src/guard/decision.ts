/** The decision: may this sending leave live from this machine, as the lock and the policy are? A pure function. */
import type { Environment } from '../contract/access.js';
import { compareDecimals, fromMinor } from '../contract/money.js';
import { dayTimeAt, hoursText, isInHours } from './hours.js';
import type { Lock } from './lock.js';
import type { CurrencyRules, DirectionRules, Policy, PolicyState, UnusableCode } from './policy.js';
import { PLAIN_AMOUNT } from './policy-document.js';
import type { Sending, SendingDirection, SendingKind } from './sending.js';

export interface Ruling {
  readonly environment: Environment;
  /** The tightest; null for none. */
  readonly lock: Lock | null;
  readonly policy: PolicyState;
}

/** How things stand with what a sending belongs to. */
export interface SendingStanding {
  /** It was admitted before: a repeat, a row of a batch that was begun. */
  readonly isAdmitted: boolean;
  /** The totals of its batch by currency; null for a single create. */
  readonly batch: ReadonlyMap<string, { readonly minor: bigint; readonly decimals: number }> | null;
  /** How many people have approved it. */
  readonly approvals: number;
  /** The service's time; null where it said none. */
  readonly serviceMs: number | null;
}

/** Of a single create that nobody approved. */
export const NEW: SendingStanding = { isAdmitted: false, batch: null, approvals: 0, serviceMs: null };

export type RefusalCode = 'policy_refused' | UnusableCode | 'locked' | 'time_unknown' | 'approvals_missing';

export interface Refusal {
  readonly kind: 'refused';
  readonly code: RefusalCode;
  /** The rule as the policy names it: `payouts.currencies.VES.operation_max`; `lock`, `policy`, `request` and `body` beside those. */
  readonly field: string;
  readonly because:
    | 'exceeded'
    | 'not_allowed'
    | 'not_named'
    | 'unreadable'
    | 'untrusted'
    | 'newer'
    | 'outside_hours'
    | 'unknown'
    | 'missing';
  /** What it is, and what it may be at most; null where there is nothing to say. May hold what the sending holds: escape it. */
  readonly is: string | null;
  readonly limit: string | null;
  /** Who decides, as the policy says it: escape it. */
  readonly contact: string | null;
}

export type SendingVerdict = { readonly kind: 'allowed' } | Refusal;

const ALLOWED: SendingVerdict = { kind: 'allowed' };

/** The rank that each kind needs of `allow`. */
const NEEDS: Readonly<Record<Exclude<SendingKind, 'webhooks' | 'other'>, DirectionRules['allow']>> = {
  read: 'read',
  cancel: 'cancel',
  probe: 'cancel',
  act: 'all',
  create: 'all',
};
const RANK = { read: 0, cancel: 1, all: 2 } as const;

/** What a rule says no with. */
type No = Omit<Refusal, 'kind' | 'contact'>;

/** The first rule that says no, in the one order of all rules. */
export function judgeSending(
  { environment, lock, policy: state }: Ruling,
  sending: Sending,
  standing: SendingStanding,
): SendingVerdict {
  if (environment !== 'live') return ALLOWED;
  const no = refusedByLock(lock, sending) ?? refusedAsUnusable(state, sending);
  if (no !== null) return { ...no, kind: 'refused', contact: null };
  if (state.kind !== 'policy') return ALLOWED;
  const byPolicy = refusedByPolicy(state.policy, sending, standing);
  return byPolicy === null ? ALLOWED : { ...byPolicy, kind: 'refused', contact: state.policy.contact };
}

function refusedByLock(lock: Lock | null, { kind }: Sending): No | null {
  if (lock === null || (lock === 'read-only' && kind === 'read')) return null;
  return { code: 'locked', field: 'lock', because: 'not_allowed', is: kind, limit: lock };
}

const BECAUSE = {
  policy_untrusted: 'untrusted',
  policy_unreadable: 'unreadable',
  policy_newer: 'newer',
} as const satisfies Record<UnusableCode, Refusal['because']>;

/** A policy that nobody can read closes everything but reads. */
function refusedAsUnusable(state: PolicyState, { kind }: Sending): No | null {
  if (state.kind !== 'unusable' || kind === 'read') return null;
  return { code: state.code, field: 'policy', because: BECAUSE[state.code], is: null, limit: null };
}

function refusedByPolicy(policy: Policy, sending: Sending, standing: SendingStanding): No | null {
  const { kind, direction, address } = sending;
  if (kind === 'other') return refusal('request', 'not_named');
  if (policy.addresses?.includes(address) === false)
    return refusal('addresses', 'not_named', address, policy.addresses.join(', '));
  if (kind === 'webhooks')
    return policy.webhooks === 'register' ? null : refusal('webhooks', 'not_allowed', kind, policy.webhooks);
  if (kind === 'read') return null;
  // Every row that is about no direction is a read or a webhook.
  if (direction === null) return refusal('request', 'not_named');
  const rules = policy[direction];
  if (RANK[rules.allow] < RANK[NEEDS[kind]])
    return refusal(`${direction}.allow`, 'not_allowed', kind, rules.allow);
  return kind === 'create' ? refusedMoney({ direction, rules }, sending, standing) : null;
}

interface Section {
  readonly direction: SendingDirection;
  readonly rules: DirectionRules;
}

function refusedMoney(section: Section, sending: Sending, standing: SendingStanding): No | null {
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
  return standing.isAdmitted ? null : refusedBeginning(section, { amount, limits }, standing);
}

/** What is asked once, before the first of it leaves. */
function refusedBeginning(
  section: Section,
  { amount, limits }: { readonly amount: string; readonly limits: CurrencyRules },
  standing: SendingStanding,
): No | null {
  const { direction, rules } = section;
  const { batch, approvals } = standing;
  const byHours = refusedByHours(section, standing.serviceMs);
  if (byHours !== null) return byHours;
  for (const [currency, { minor, decimals }] of batch ?? []) {
    const ofBatch = limitsOf(section, currency);
    if ('code' in ofBatch) return ofBatch;
    const total = fromMinor(minor, decimals);
    if (ofBatch.batchMax !== null && compareDecimals(total, ofBatch.batchMax) > 0)
      return refusal(`${direction}.currencies.${currency}.batch_max`, 'exceeded', total, ofBatch.batchMax);
  }
  if (approvals >= rules.approvals) return null;
  const { freeUpTo } = limits;
  if (batch === null && freeUpTo !== null && compareDecimals(amount, freeUpTo) <= 0) return null;
  return {
    code: 'approvals_missing',
    field: `${direction}.approvals`,
    because: 'missing',
    is: String(approvals),
    limit: String(rules.approvals),
  };
}

/** The limits of a currency; those of none where the section names no currencies. */
function limitsOf({ direction, rules: { currencies } }: Section, currency: string): CurrencyRules | No {
  if (currencies === null) return { operationMax: null, batchMax: null, freeUpTo: null };
  const named = [...currencies.keys()].join(', ');
  return currencies.get(currency) ?? refusal(`${direction}.currencies`, 'not_named', currency, named);
}

function refusedByHours({ direction, rules: { hours } }: Section, serviceMs: number | null): No | null {
  if (hours === null) return null;
  const field = `${direction}.hours`;
  if (serviceMs === null || !Number.isFinite(serviceMs))
    return { code: 'time_unknown', field, because: 'unknown', is: null, limit: hoursText(hours) };
  const now = dayTimeAt(hours.timezone, serviceMs);
  return isInHours(hours, now)
    ? null
    : refusal(field, 'outside_hours', `${now.day} ${now.time}`, hoursText(hours));
}

function refusal(
  field: string,
  because: Refusal['because'],
  is: string | null = null,
  limit: string | null = null,
): No {
  return { code: 'policy_refused', field, because, is, limit };
}
