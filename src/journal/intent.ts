/** An intent: a keyed request as it is kept from before it leaves until its outcome is known. Pure. */
import type { Environment } from '../contract/access.js';
import type { EndpointId } from '../contract/endpoints.js';
import { KEY_SAFE_MS } from '../contract/limits.js';

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
  /** When these bytes first left, in wall-clock milliseconds; a repetition keeps it. */
  readonly createdAtMs: number;
}

/** An intent in the journal. */
export interface KeptIntent extends Intent {
  readonly row: number;
}

/** Bodies hold personal data: what nobody repeated is cleared after this. */
export const KEPT_MS = 30 * 24 * 3_600_000;

/** How far a clock may have gone back before the age of an intent says nothing any more. */
const CLOCK_TOLERANCE_MS = 5 * 60_000;

/** True where the same bytes may be sent again with the same key. */
export function isRepeatable({ createdAtMs }: Pick<Intent, 'createdAtMs'>, nowMs: number): boolean {
  const ageMs = nowMs - createdAtMs;
  return ageMs <= KEY_SAFE_MS && ageMs >= -CLOCK_TOLERANCE_MS;
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

/** Each request once, as it first left: every sending of it has an entry of its own. */
export function distinctRequests<T extends Intent>(intents: readonly T[]): T[] {
  const oldestFirst = intents.toSorted((a, b) => a.createdAtMs - b.createdAtMs);
  return oldestFirst.filter(
    (intent, at) => oldestFirst.findIndex((other) => isSameRequest(intent, other)) === at,
  );
}
