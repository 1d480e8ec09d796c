/** Waits for something of the sandbox until it is so, or patience ends. */
import type { Clock } from '../runtime/clock.js';

/** How long a wait is unless it says otherwise. */
export const PATIENCE_MS = 5000;
const LOOK_MS = 5;

/**
 * What `find` finds, as soon as it finds anything.
 * @param inVain what is said where patience ends
 */
export async function waitFor<T>(
  find: () => T | undefined,
  inVain: () => string,
  timeoutMs: number,
  clock: Clock,
): Promise<T> {
  const untilMs = clock.monotonic() + timeoutMs;
  for (;;) {
    const found = find();
    if (found !== undefined) return found;
    if (clock.monotonic() >= untilMs) throw new Error(inVain());
    await clock.sleep(LOOK_MS);
  }
}
