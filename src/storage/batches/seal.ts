import { markOf } from '../../contract/marks.js';
import type { SealedRow } from './row.js';

type SealInput = Omit<SealedRow, 'line'> & { readonly body: string };

/** The seal covers all that must not change before sending, because a damaged store could otherwise send another payment. */
export function sealOf(row: SealInput): Uint8Array {
  const { number, reference, currency, amount, follows, generation, key, body } = row;
  return markOf(
    `${number}\0${reference}\0${currency}\0${amount}\0${follows ?? ''}\0${generation}\0${key}\0${body}`,
  );
}

export function isIntact(row: SealInput, seal: Uint8Array): boolean {
  return !row.reference.includes('\0') && Buffer.compare(sealOf(row), seal) === 0;
}
