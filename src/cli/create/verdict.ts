/** Whether what is known of a reference stands in the way of a single create, and what of it is the newest. Pure. */
import { type KnownPayment, type MeantPayment, newestOf, splitPayments } from '../../bulk/check/payments.js';
import { CONTRADICTED, isFinal } from '../../contract/operation.js';

/** What the caller said of the payment, and how it is judged. */
export interface CreateRules extends MeantPayment {
  readonly newPayment: string | null;
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
  const { isStrict, newPayment } = rules;
  const counted = payments.filter((payment) => countsFor(payment, rules));
  const contradicted = counted.find(({ status }) => status === CONTRADICTED);
  if (contradicted !== undefined) return { kind: 'refuse', newest: contradicted };
  const { after, last } = splitPayments(counted, rules);
  // What the feed tells beside a create of unknown outcome may be its own.
  const isOver = last?.operation === null && after.every((one) => one.source.kind === 'feed');
  if (isOver) return { kind: 'over', newest: last };
  const newest = newestOf(isStrict ? after : after.filter((payment) => !isSettledSingle(payment)));
  if (newest !== null) return { kind: 'refuse', newest };
  if (isStrict && last !== null && !isFinal(last.status)) return { kind: 'refuse', newest: last };
  return { kind: 'send', passed: newPayment === null ? newestOf(after) : null };
}

/** True for what counts as a payment of the reference; what is open counts always. */
export function countsFor({ operation }: KnownPayment, { isLabel }: CreateRules): boolean {
  return operation === null || !isLabel;
}

/** True for what a single create has made. */
export function isSettledSingle({ operation, source }: KnownPayment): boolean {
  return operation !== null && source.kind === 'request';
}
