/** The lock: how much a program that was started in this environment may do live. Pure. */

/** The environment variable that holds the lock. */
export const LOCK_VARIABLE = 'SVC_LOCK';

/** `sandbox`: nothing live, not even reads. `read-only`: only reads live. */
export type Lock = 'sandbox' | 'read-only';

/**
 * Returns the tightest lock of this process and of the processes above it; null if none has one.
 * @param values undefined if the variable is not set. A text that is not a lock counts as `sandbox`, even an empty one
 */
export function tightestLock(values: readonly (string | undefined)[]): Lock | null {
  const locks = values.filter((value) => value !== undefined);
  if (locks.length === 0) return null;
  return locks.every((lock) => lock === 'read-only') ? 'read-only' : 'sandbox';
}
