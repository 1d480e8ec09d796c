export const LOCK_VARIABLE = 'SVC_LOCK';

/**
 * `sandbox`: no live request at all.
 * `read-only`: only reads go to the live environment.
 */
export type Lock = 'sandbox' | 'read-only';

/** Any other text counts as `sandbox`, because a typo must not open the lock. */
export function tightestLock(values: readonly (string | undefined)[]): Lock | null {
  const locks = values.filter((value) => value !== undefined);
  if (locks.length === 0) return null;
  return locks.every((lock) => lock === 'read-only') ? 'read-only' : 'sandbox';
}
