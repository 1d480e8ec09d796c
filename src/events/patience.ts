/** How long a follower waits while the service can't answer: for ever, in growing steps. Pure. */

const FIRST_MS = 1000;
const MAX_MS = 30_000;
const JITTER = 0.25;
/** A service that asks for longer is asked again after this. */
const ASKED_MAX_MS = 60_000;

/**
 * Milliseconds until the next attempt: 1 s, 2 s, 4 s ... 30 s with 25 % jitter, and never less than `Retry-After` asks for (60 s at most).
 * @param failures how many attempts in a row were not answered, at least one
 * @param askedMs what `Retry-After` says, null without it
 * @param fraction at least 0, less than 1: where in the jitter the wait falls
 */
export function patientWaitMs(failures: number, askedMs: number | null, fraction: number): number {
  const plain = Math.min(MAX_MS, FIRST_MS * 2 ** Math.min(failures - 1, 10));
  const jittered = Math.round(plain * (1 - JITTER + 2 * JITTER * fraction));
  return Math.max(jittered, Math.min(askedMs ?? 0, ASKED_MAX_MS));
}
