/** What holds a row together: marks that find equal rows, and a seal over what must not change between the plan and the sending. Pure. */
import { hash } from 'node:crypto';

const MARK_BYTES = 16;

/** The first 16 bytes of the SHA-256 of the parts, none of which holds NUL. */
export function markOf(...parts: readonly string[]): Uint8Array {
  return hash('sha256', parts.join('\0'), 'buffer').subarray(0, MARK_BYTES);
}

/** A reference as a person reads it: without case, spaces and Unicode form. */
export function foldReference(reference: string): string {
  return reference.normalize('NFKC').toLowerCase().normalize('NFKC').replace(/\s+/gu, '');
}

/** What a seal covers. */
export interface Sealed {
  readonly number: number;
  readonly reference: string;
  readonly currency: string;
  readonly amount: string;
  readonly generation: number;
  readonly key: string;
  readonly body: string;
}

/** The seal of a row of a batch. */
export function sealOf(row: Sealed): Uint8Array {
  const { number, reference, currency, amount, generation, key, body } = row;
  return markOf(`${number}\0${reference}\0${currency}\0${amount}\0${generation}\0${key}\0${body}`);
}

/** True where the row is what was planned; its key is part of that. */
export function isIntact(row: Sealed, seal: Uint8Array): boolean {
  return !row.reference.includes('\0') && Buffer.compare(sealOf(row), seal) === 0;
}
