import type { FailureCode, FailureReason } from '../../contract/failures.js';
import type { Method } from '../../contract/operation.js';

export interface DocumentOutcome {
  /** Null if the bank confirms after a delay. */
  readonly failure: { readonly code: FailureCode; readonly reason: FailureReason } | null;
  readonly method?: Method;
}

/** The document numbers with a special outcome (contract section 3, last table). The bank confirms every other document number. */
export const DOCUMENT_OUTCOMES: Readonly<Record<string, DocumentOutcome>> = {
  '00000001': { failure: { code: 'counterparty_rejected', reason: 'invalid_account' } },
  '00000002': { failure: null },
  '00000004': { failure: { code: 'payer_insufficient_funds', reason: 'payer_insufficient_funds' } },
  '00000022': { failure: { code: 'mandate_required', reason: 'no_mandate' }, method: 'direct_debit' },
};
