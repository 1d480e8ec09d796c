/**
 * `unbooked`: a key left and is in no store. `damaged`: a database is not whole. The others are counted after a
 * recovery.
 */
export const FAULTS = /** @type {const} */ ({
  twice: 'paid twice',
  lost: 'lost',
  lied: 'said and never done',
  refused: 'never taken again by svc',
  unsettled: 'never settled',
  unbooked: 'never in a book, though they had left',
  damaged: 'never whole again',
});

/** @typedef {keyof typeof FAULTS} Fault */

export const FAULT_NAMES = /** @type {readonly Fault[]} */ (Object.keys(FAULTS));

/** @returns {Record<Fault, number>} */
export function noFaults() {
  return /** @type {Record<Fault, number>} */ (Object.fromEntries(FAULT_NAMES.map((name) => [name, 0])));
}
