/** The texts that an operation is stored as: its JSON, and the key that payments find it by. */
import type { Operation } from '../../contract/operation.js';

/** Puts the metadata in as it was written: parsed and written again, `1.10` and 20-digit numbers would not survive. */
export function jsonOf(operation: Operation, metadata: string): string {
  // Inside a string the quotes would be escaped, so the first match is the field itself.
  return JSON.stringify({ ...operation, metadata: null }).replace(
    '"metadata":null',
    () => `"metadata":${metadata}`,
  );
}

/** What a waiting operation is found by when a payment arrives; null where it waits for none. */
export function awaitsOf({ pending_reason: reason, method, currency, amount }: Operation): string | null {
  return reason === 'awaiting_payment' ? awaitKey(method, currency, amount) : null;
}

/** Amounts that are equal as numbers (`10` is `10.00`) have the same whole part; whoever finds by this key compares the rest. */
export function awaitKey(method: string, currency: string, amount: string): string {
  const [whole = ''] = amount.split('.', 1);
  return `${method} ${currency} ${whole.replace(/^0+/, '')}`;
}
