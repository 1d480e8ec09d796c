/** What tests of the guard begin with: policies as they are written, sendings of bytes, and how things stand. */
import type { SendingVerdict, SendingFacts, ActiveRules } from '../../../src/session/guard/decision.js';
import { judgeSending, NEW_CREATE } from '../../../src/session/guard/decision.js';
import { parsePolicy, type PolicyState } from '../../../src/session/guard/policy.js';
import { type Sending, sendingOf } from '../../../src/session/guard/request-kind.js';

/** The service of the examples. */
export const SERVICE = 'https://api.example.com';
/** An operation of it. */
export const OPERATION = '6f1c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f';
/** A Tuesday, 06:00 in Caracas. */
export const TUESDAY = Date.parse('2026-11-24T10:00:00Z');

/** In force with these members. */
export function policyOf(members: Readonly<Record<string, unknown>>): PolicyState {
  const bytes = Buffer.from(JSON.stringify({ version: 1, ...members }));
  return { kind: 'policy', policy: parsePolicy(bytes), binds: true };
}

/** The body of a payout, or other members of it. */
export function bodyOf(members: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({
    ...{ amount: '100.00', country: 'VE', currency: 'VES', method: 'mobile_payment', reference: 'r-1' },
    ...members,
  });
}

/** What leaves as that line: `POST /v2/payouts`. */
export function sendingAs(line: string, body: string | Uint8Array = bodyOf(), service = SERVICE): Sending {
  const [method = '', path = ''] = line.split(' ', 2);
  const url = path.startsWith('/') ? service.replace(/\/$/, '') + path : path;
  return sendingOf({ method, url, body: Buffer.from(body) }, service);
}

/** A live judgement of it, without a lock unless one is given. */
export function judged(
  policy: PolicyState,
  sending: Sending,
  {
    lock = null,
    environment = 'live',
    ...standing
  }: Partial<SendingFacts & Omit<ActiveRules, 'policy'>> = {},
): SendingVerdict {
  return judgeSending({ environment, lock, policy }, sending, {
    ...NEW_CREATE,
    serviceMs: TUESDAY,
    ...standing,
  });
}

/** `allowed`, or the code and the rule that said no. */
export function wordOf(verdict: SendingVerdict): string {
  return verdict.kind === 'allowed' ? 'allowed' : `${verdict.code} ${verdict.field} ${verdict.cause}`;
}
