/** What must not be after a power cut: each fault once, with the words in which docs/benchmarks.md counts it. */

/** `unbooked` a key that left and is in no book, `damaged` a database that is not whole; the others after a recovery. */
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
