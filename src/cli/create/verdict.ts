/** Whether what is known of a reference stands in the way of a single create, and what of it is the newest. Pure. */
import { newestOf, isBefore, type KnownPayment } from '../../bulk/check/payments.js';

/** What the caller said of the payment, and how it is judged. */
export interface CreateRules {
  /** The operation or key that `--new-payment` names; null without it. */
  readonly newPayment: string | null;
  /** From `--new-since`, in the service's time: payments from before it are others. */
  readonly sinceMs: number | null;
  /** References name customers or shops: only what is open counts. */
  readonly isLabel: boolean;
  /** As live. In a sandbox what a single create has settled stands in nobody's way. */
  readonly isStrict: boolean;
}

export type CreateVerdict =
  /** @param passed what would have refused it live */
  | { readonly kind: 'send'; readonly passed: KnownPayment | null }
  | { readonly kind: 'refuse'; readonly newest: KnownPayment }
  /** The caller asks for a new payment beside a single create whose outcome is not known. */
  | { readonly kind: 'over'; readonly newest: KnownPayment };

/** @param payments those of the reference, of the same company */
export function verdictOf(payments: readonly KnownPayment[], rules: CreateRules): CreateVerdict {
  const counted = payments.filter((payment) => countsFor(payment, rules));
  const standing = rules.isStrict ? counted : counted.filter((payment) => !isSettledSingle(payment));
  const newest = newestOf(standing);
  const { newPayment } = rules;
  if (newest === null) return { kind: 'send', passed: newPayment === null ? newestOf(counted) : null };
  if (newPayment === null || !isNamed(newest, newPayment)) return { kind: 'refuse', newest };
  return newest.operation === null ? { kind: 'over', newest } : { kind: 'send', passed: null };
}

/** True for what counts as a payment of the reference; what is open counts always. */
export function countsFor(payment: KnownPayment, { sinceMs, isLabel }: CreateRules): boolean {
  if (payment.operation === null) return true;
  return !isLabel && !(sinceMs !== null && isBefore(payment, sinceMs));
}

/** True for what a single create has made. */
export function isSettledSingle({ operation, source }: KnownPayment): boolean {
  return operation !== null && source.kind === 'request';
}

/** An id is the same in either case; a key is not. What a batch has open is settled there. */
export function isNamed(
  { operation, source }: Pick<KnownPayment, 'operation' | 'source'>,
  name: string,
): boolean {
  if (operation !== null) return operation.toLowerCase() === name.toLowerCase();
  return source.kind === 'request' && source.key === name;
}
