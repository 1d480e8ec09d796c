/** An intent: a keyed request as it is kept from before it leaves until its outcome is known. Pure. */
import type { Environment } from '../contract/access.js';
import type { EndpointId } from '../contract/endpoints.js';

export interface Intent {
  readonly idempotencyKey: string;
  readonly endpoint: EndpointId;
  readonly environment: Environment;
  /** What `/v2` is appended to, or `embedded`. */
  readonly address: string;
  /** From `/v2` on. */
  readonly path: string;
  /** The exact bytes that left. */
  readonly body: Uint8Array;
  /** Who asked: prefix and last four of the API key, never the key. */
  readonly keyMask: string;
  /** Wall-clock milliseconds. */
  readonly createdAtMs: number;
}

/** An intent in the journal. */
export interface KeptIntent extends Intent {
  readonly row: number;
}

const HOUR_MS = 3_600_000;

/** How long a service is sure to remember a key is not published: nothing older is ever sent again. */
export const REPEATABLE_MS = 23 * HOUR_MS;

/** Bodies hold personal data: what nobody repeated is cleared after this. */
export const KEPT_MS = 30 * 24 * HOUR_MS;

/** How far a clock may have gone back before the age of an intent says nothing any more. */
const CLOCK_TOLERANCE_MS = 5 * 60_000;

/** True where the same bytes may be sent again with the same key. */
export function isRepeatable({ createdAtMs }: Pick<Intent, 'createdAtMs'>, nowMs: number): boolean {
  const ageMs = nowMs - createdAtMs;
  return ageMs <= REPEATABLE_MS && ageMs >= -CLOCK_TOLERANCE_MS;
}

/** True where both are the same request: key, address and bytes. */
export function isSameRequest(a: Intent, b: Intent): boolean {
  return (
    a.idempotencyKey === b.idempotencyKey &&
    a.environment === b.environment &&
    a.address === b.address &&
    a.path === b.path &&
    Buffer.compare(a.body, b.body) === 0
  );
}
