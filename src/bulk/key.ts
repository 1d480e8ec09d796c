/** Derives the idempotency key of a row, so that a lost store finds the same keys again. Pure; golden vectors pin it. */
import { hash } from 'node:crypto';
import type { Environment } from '../contract/access.js';

/** What all rows of a batch have in common. */
export interface BatchIdentity {
  readonly environment: Environment;
  /** Scheme, host and port of the address; `embedded` for the sandbox inside. */
  readonly origin: string;
  readonly name: string;
}

/** Raised by every scheme that would derive other keys: it would pay again what a lost store has paid. */
const SCHEME = 'svc-bulk-v1';
const PREFIX = 'svcb1-';

/**
 * The key of a row: of its reference alone, whatever else is in it. An edited amount meets the same key and is refused; it never
 * pays twice. Nor does the order of rows, the file or the API key count.
 * @param generation 0, and one more for each new operation after a failed one
 */
export function deriveKey(batch: BatchIdentity, reference: string, generation: number): string {
  const parts = [SCHEME, batch.environment, batch.origin, batch.name, reference, String(generation)];
  if (parts.some((part) => part.includes('\0'))) throw new RangeError('a part of a key holds NUL');
  return PREFIX + hash('sha256', parts.join('\0'), 'base64url');
}
