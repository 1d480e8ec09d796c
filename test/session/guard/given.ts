import type { SendingVerdict, SendingFacts, ActiveRules } from '../../../src/session/guard/decision.js';
import { judgeSending, NEW_CREATE } from '../../../src/session/guard/decision.js';
import { parsePolicy, type PolicyState } from '../../../src/session/guard/policy.js';
import { type JudgedRequest, sendingOf } from '../../../src/session/guard/request-kind.js';

export const SERVICE = 'https://api.example.com';
export const OPERATION = '6f1c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f';
export const TUESDAY = Date.parse('2026-11-24T10:00:00Z');

export function policyOf(members: Readonly<Record<string, unknown>>): PolicyState {
  const bytes = Buffer.from(JSON.stringify({ version: 1, ...members }));
  return { kind: 'policy', policy: parsePolicy(bytes), binds: true };
}

export function bodyOf(members: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({
    ...{ amount: '100.00', country: 'VE', currency: 'VES', method: 'mobile_payment', reference: 'r-1' },
    ...members,
  });
}

export function sendingAs(
  line: string,
  body: string | Uint8Array = bodyOf(),
  service = SERVICE,
): JudgedRequest {
  const [method = '', path = ''] = line.split(' ', 2);
  const url = path.startsWith('/') ? service.replace(/\/$/, '') + path : path;
  return sendingOf({ method, url, body: Buffer.from(body) }, service);
}

export function judged(
  policy: PolicyState,
  sending: JudgedRequest,
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

export function wordOf(verdict: SendingVerdict): string {
  return verdict.kind === 'allowed' ? 'allowed' : `${verdict.code} ${verdict.field} ${verdict.cause}`;
}
