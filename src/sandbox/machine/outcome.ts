/** What the sandbox's bank answers by the document number of payer or beneficiary (last table of section 3). */
import type { Method } from '../../contract/methods.js';
import type { BankVerdict } from './types.js';

export const CONFIRMED: BankVerdict = { status: 'confirmed' };

/** How long an answer that is not available at once takes, in sandbox time, unless a lookup asks for it before. */
export const ANSWER_DELAY_MS = 60_000;

/** The bank's answer, the same for pay-ins and payouts; `pending` where it comes later (and is `confirmed` then). */
export function outcomeOf(documentNumber: string | null, method: Method): BankVerdict | 'pending' {
  switch (documentNumber) {
    case '00000001':
      return { status: 'failed', code: 'counterparty_rejected', reason: 'invalid_account' };
    case '00000002':
      return 'pending';
    case '00000004':
      return { status: 'failed', code: 'payer_insufficient_funds', reason: 'payer_insufficient_funds' };
    case '00000022':
      return method === 'direct_debit'
        ? { status: 'failed', code: 'mandate_required', reason: 'no_mandate' }
        : CONFIRMED;
    default:
      return CONFIRMED;
  }
}
