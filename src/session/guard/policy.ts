import { canonicalAddress } from '../../contract/access.js';
import { VALID_FOR_DEFAULT } from '../../contract/limits.js';
import { parseStrictJson } from '../../contract/json.js';
import { isObject } from '../../contract/shape.js';
import type { Hours } from './hours.js';
import { readLifeMs, type PolicyDocument, type PolicyProblem, problemsOf } from './policy-document.js';

export const POLICY_VERSION = 1;
export const POLICY_MAX_BYTES = 256 * 1024;
export const SIGNERS_FILE = '/etc/svc/allowed_signers';

export interface CurrencyRules {
  readonly operationMax: string | null;
  readonly batchMax: string | null;
  /** A single create up to this amount needs no approval. */
  readonly freeUpTo: string | null;
}

export interface DirectionRules {
  readonly allow: 'read' | 'cancel' | 'all';
  readonly methods: readonly string[] | null;
  readonly currencies: ReadonlyMap<string, CurrencyRules> | null;
  readonly approvals: number;
  readonly hours: Hours | null;
}

export interface Policy {
  readonly contact: string | null;
  readonly addresses: readonly string[] | null;
  readonly payouts: DirectionRules;
  readonly payins: DirectionRules;
  readonly approvals: { readonly signers: string; readonly validForMs: number };
  readonly webhooks: 'none' | 'register';
}

export type PolicyState =
  | { readonly kind: 'none' }
  | { readonly kind: 'policy'; readonly policy: Policy; readonly binds: boolean }
  /** `why` is for the administrator only, because it may name files. */
  | { readonly kind: 'unusable'; readonly code: UnusableCode; readonly why: string };
export type UnusableCode = 'policy_untrusted' | 'policy_unreadable' | 'policy_newer';

export class PolicyUnusable extends Error {
  override readonly name = 'PolicyUnusable';
  constructor(
    readonly code: Exclude<UnusableCode, 'policy_untrusted'>,
    readonly problems: readonly PolicyProblem[],
  ) {
    super(problems.map(({ sentence }) => sentence).join(' '));
  }
}

export function parsePolicy(bytes: Uint8Array): Policy {
  if (bytes.length > POLICY_MAX_BYTES)
    throw unreadablePolicy(`is larger than ${POLICY_MAX_BYTES / 1024} KiB`);
  if (bytes.length === 0) throw unreadablePolicy('is empty');
  const parsed = parseStrictJson(bytes);
  if (parsed.kind === 'damage') throw unreadablePolicy(parsed.damage);
  const { value } = parsed;
  const version = isObject(value) ? value['version'] : undefined;
  if (typeof version === 'number' && Number.isInteger(version) && version > POLICY_VERSION) {
    const sentence = `version is ${version}, and this svc knows ${POLICY_VERSION}: a newer svc reads it.`;
    throw new PolicyUnusable('policy_newer', [{ field: 'version', code: 'newer', sentence }]);
  }
  const problems = problemsOf(value);
  if (problems.length > 0) throw new PolicyUnusable('policy_unreadable', problems);
  return policyOf(value as PolicyDocument);
}

function unreadablePolicy(why: string): PolicyUnusable {
  return new PolicyUnusable('policy_unreadable', [
    { field: '', code: 'unreadable', sentence: `The file ${why}.` },
  ]);
}

const READ_ONLY = { allow: 'read' } as const;

function policyOf(document: PolicyDocument): Policy {
  const { contact, addresses, payouts, payins, approvals, webhooks } = document;
  return {
    contact: contact ?? null,
    addresses: addresses?.map(canonicalAddress) ?? null,
    payouts: rulesOf(payouts ?? READ_ONLY),
    payins: rulesOf(payins ?? READ_ONLY),
    approvals: {
      signers: approvals?.signers ?? SIGNERS_FILE,
      validForMs: readLifeMs(approvals?.valid_for ?? VALID_FOR_DEFAULT) ?? 0,
    },
    webhooks: webhooks ?? 'none',
  };
}

function rulesOf(section: NonNullable<PolicyDocument['payouts']>): DirectionRules {
  const { allow, methods = null, currencies, approvals, hours = null } = section;
  const limits = Object.entries(currencies ?? {}).map(([code, limit]): [string, CurrencyRules] => {
    const {
      operation_max: operationMax = null,
      batch_max: batchMax = null,
      free_up_to: freeUpTo = null,
    } = limit;
    return [code, { operationMax, batchMax, freeUpTo }];
  });
  return {
    allow,
    methods,
    currencies: currencies === undefined ? null : new Map(limits),
    approvals: approvals ?? 0,
    hours,
  };
}
