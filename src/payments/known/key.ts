import { hash } from 'node:crypto';
import type { Environment } from '../../contract/access.js';
import { isUuid } from '../../contract/notation.js';
import type { Direction } from '../../contract/operation.js';
import { foldForKey } from '../../contract/reference.js';

export interface PaymentIdentity extends PaymentTry {
  readonly environment: Environment;
  readonly direction: Direction;
  readonly reference: string;
}

export interface PaymentTry {
  /** The operation id of the earlier payment, or its idempotency key if its outcome is unknown. */
  readonly follows: string | null;
  readonly generation: number;
}

/** Do not change how keys are derived, because a payment made under an old key would be paid again. */
const FIRST_TRY = { scheme: 'svc-bulk-v2', prefix: 'svcb2-' };
const LATER_TRY = { scheme: 'svc-series-v1', prefix: 'svcs1-' };

/** The amount and the batch are left out, because the service must refuse a second payment of one reference. */
export function deriveKey(payment: PaymentIdentity): string {
  const { environment, direction, reference, follows, generation } = payment;
  const folded = foldedPart(reference);
  const { scheme, prefix } = follows === null ? FIRST_TRY : LATER_TRY;
  const seriesParts = follows === null ? ['0'] : ['after', isUuid(follows) ? follows.toLowerCase() : follows];
  const parts = [scheme, environment, direction, folded, ...seriesParts, String(generation)];
  return prefix + hash('sha256', parts.join('\0'), 'base64url');
}

function foldedPart(reference: string): string {
  const folded = foldForKey(reference);
  if (folded.includes('\0')) throw new RangeError('a reference holds NUL');
  return folded;
}
