import { ERRORS } from '../contract/errors.js';
import { FAILURES, REASON_MEANINGS } from '../contract/failures.js';
import type { RowStatus } from '../storage/batches/row.js';

const RETRY_LATER = 'retry it later';

const ADVICE: Readonly<Record<string, string>> = {
  invalid_account: 'correct the account',
  account_closed: 'ask for another account',
  account_blocked: 'ask for another account',
  beneficiary_mismatch: 'correct the name, document or account',
  invalid_phone: 'correct the phone',
  invalid_bank: 'correct the bank',
  invalid_document: 'correct the document',
  counterparty_rejected: 'ask for another account',
  payer_insufficient_funds: 'retry it when the payer has funds',
  no_mandate: 'get the authorization, then retry it',
  mandate_revoked: 'get the authorization, then retry it',
  mandate_required: 'get the authorization, then retry it',
  amount_over_limit: 'pay a smaller amount',
  daily_limit: 'retry it tomorrow',
  limit_exceeded: 'pay a smaller amount, or retry it tomorrow',
  outside_hours: 'retry it in banking hours',
  invalid_data: 'correct the data',
  expired: 'retry it if it is still due',
  cancelled: 'retry it if it is still due',
  bank_offline: RETRY_LATER,
  timeout: RETRY_LATER,
  temporarily_unavailable: RETRY_LATER,
  body_invalid: 'correct the row',
  field_required: 'fill in the field',
  field_invalid: 'correct the field',
  method_unavailable: 'use another method, or retry it later',
  bank_unsupported: 'use another bank or method',
  amount_out_of_range: 'correct the amount',
  currency_unsupported: 'correct the currency',
  country_unsupported: 'correct the country',
};

export function adviceFor({ code, detail }: Pick<RowStatus, 'code' | 'detail'>) {
  const words = [detail ?? '', code ?? ''];
  const advice = words.map((word) => valueOf(ADVICE, word)).find((text) => text !== undefined);
  return { reason: reasonOf(code ?? '', detail ?? ''), advice: advice ?? 'ask the service, then retry it' };
}

/** Prefers the reason of a failure to its code. For a refusal, `detail` is a sentence or a list of fields. */
function reasonOf(code: string, detail: string): string {
  const reason = detail === 'other' ? undefined : valueOf(REASON_MEANINGS, detail);
  if (reason !== undefined) return reason;
  const isWord = detail === '' || valueOf(REASON_MEANINGS, detail) !== undefined;
  const meaning = (valueOf(FAILURES, code) ?? valueOf(ERRORS, code))?.meaning ?? code;
  return isWord ? meaning : detail;
}

function valueOf<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
