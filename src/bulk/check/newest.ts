/** Which of the payments of a reference is the newest: never by the clock of this machine. Pure. */
import type { KnownPayment } from './payments.js';

/**
 * Of what is open the last in the order of the journal, unless the journal has settled something after it; else the latest by the service's
 * own time. What nobody dates may have been made just now. Null where there is none.
 */
export function newestOf(payments: readonly KnownPayment[]): KnownPayment | null {
  const open = payments.filter(({ operation }) => operation === null);
  const settled = payments.filter(({ operation }) => operation !== null);
  const last = lastOf(open, ({ row }) => row ?? Infinity);
  if (last === null) return latestOf(settled);
  const { row: lastRow } = last;
  const after = lastRow === null ? [] : settled.filter(({ row }) => row !== null && row > lastRow);
  return latestOf(after) ?? last;
}

function latestOf(payments: readonly KnownPayment[]): KnownPayment | null {
  return lastOf(payments, ({ atMs }) => atMs ?? Infinity);
}

/** Of equal ones the last. */
function lastOf(
  payments: readonly KnownPayment[],
  placeOf: (payment: KnownPayment) => number,
): KnownPayment | null {
  return payments.reduce<KnownPayment | null>(
    (last, payment) => (last === null || placeOf(payment) >= placeOf(last) ? payment : last),
    null,
  );
}
