/** The idempotency key of a payment, which follows from the payment alone, and the seal of a row. Pure; golden vectors pin the keys. */
import { hash } from 'node:crypto';
import type { Environment } from '../contract/access.js';
import { markOf } from '../contract/marks.js';
import { isUuid } from '../contract/notation.js';
import type { Direction } from '../contract/operation.js';
import { foldForKey } from '../contract/reference.js';
import type { SealedRow } from './store/row.js';

/** Which payment a key is for. It is the same on every machine, for a row and for a single create. */
export interface PaymentIdentity extends PaymentTry {
  readonly environment: Environment;
  readonly direction: Direction;
  /** In any spelling. */
  readonly reference: string;
}

/** What of a key changes from one payment of a reference to the next, and from try to try. */
export interface PaymentTry {
  /** The operation that the payment follows, or the key of a create whose outcome is not known. Null: the first of its reference. */
  readonly follows: string | null;
  /** From 1. */
  readonly generation: number;
}

/** Raised by every scheme that would derive other keys: it would pay again what was paid under these. */
const FIRST = { scheme: 'svc-bulk-v2', prefix: 'svcb2-' };
const LATER = { scheme: 'svc-series-v1', prefix: 'svcs1-' };

/**
 * The key of a payment. An edited amount, another spelling, another batch, profile or address meets the same key: the service itself
 * refuses the second payment. An id that is followed is the same in either case.
 */
export function deriveKey(payment: PaymentIdentity): string {
  const { environment, direction, reference, follows, generation } = payment;
  const folded = foldedPart(reference);
  const { scheme, prefix } = follows === null ? FIRST : LATER;
  // The first payment of a reference has the place of an ordinal, which is always 0.
  const place = follows === null ? ['0'] : ['after', isUuid(follows) ? follows.toLowerCase() : follows];
  const parts = [scheme, environment, direction, folded, ...place, String(generation)];
  return prefix + hash('sha256', parts.join('\0'), 'base64url');
}

function foldedPart(reference: string): string {
  const folded = foldForKey(reference);
  if (folded.includes('\0')) throw new RangeError('a reference holds NUL');
  return folded;
}

/** What a seal covers. */
type Sealed = Omit<SealedRow, 'line'> & { readonly body: string };

/** The seal of a row: over what must not change between the plan and the sending, so that a damaged store sends nothing. */
export function sealOf(row: Sealed): Uint8Array {
  const { number, reference, currency, amount, follows, generation, key, body } = row;
  return markOf(
    `${number}\0${reference}\0${currency}\0${amount}\0${follows ?? ''}\0${generation}\0${key}\0${body}`,
  );
}

/** True where the row is what was planned; its key is part of that. */
export function isIntact(row: Sealed, seal: Uint8Array): boolean {
  return !row.reference.includes('\0') && Buffer.compare(sealOf(row), seal) === 0;
}
