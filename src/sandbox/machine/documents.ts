/** Document numbers that decide the bank's answer (last table of section 3). The bank confirms operations with any other number. */
import type { FailureCode, FailureReason } from '../../contract/failures.js';
import type { Method } from '../../contract/operation.js';

export interface DocumentOutcome {
  /** It is null if the bank confirms after a delay. */
  readonly failure: { readonly code: FailureCode; readonly reason: FailureReason } | null;
  readonly method?: Method;
}

export const DOCUMENT_OUTCOMES: Readonly<Record<string, DocumentOutcome>> = {
  '00000001': { failure: { code: 'counterparty_rejected', reason: 'invalid_account' } },
  '00000002': { failure: null },
  '00000004': { failure: { code: 'payer_insufficient_funds', reason: 'payer_insufficient_funds' } },
  '00000022': { failure: { code: 'mandate_required', reason: 'no_mandate' }, method: 'direct_debit' },
};
