/** The port to the event loop's turns: lets what arrives together be handled together. */

/** Runs the work once everything that has arrived by now was read: later in this turn of the event loop, without waiting. */
export function afterArrivals(work: () => void): void {
  setImmediate(work);
}
