/** The sample operation that a `test.ping` carries: no money, no outcome, every field that is always present (section 6). */
import type { Operation } from '../../contract/operation.js';
import { companyPrefix, concept } from '../machine/labels.js';

const ZERO_ID = '00000000-0000-0000-0000-000000000000';

export function sampleOperation(company: string, nowIso: string): Operation {
  return {
    id: ZERO_ID,
    type: 'payout',
    country: 'VE',
    currency: 'VES',
    method: 'mobile_payment',
    amount: '0.00',
    status: 'pending',
    pending_reason: 'processing',
    bank_reference: null,
    failure: null,
    metadata: { test: true },
    purpose: 'remittance',
    concept: concept('payout', companyPrefix(company), ZERO_ID),
    created_by: 'company',
    created_at: nowIso,
    updated_at: nowIso,
  };
}
