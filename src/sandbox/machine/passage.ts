/** Steps of a pending operation (contract sections 1 and 3). */
import { compareDecimals, isDecimal } from '../../contract/money.js';
import { fail, finalVerdict, settleWith, applyVerdict, type Subject, verdictFor } from './settle.js';
import { type Context, type OperationRecord, type Transition, toPending } from './operation.js';
import type { Rejection } from '../../contract/create.js';
import { LIMITS } from '../../contract/limits.js';

const CODE_VALID_MS = 5 * 60_000;

export const awaitCode = ({ operation, hidden }: Subject, resends: number, { nowMs }: Context): Transition =>
  toPending(
    'awaiting_code',
    operation,
    { ...hidden, resends, code_expires_at: nowMs + CODE_VALID_MS },
    nowMs,
  );

export function confirm(record: OperationRecord, code: string, context: Context): Transition | Rejection {
  const { code_expires_at: expiresAt } = record.hidden;
  if (!isAwaitingCode(record) || expiresAt === null) return { refusal: 'code_not_expected' };
  if (context.nowMs >= expiresAt) return fail(record, 'code_rejected', 'code_expired', context);
  if (code !== context.code) return fail(record, 'code_rejected', 'code_invalid', context);
  return applyVerdict(record, verdictFor(record, context), context);
}

export function resend(record: OperationRecord, context: Context): Transition | Rejection {
  if (!isAwaitingCode(record)) return { refusal: 'code_not_expected' };
  if (record.hidden.resends >= LIMITS.codeResends) return { refusal: 'too_many_codes' };
  return awaitCode(record, record.hidden.resends + 1, context);
}

const isAwaitingCode = ({ operation }: OperationRecord) => operation.pending_reason === 'awaiting_code';

export function passTime(record: OperationRecord, context: Context): Transition | null {
  const { due_at: dueAt, verdict } = record.hidden;
  if (dueAt === null || context.nowMs < dueAt) return null;
  return record.operation.pending_reason === 'awaiting_payment'
    ? fail(record, 'expired', 'expired', context)
    : settleWith(record, finalVerdict(verdict), context);
}

export function lookUp(record: OperationRecord, context: Context): Transition | null {
  const { settles_on_lookup: settles, verdict } = record.hidden;
  return settles ? settleWith(record, finalVerdict(verdict), context) : null;
}

export interface Payment extends Readonly<Record<'method' | 'currency' | 'amount' | 'bank_code', string>> {
  readonly phone?: string | undefined;
  readonly document?: { readonly type: string; readonly number: string } | undefined;
}

export function matchesPayment({ operation, hidden }: OperationRecord, payment: Payment, nowMs: number) {
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

export function pay(record: OperationRecord, payment: Payment, context: Context): Transition | null {
  if (!matchesPayment(record, payment, context.nowMs)) return null;
  return settleWith(record, finalVerdict(context.verdict ?? record.hidden.verdict), context);
}

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

/** A pay-in still waits after its code has expired, because the client may ask for another code. */
export function expire(record: OperationRecord, context: Context): Transition | null {
  const { operation, hidden } = record;
  if (operation.pending_reason === 'awaiting_payment') return fail(record, 'expired', 'expired', context);
  const { code_expires_at: endsAt } = hidden;
  if (operation.pending_reason !== 'awaiting_code' || endsAt === null || endsAt <= context.nowMs) return null;
  return toPending('awaiting_code', operation, { ...hidden, code_expires_at: context.nowMs }, context.nowMs);
}
