export const DIRECTIONS = ['payin', 'payout'] as const;
export type Direction = (typeof DIRECTIONS)[number];

export function partyOf(direction: Direction): 'payer' | 'beneficiary' {
  return direction === 'payin' ? 'payer' : 'beneficiary';
}

/** `code` waits for a one-time code, `payment` for the payer's money, `bank` for the bank's decision. */
export type Flow = 'code' | 'payment' | 'bank';

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

export function isMethod(code: unknown): code is Method {
  return typeof code === 'string' && Object.hasOwn(METHODS, code);
}

export function isIncoming(method: Method): boolean {
  return METHODS[method].flow === 'payment';
}

export type Status = 'pending' | 'confirmed' | 'failed';

export type PendingReason = 'awaiting_code' | 'awaiting_payment' | 'processing';

export function isFinal(status: string): boolean {
  return status === 'confirmed' || status === 'failed';
}

/** svc's own status for an operation that the service called both confirmed and failed. */
export const CONTRADICTED = 'contradicted';

/** svc's own status for a pending operation that the service no longer shows. */
export const GONE = 'gone';

export function areContradicting(one: string, other: string): boolean {
  return isFinal(one) && isFinal(other) && one !== other;
}

export const CREATORS = ['company', 'operator'] as const;
export type Creator = (typeof CREATORS)[number];
