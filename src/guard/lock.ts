/** How much a program that was started here may do live: what the lock in its environment says. Pure. */

/** The variable that holds it. */
export const LOCK_VARIABLE = 'SVC_LOCK';

/** `sandbox`: nothing live, no reads either. `read-only`: live reads alone. */
export type Lock = 'sandbox' | 'read-only';

/**
 * The tightest of what this process and those above it were given; null where none of them has a lock.
 * @param values undefined where the variable is not there; one that is no lock, the empty one too, counts as the tightest
 */
export function tightestOf(values: readonly (string | undefined)[]): Lock | null {
  const locks = values.filter((value) => value !== undefined);
  if (locks.length === 0) return null;
  return locks.every((lock) => lock === 'read-only') ? 'read-only' : 'sandbox';
}
