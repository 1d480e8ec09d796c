/**
 * Changes of an operation without a call: time passes, a client reads it, or a payment arrives that belongs to it (sections 1
 * and 3).
 */
import { compareDecimals, isDecimal } from '../../contract/money.js';
import { fail, finalOf, settleWith, answer, type Subject, verdictFor } from './settle.js';
import { type Context, type OperationRecord, type Transition, revise } from './operation.js';
import type { Rejection } from '../../contract/create.js';
import { LIMITS } from '../../contract/limits.js';

const CODE_VALID_MS = 5 * 60_000;

/** A code was requested: it is valid from now on, and the one before no more. */
export function awaitCode({ operation, hidden }: Subject, resends: number, { nowMs }: Context): Transition {
  const codeExpiresAt = nowMs + CODE_VALID_MS;
  return {
    held: {
      operation: revise(operation, { status: 'pending', reason: 'awaiting_code', codeExpiresAt }, nowMs),
      hidden: { ...hidden, resends, code_expires_at: codeExpiresAt },
    },
    entries: [],
    event: null,
  };
}

/**
 * The one attempt at the code, a text that is not empty. Too late is `code_expired`, right or wrong; a wrong code is
 * `code_invalid` whatever the document; only then does the bank answer. `code_not_expected` where no code is awaited.
 */
export function confirm(held: OperationRecord, code: string, context: Context): Transition | Rejection {
  const { code_expires_at: expiresAt } = held.hidden;
  if (!isAwaitingCode(held) || expiresAt === null) return { refusal: 'code_not_expected' };
  if (context.nowMs >= expiresAt) return fail(held, 'code_rejected', 'code_expired', context);
  if (code !== context.code) return fail(held, 'code_rejected', 'code_invalid', context);
  return answer(held, verdictFor(held, context), context);
}

/** A new code, which revives a pay-in whose code had expired. `code_not_expected` where none is awaited, `too_many_codes` after five. */
export function resend(held: OperationRecord, context: Context): Transition | Rejection {
  if (!isAwaitingCode(held)) return { refusal: 'code_not_expected' };
  if (held.hidden.resends >= LIMITS.codeResends) return { refusal: 'too_many_codes' };
  return awaitCode(held, held.hidden.resends + 1, context);
}

function isAwaitingCode({ operation }: OperationRecord): boolean {
  return operation.pending_reason === 'awaiting_code';
}

/**
 * What is due at `context.nowMs`: the window of an incoming pay-in ends, or the bank's answer arrives. Null where nothing is.
 * Who replays a span of time passes each operation's own `due_at` as now.
 */
export function timePasses(held: OperationRecord, context: Context): Transition | null {
  const { due_at: dueAt, verdict } = held.hidden;
  if (dueAt === null || context.nowMs < dueAt) return null;
  return held.operation.pending_reason === 'awaiting_payment'
    ? fail(held, 'expired', 'expired', context)
    : settleWith(held, finalOf(verdict), context);
}

/** What a client's lookup brings about: the answer that only waited for it (document 00000002), else null. A replay or a cancel is no lookup. */
export function lookup(held: OperationRecord, context: Context): Transition | null {
  const { settles_on_lookup: settles, verdict } = held.hidden;
  return settles ? settleWith(held, finalOf(verdict), context) : null;
}

/** What the receiving bank tells about a payment. It carries a phone, a document, or both. */
export interface Payment {
  readonly method: string;
  readonly currency: string;
  /** Decimal string, compared as a number. */
  readonly amount: string;
  readonly bank_code: string;
  readonly phone?: string | undefined;
  readonly document?: { readonly type: string; readonly number: string } | undefined;
}

/**
 * True where the payment is the one the pay-in waits for at `nowMs`: method, currency, exact amount and bank, and each of
 * phone and document that the payment carries; a payment that carries neither is nobody's.
 */
export function matches({ operation, hidden }: OperationRecord, payment: Payment, nowMs: number): boolean {
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

/** The pay-in once its payment arrived: confirmed, the net in the balance. Null where the payment is not the one it waits for. */
export function pay(held: OperationRecord, payment: Payment, context: Context): Transition | null {
  if (!matches(held, payment, context.nowMs)) return null;
  return settleWith(held, finalOf(context.verdict ?? held.hidden.verdict), context);
}

/** The payment that a waiting pay-in would be confirmed by, for a person who plays the payer. */
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
 * A waiting incoming pay-in fails as `expired`. A code ends; its pay-in waits on, as it does when five minutes are over. Null where nothing
 * can expire: the bank's answer does not, nor a final operation, nor a code that has ended.
 */
export function expire(held: OperationRecord, context: Context): Transition | null {
  const { operation, hidden } = held;
  if (operation.pending_reason === 'awaiting_payment') return fail(held, 'expired', 'expired', context);
  const { code_expires_at: endsAt } = hidden;
  if (operation.pending_reason !== 'awaiting_code' || endsAt === null || endsAt <= context.nowMs) return null;
  const state = { status: 'pending', reason: 'awaiting_code', codeExpiresAt: context.nowMs } as const;
  return {
    held: {
      operation: revise(operation, state, context.nowMs),
      hidden: { ...hidden, code_expires_at: context.nowMs },
    },
    entries: [],
    event: null,
  };
}
