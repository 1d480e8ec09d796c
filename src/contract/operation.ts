/** Operations: the methods by which one begins, and the states that it goes through (sections 1 and 3). */

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

/** The payment methods (`CodigoDeMetodo`, section 1): which way the money goes and how an operation of each begins. */
export const METHODS = {
  debit_otp: { direction: 'payin', flow: 'code' },
  direct_debit: { direction: 'payin', flow: 'bank' },
  incoming_mobile_payment: { direction: 'payin', flow: 'payment' },
  incoming_transfer: { direction: 'payin', flow: 'payment' },
  mobile_payment: { direction: 'payout', flow: 'bank' },
  bank_transfer: { direction: 'payout', flow: 'bank' },
} as const satisfies Record<string, { readonly direction: Direction; readonly flow: Flow }>;

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

/** What is kept as the status of an operation that was said to be confirmed, and to have failed: ours, no service says it. */
export const CONTRADICTED = 'contradicted';

/** The same of an operation that was pending, and that the service does not have any more, or does not show. */
export const GONE = 'gone';

/** True where one saying ends an operation and another one ends it otherwise. */
export function areContradicting(one: string, other: string): boolean {
  return isFinal(one) && isFinal(other) && one !== other;
}

/** Whose key an operation was made with (section 2.1). */
export const CREATORS = ['company', 'operator'] as const;
export type Creator = (typeof CREATORS)[number];
