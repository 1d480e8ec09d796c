/** Decides whether the known payments of a reference refuse a single create, and which of them to name. Pure. */
import { type KnownPayment, type PaymentChoice, newestOf, splitPayments } from './known/payments.js';
import { CONTRADICTED, isFinal } from '../contract/operation.js';

export interface CreateRules extends PaymentChoice {
  readonly newPayment: string | null;
  /** True if references name customers or shops: then only payments without a known outcome count. */
  readonly areLabels: boolean;
  /** True in the live environment and with `--as-live`. If false, settled single creates refuse nothing. */
  readonly isStrict: boolean;
}

export type CreateVerdict =
  /** `obstacle`: the payment that would refuse this create in the live environment. */
  | { readonly kind: 'send'; readonly obstacle: KnownPayment | null }
  | { readonly kind: 'refuse'; readonly newest: KnownPayment }
  /** `--new-payment` names a single create whose outcome is not known: the new payment replaces it. */
  | { readonly kind: 'replace'; readonly newest: KnownPayment };

export function verdictOf(payments: readonly KnownPayment[], rules: CreateRules): CreateVerdict {
  const { isStrict, newPayment } = rules;
  const countedPayments = payments.filter((payment) => countsFor(payment, rules));
  const contradictedPayment = countedPayments.find(({ status }) => status === CONTRADICTED);
  if (contradictedPayment !== undefined) return { kind: 'refuse', newest: contradictedPayment };
  const { blocking, previous } = splitPayments(countedPayments, rules);
  // A payment from the feed may belong to the create that `--new-payment` names, whose outcome is not known.
  const isReplacement = previous?.operation === null && blocking.every((one) => one.source.kind === 'feed');
  if (isReplacement) return { kind: 'replace', newest: previous };
  const newest = newestOf(isStrict ? blocking : blocking.filter((payment) => !isSettledSingle(payment)));
  if (newest !== null) return { kind: 'refuse', newest };
  if (isStrict && previous !== null && !isFinal(previous.status)) return { kind: 'refuse', newest: previous };
  return { kind: 'send', obstacle: newPayment === null ? newestOf(blocking) : null };
}

export function countsFor({ operation }: KnownPayment, { areLabels }: CreateRules): boolean {
  return operation === null || !areLabels;
}

export function isSettledSingle({ operation, source }: KnownPayment): boolean {
  return operation !== null && source.kind === 'request';
}
