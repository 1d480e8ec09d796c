/** Derives the idempotency key of a row: it names the payment, and nothing else. Pure; golden vectors pin it. */
import { hash } from 'node:crypto';
import type { Environment } from '../contract/access.js';
import type { Direction } from '../contract/methods.js';
import { foldReference } from '../contract/reference.js';

/** Which payment a key is for. Two rows that mean the same one have the same key, on whatever machine, under whatever name. */
export interface PaymentIdentity {
  readonly environment: Environment;
  readonly direction: Direction;
  /** In any spelling. */
  readonly reference: string;
  /** How many payments of this reference were made before it, on purpose; 0 for the first. */
  readonly ordinal: number;
  /** One more than the operations of it that failed; 1 for the first try. */
  readonly generation: number;
}

/** Raised by every scheme that would derive other keys: it would pay again what was paid under these. */
const SCHEME = 'svc-bulk-v2';
const PREFIX = 'svcb2-';

/**
 * The key of a payment. An edited amount, another spelling, another batch, profile or address meets the same key: the service itself
 * refuses the second payment.
 */
export function deriveKey({
  environment,
  direction,
  reference,
  ordinal,
  generation,
}: PaymentIdentity): string {
  const folded = foldReference(reference);
  if (folded.includes('\0')) throw new RangeError('a reference holds NUL');
  const parts = [SCHEME, environment, direction, folded, String(ordinal), String(generation)];
  return PREFIX + hash('sha256', parts.join('\0'), 'base64url');
}
