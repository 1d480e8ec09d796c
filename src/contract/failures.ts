/** The failure codes of an operation, and the reasons that each code allows (contract section 7). */
export const FAILURES = {
  counterparty_rejected: {
    meaning: "the recipient's bank rejected the operation",
    reasons: [
      'invalid_account',
      'account_closed',
      'account_blocked',
      'beneficiary_mismatch',
      'invalid_phone',
      'invalid_bank',
      'invalid_document',
      'other',
    ],
  },
  payer_insufficient_funds: { meaning: 'the payer lacks funds', reasons: ['payer_insufficient_funds'] },
  mandate_required: {
    meaning: 'the payer has not authorized the debit',
    reasons: ['no_mandate', 'mandate_revoked'],
  },
  code_rejected: {
    meaning: 'the code was invalid or had expired',
    reasons: ['code_invalid', 'code_expired'],
  },
  limit_exceeded: { meaning: 'the amount is over a limit', reasons: ['amount_over_limit', 'daily_limit'] },
  outside_hours: { meaning: 'outside banking hours', reasons: ['outside_hours'] },
  invalid_data: {
    meaning: 'the bank did not accept the data; review it and create another operation',
    reasons: ['invalid_data'],
  },
  expired: { meaning: 'the operation expired', reasons: ['expired'] },
  cancelled: { meaning: 'the operation was cancelled', reasons: ['cancelled'] },
  temporarily_unavailable: {
    meaning: 'the operation could not be processed at that moment',
    reasons: ['other', 'bank_offline', 'timeout'],
  },
  rejected: { meaning: 'the operation was rejected', reasons: ['other'] },
} as const satisfies Record<string, { readonly meaning: string; readonly reasons: readonly string[] }>;

export type FailureCode = keyof typeof FAILURES;
export type FailureReason = (typeof FAILURES)[FailureCode]['reasons'][number];
export const FAILURE_CODES = Object.keys(FAILURES) as readonly FailureCode[];

export const REASON_MEANINGS: Readonly<Record<FailureReason, string>> = {
  invalid_account: 'the account or phone does not exist',
  account_closed: 'the account is closed',
  account_blocked: 'the account is blocked',
  beneficiary_mismatch: 'the data does not match the account',
  invalid_phone: 'the phone is not valid for mobile payment',
  invalid_bank: 'the bank does not exist or does not take this type of operation',
  invalid_document: 'the document is not valid',
  payer_insufficient_funds: 'the payer lacks funds',
  no_mandate: 'there is no authorization for the debit',
  mandate_revoked: 'the authorization is suspended or revoked',
  code_invalid: 'the code was wrong',
  code_expired: 'the code had expired',
  amount_over_limit: 'the amount is over the limit for one operation',
  daily_limit: 'the daily limit is reached',
  outside_hours: 'outside banking hours',
  invalid_data: 'the bank did not accept the data',
  expired: 'the payment window ended',
  cancelled: 'it was cancelled on request',
  bank_offline: 'the bank is unavailable',
  timeout: 'the bank did not answer in time',
  other: 'no further detail',
};

export interface OperationFailure {
  readonly code: FailureCode;
  readonly reason: FailureReason;
  readonly message: string;
}

export function isFailure(code: unknown, reason: unknown): boolean {
  if (typeof code !== 'string' || !Object.hasOwn(FAILURES, code)) return false;
  const reasons: readonly unknown[] = FAILURES[code as FailureCode].reasons;
  return reasons.includes(reason);
}

export function failure(code: FailureCode, reason: FailureReason): OperationFailure {
  const detail = reason === 'other' ? FAILURES[code].meaning : REASON_MEANINGS[reason];
  return { code, reason, message: detail.charAt(0).toUpperCase() + detail.slice(1) + '.' };
}
