/** The life of every method as command lines, one table: what is typed, how it ends, and what the operation is then. */
import {
  debitOtp,
  directDebit,
  incomingMobile,
  incomingTransfer,
  payout,
  words,
} from '../support/requests.js';

export interface Step {
  /** `$NAME` stands for an id that a step before kept. */
  readonly type: readonly string[] | string;
  readonly exit: number;
  readonly stdin?: string;
  /** Keeps the operation's id under this name. */
  readonly keep?: string;
  /** Members of standard output. */
  readonly shows?: Readonly<Record<string, unknown>>;
  /** Members of the error object. */
  readonly error?: Readonly<Record<string, unknown>>;
}

const confirmed = { status: 'confirmed', pending_reason: null };
const failed = (code: string, reason: string) => ({ status: 'failed', failure: { code, reason } });
const awaitingCode = { status: 'pending', pending_reason: 'awaiting_code' };
const awaitingPayment = { status: 'pending', pending_reason: 'awaiting_payment' };
const processing = { status: 'pending', pending_reason: 'processing' };

export const LIFE: Readonly<Record<string, readonly Step[]>> = {
  'debit_otp: a wrong code ends it': [
    { type: debitOtp(), exit: 0, keep: 'A', shows: awaitingCode },
    {
      type: 'payins confirm $A --code 000000',
      exit: 9,
      shows: failed('code_rejected', 'code_invalid'),
      error: { code: 'code_rejected', outcome: 'sent', retryable: false },
    },
    { type: 'payins confirm $A --code 123456', exit: 7, error: { code: 'code_not_expected', status: 409 } },
    { type: 'payins get $A', exit: 0, shows: failed('code_rejected', 'code_invalid') },
    { type: 'payins get $A --exit-status', exit: 9, error: { code: 'code_rejected' } },
  ],
  'debit_otp: resend, confirm': [
    { type: [...debitOtp(), '--reference', 'order 7'], exit: 0, keep: 'B', shows: { reference: 'order 7' } },
    { type: 'payins resend $B', exit: 0, shows: awaitingCode },
    { type: 'payin resend-code $B', exit: 0, shows: awaitingCode },
    { type: 'payins confirm $B --code -', stdin: '123456\n', exit: 0, shows: confirmed },
    { type: 'payins resend $B', exit: 7, error: { code: 'code_not_expected' } },
    { type: 'payins cancel $B', exit: 7, error: { code: 'not_cancellable' } },
    { type: 'transactions get $B', exit: 0, shows: confirmed },
  ],
  'debit_otp: five resends, and no sixth': [
    { type: debitOtp(), exit: 0, keep: 'C' },
    ...Array.from({ length: 5 }, (): Step => ({ type: 'payins resend $C', exit: 0 })),
    { type: 'payins resend $C', exit: 7, error: { code: 'too_many_codes', status: 409 } },
  ],
  'debit_otp: a code that is too old': [
    { type: debitOtp(), exit: 0, keep: 'D' },
    { type: 'sandbox clock advance 6m', exit: 0 },
    {
      ...{ type: 'payins confirm $D --code 123456', exit: 9 },
      ...{ shows: failed('code_rejected', 'code_expired'), error: { code: 'code_rejected' } },
    },
  ],
  'debit_otp: outcomes by document': [
    { type: debitOtp('00000001'), exit: 0, keep: 'E' },
    { type: 'payins confirm $E --code 123456', exit: 9, error: { code: 'counterparty_rejected' } },
    { type: debitOtp('00000004'), exit: 0, keep: 'F' },
    { type: 'payins confirm $F --code 123456', exit: 9, error: { code: 'payer_insufficient_funds' } },
    { type: debitOtp('00000002'), exit: 0, keep: 'G' },
    { type: 'payins confirm $G --code 123456', exit: 0, shows: processing },
    { type: 'payins get $G', exit: 0, shows: confirmed },
  ],
  'debit_otp: --wait stops where a person must go on': [
    { type: [...debitOtp(), '--wait'], exit: 8, shows: awaitingCode, error: { code: 'awaiting_code' } },
    { type: debitOtp('00000002'), exit: 0, keep: 'H' },
    { type: 'payins get $H --wait', exit: 8, shows: awaitingCode },
    { type: 'payins confirm $H --code 123456 --wait', exit: 0, shows: confirmed },
  ],
  'incoming_transfer: paid': [
    { type: incomingTransfer(), exit: 0, keep: 'I', shows: awaitingPayment },
    { type: 'sandbox payment --for $I', exit: 0 },
    { type: 'payins get $I', exit: 0, shows: confirmed },
    { type: 'sandbox payment --for $I', exit: 0, shows: { attributed_to: null } },
  ],
  'incoming_mobile_payment: paid, by what is described': [
    { type: incomingMobile(), exit: 0, keep: 'J', shows: awaitingPayment },
    {
      type: words(
        'sandbox payment --method incoming_mobile_payment --currency VES --amount 40.00 --bank-code 0102 ' +
          '--phone 04121234567 --document-type V --document-number 12345678',
      ),
      exit: 0,
    },
    { type: 'payins get $J --wait', exit: 0, shows: confirmed },
  ],
  'incoming_transfer: the window ends': [
    { type: [...incomingTransfer('31.00'), '--expires-in-hours', '1'], exit: 0, keep: 'K' },
    { type: 'payins get $K --wait-timeout 3s', exit: 8, error: { code: 'still_pending' } },
    { type: 'sandbox clock advance 61m', exit: 0 },
    { type: 'payins get $K', exit: 0, shows: failed('expired', 'expired') },
  ],
  'incoming_transfer: cancelled': [
    { type: incomingTransfer('32.00'), exit: 0, keep: 'L' },
    { type: 'payins cancel $L', exit: 0, shows: { ...failed('cancelled', 'cancelled'), expires_at: null } },
    { type: 'payins cancel $L', exit: 7, error: { code: 'not_cancellable' } },
  ],
  'direct_debit: with and without a mandate': [
    {
      type: [...directDebit(), '--mandate', 'contract_id=C1', '--mandate', 'contract_date=2026-01-31'],
      exit: 0,
      shows: confirmed,
    },
    { type: directDebit('00000022'), exit: 9, shows: failed('mandate_required', 'no_mandate') },
    { type: directDebit('00000004'), exit: 9, error: { code: 'payer_insufficient_funds' } },
  ],
  'payouts: confirmed, failed, looked up, cancelled': [
    { type: payout(), exit: 0, keep: 'M', shows: { ...confirmed, purpose: 'remittance' } },
    { type: 'payouts get $M', exit: 0, shows: confirmed },
    { type: 'payouts cancel $M', exit: 7, error: { code: 'not_cancellable' } },
    { type: payout('00000001'), exit: 9, error: { code: 'counterparty_rejected' } },
    { type: [...payout('00000002'), '--purpose', 'payroll'], exit: 0, keep: 'N', shows: processing },
    { type: 'payouts get $N', exit: 0, shows: { ...confirmed, purpose: 'payroll' } },
    { type: [...payout('00000002'), '--wait'], exit: 0, shows: confirmed },
    { type: payout('00000002'), exit: 0, keep: 'O' },
    { type: 'payouts cancel $O', exit: 0, shows: failed('cancelled', 'cancelled') },
    { type: 'transaction get $O --exit-status', exit: 9, error: { code: 'cancelled' } },
  ],
  'keys of requests': [
    { type: [...payout(), '--idempotency-key', 'invoice-2048'], exit: 0, keep: 'P' },
    { type: [...payout(), '--idempotency-key', 'invoice-2048'], exit: 0, shows: confirmed },
    {
      type: [...payout('12345678', '6.00'), '--idempotency-key', 'invoice-2048'],
      exit: 7,
      error: { code: 'idempotency_key_reused', idempotency_key: 'invoice-2048', status: 409 },
    },
  ],
  refusals: [
    {
      type: payout('12345678', '0.10'),
      exit: 2,
      error: { code: 'amount_out_of_range', outcome: 'not_sent' },
    },
    { type: badBank(), exit: 6, error: { code: 'bank_unsupported', status: 400 } },
    { type: 'payins get 6f1c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f', exit: 5, error: { code: 'not_found' } },
    { type: 'payouts cancel 6f1c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f', exit: 5 },
    { type: 'methods --country XX', exit: 6, error: { code: 'country_unsupported' } },
    { type: 'events list --cursor forged', exit: 6, error: { code: 'field_invalid' } },
  ],
  'what is left behind': [
    { type: 'balances', exit: 0 },
    { type: 'events list --all', exit: 0 },
    { type: 'events list --limit 2', exit: 0 },
    { type: 'capabilities', exit: 0 },
    { type: 'methods --country VE --direction payout', exit: 0 },
    { type: 'banks --country VE --method debit_otp', exit: 0 },
    { type: 'api GET /v2/banks -f country=CL', exit: 0 },
  ],
};

/** A bank that exists and does not take the method: only the service knows. */
function badBank(): string[] {
  return payout().map((word) => (word === 'bank_code=0102' ? 'bank_code=0146' : word));
}
