/**
 * The operation: the methods by which one begins, the states that it goes through, and the one shape that a pay-in or a payout has
 * everywhere (sections 1 to 3).
 */
import type { Echoed } from './bodies.js';
import type { OperationFailure } from './failures.js';

export const DIRECTIONS = ['payin', 'payout'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** The member of a body that says who is on the other side. */
export function partyOf(direction: Direction): 'payer' | 'beneficiary' {
  return direction === 'payin' ? 'payer' : 'beneficiary';
}

/**
 * How an operation of a method starts its life (section 3):
 * `code` waits for a one-time code, `payment` waits for the payer's money, `bank` asks the bank at once.
 */
export type Flow = 'code' | 'payment' | 'bank';

interface MethodRow {
  readonly direction: Direction;
  readonly flow: Flow;
}

/** The payment methods (`CodigoDeMetodo`, section 1): which way the money goes and how an operation of each begins. */
export const METHODS = {
  debit_otp: { direction: 'payin', flow: 'code' },
  direct_debit: { direction: 'payin', flow: 'bank' },
  incoming_mobile_payment: { direction: 'payin', flow: 'payment' },
  incoming_transfer: { direction: 'payin', flow: 'payment' },
  mobile_payment: { direction: 'payout', flow: 'bank' },
  bank_transfer: { direction: 'payout', flow: 'bank' },
} as const satisfies Record<string, MethodRow>;

export type Method = keyof typeof METHODS;
export const METHOD_CODES = Object.keys(METHODS) as readonly Method[];

/** True for a code of the closed set above. */
export function isMethod(code: unknown): code is Method {
  return typeof code === 'string' && Object.hasOwn(METHODS, code);
}

/** True for the methods whose payer sends the money on their own (`incoming_*`). */
export function isIncoming(method: Method): boolean {
  return METHODS[method].flow === 'payment';
}

/** The public states of an operation, and why it is still pending (sections 1 and 3). */
export type Status = 'pending' | 'confirmed' | 'failed';

export type PendingReason = 'awaiting_code' | 'awaiting_payment' | 'processing';

/** `confirmed` and `failed` are final: a failed operation is never reopened (section 3). */
export function isFinal(status: string): boolean {
  return status === 'confirmed' || status === 'failed';
}

/** Whose key an operation was made with (section 2.1). */
export const CREATORS = ['company', 'operator'] as const;
export type Creator = (typeof CREATORS)[number];

/**
 * `Operacion`, section 2.1: what the service answers and what `data` of an event carries, beside what was sent. Amounts are decimal
 * strings, times ISO 8601 UTC.
 */
export interface Operation extends Echoed {
  readonly id: string;
  readonly type: Direction;
  readonly country: string;
  readonly currency: string;
  readonly method: Method;
  readonly amount: string;
  readonly status: Status;
  readonly pending_reason: PendingReason | null;
  /** `debit_otp` while a code is awaited. */
  readonly code_expires_at?: string;
  /** Incoming pay-ins: end of the payment window; null once cancelled. */
  readonly expires_at?: string | null;
  readonly bank_reference: string | null;
  readonly confirmed_at?: string;
  readonly failure: OperationFailure | null;
  readonly concept: string;
  readonly created_by: Creator;
  readonly created_at: string;
  readonly updated_at: string;
}
