/** Seals rows, so that a damaged store cannot send another payment. Pure. */
import { markOf } from '../../contract/marks.js';
import type { SealedRow } from './row.js';

/** The values that a seal covers. */
type SealInput = Omit<SealedRow, 'line'> & { readonly body: string };

/** Seals a row: covers all that must not change between plan and sending, so that a damaged store cannot send another payment. */
export function sealOf(row: SealInput): Uint8Array {
  const { number, reference, currency, amount, follows, generation, key, body } = row;
  return markOf(
    `${number}\0${reference}\0${currency}\0${amount}\0${follows ?? ''}\0${generation}\0${key}\0${body}`,
  );
}

/** True if the row, with its key, is as planned. */
export function isIntact(row: SealInput, seal: Uint8Array): boolean {
  return !row.reference.includes('\0') && Buffer.compare(sealOf(row), seal) === 0;
}
