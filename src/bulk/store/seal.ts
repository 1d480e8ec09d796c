/** The seal of a row: over what must not change between the plan and the sending, so that a damaged store sends nothing. Pure. */
import { markOf } from '../../contract/marks.js';
import type { PlannedRow } from './row.js';

/** What a seal covers. */
type Sealed = Pick<
  PlannedRow,
  'number' | 'reference' | 'currency' | 'amount' | 'ordinal' | 'generation' | 'key' | 'body'
>;

/** The seal of a row of a batch. */
export function sealOf(row: Sealed): Uint8Array {
  const { number, reference, currency, amount, ordinal, generation, key, body } = row;
  return markOf(
    `${number}\0${reference}\0${currency}\0${amount}\0${ordinal}\0${generation}\0${key}\0${body}`,
  );
}

/** True where the row is what was planned; its key is part of that. */
export function isIntact(row: Sealed, seal: Uint8Array): boolean {
  return !row.reference.includes('\0') && Buffer.compare(sealOf(row), seal) === 0;
}
