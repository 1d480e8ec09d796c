/** Changes of a pending operation: by a confirmed or resent code, time, a client's lookup, or the arrival of its payment (sections 1 and 3). */
import { compareDecimals, isDecimal } from '../../contract/money.js';
import { fail, finalVerdict, settleWith, applyVerdict, type Subject, verdictFor } from './settle.js';
import { type Context, type OperationRecord, type Transition, withState } from './operation.js';
import type { Rejection } from '../../contract/create.js';
import { LIMITS } from '../../contract/limits.js';

const CODE_VALID_MS = 5 * 60_000;

/** Makes the pay-in wait for a new code. An older code is no longer valid. */
export function awaitCode({ operation, hidden }: Subject, resends: number, { nowMs }: Context): Transition {
  const codeExpiresAt = nowMs + CODE_VALID_MS;
  return {
    record: {
      operation: withState(operation, { status: 'pending', reason: 'awaiting_code', codeExpiresAt }, nowMs),
      hidden: { ...hidden, resends, code_expires_at: codeExpiresAt },
    },
    entries: [],
    event: null,
  };
}

/**
 * Confirms a pay-in by its code, which has one attempt. A late code fails as `code_expired`, even if it is right. A wrong code fails as
 * `code_invalid`. After a right code the bank answers. Refuses with `code_not_expected` if no code is awaited.
 */
export function confirm(record: OperationRecord, code: string, context: Context): Transition | Rejection {
  const { code_expires_at: expiresAt } = record.hidden;
  if (!isAwaitingCode(record) || expiresAt === null) return { refusal: 'code_not_expected' };
  if (context.nowMs >= expiresAt) return fail(record, 'code_rejected', 'code_expired', context);
  if (code !== context.code) return fail(record, 'code_rejected', 'code_invalid', context);
  return applyVerdict(record, verdictFor(record, context), context);
}

/** Sends a new code, even after the older one expired. Refuses if no code is awaited, and (`too_many_codes`) after five new codes. */
export function resend(record: OperationRecord, context: Context): Transition | Rejection {
  if (!isAwaitingCode(record)) return { refusal: 'code_not_expected' };
  if (record.hidden.resends >= LIMITS.codeResends) return { refusal: 'too_many_codes' };
  return awaitCode(record, record.hidden.resends + 1, context);
}

function isAwaitingCode({ operation }: OperationRecord): boolean {
  return operation.pending_reason === 'awaiting_code';
}

/**
 * Applies what is due at `context.nowMs`: the end of a payment window, or the bank's answer. Null if nothing is due. To replay a span of
 * time, pass each operation's own `due_at` as now.
 */
export function passTime(record: OperationRecord, context: Context): Transition | null {
  const { due_at: dueAt, verdict } = record.hidden;
  if (dueAt === null || context.nowMs < dueAt) return null;
  return record.operation.pending_reason === 'awaiting_payment'
    ? fail(record, 'expired', 'expired', context)
    : settleWith(record, finalVerdict(verdict), context);
}

/** Settles an operation with document 00000002 at a client's lookup. Null: the lookup changes nothing. A replay or cancel is no lookup. */
export function lookup(record: OperationRecord, context: Context): Transition | null {
  const { settles_on_lookup: settles, verdict } = record.hidden;
  return settles ? settleWith(record, finalVerdict(verdict), context) : null;
}

/** A payment as the receiving bank reports it. It has a phone, a document, or both. */
export interface Payment {
  readonly method: string;
  readonly currency: string;
  /** A decimal number as text. It is compared as a number. */
  readonly amount: string;
  readonly bank_code: string;
  readonly phone?: string | undefined;
  readonly document?: { readonly type: string; readonly number: string } | undefined;
}

/**
 * True if the pay-in waits for this payment at `nowMs`: method, currency, exact amount and bank are equal, and phone and document too if
 * the payment has them. A payment without both matches no pay-in.
 */
export function matchesPayment(
  { operation, hidden }: OperationRecord,
  payment: Payment,
  nowMs: number,
): boolean {
  const { phone, document } = payment;
  return (
    operation.pending_reason === 'awaiting_payment' &&
    (hidden.due_at === null || nowMs < hidden.due_at) &&
    operation.method === payment.method &&
    operation.currency === payment.currency.toUpperCase() &&
    hidden.bank_code === payment.bank_code &&
    (phone !== undefined || document !== undefined) &&
    (phone === undefined || phone === hidden.phone) &&
    (document === undefined ||
      (document.type === hidden.document_type && document.number === hidden.document_number)) &&
    isDecimal(payment.amount) &&
    compareDecimals(payment.amount, operation.amount) === 0
  );
}

/** Confirms the pay-in and credits the net amount, or fails it if an armed fault says so. Null if the pay-in does not wait for this payment. */
export function pay(record: OperationRecord, payment: Payment, context: Context): Transition | null {
  if (!matchesPayment(record, payment, context.nowMs)) return null;
  return settleWith(record, finalVerdict(context.verdict ?? record.hidden.verdict), context);
}

/** The payment that would confirm this pay-in, for a person who plays the payer. */
export function paymentFor({ operation, hidden }: OperationRecord): Payment {
  const { document_type: type, document_number: number, phone } = hidden;
  return {
    method: operation.method,
    currency: operation.currency,
    amount: operation.amount,
    bank_code: hidden.bank_code ?? '',
    ...(phone === null ? {} : { phone }),
    ...(type === null || number === null ? {} : { document: { type, number } }),
  };
}

/**
 * Ends the payment window (the pay-in fails as `expired`) or the code (the pay-in still waits, as after the code's five minutes). Null if
 * nothing can expire: the operation waits for the bank, is final, or its code has expired.
 */
export function expire(record: OperationRecord, context: Context): Transition | null {
  const { operation, hidden } = record;
  if (operation.pending_reason === 'awaiting_payment') return fail(record, 'expired', 'expired', context);
  const { code_expires_at: endsAt } = hidden;
  if (operation.pending_reason !== 'awaiting_code' || endsAt === null || endsAt <= context.nowMs) return null;
  const state = { status: 'pending', reason: 'awaiting_code', codeExpiresAt: context.nowMs } as const;
  return {
    record: {
      operation: withState(operation, state, context.nowMs),
      hidden: { ...hidden, code_expires_at: context.nowMs },
    },
    entries: [],
    event: null,
  };
}
