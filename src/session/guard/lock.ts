export const LOCK_VARIABLE = 'SVC_LOCK';

/** With `sandbox`, svc sends no live request, not even a read. With `read-only`, it sends only reads to the live environment. */
export type Lock = 'sandbox' | 'read-only';

/** A text that is not a lock counts as `sandbox`, even an empty one. */
export function tightestLock(values: readonly (string | undefined)[]): Lock | null {
  const locks = values.filter((value) => value !== undefined);
  if (locks.length === 0) return null;
  return locks.every((lock) => lock === 'read-only') ? 'read-only' : 'sandbox';
}
