/** How far a run may be behind the newest event of the feed, as far as it can know. Pure. */

/** All in milliseconds; null where there is nothing of the kind. */
export interface LagInput {
  /** Since the end of the feed was read and all before it was accepted; null where that never was. */
  readonly sinceCurrentMs: number | null;
  /** By the service's clock, how long ago the first event that is not accepted happened; where none is in hand, the last that was passed. */
  readonly ageMs: number | null;
  /** How long the first event that is not accepted has been at the front. */
  readonly waitedMs: number | null;
  /** How long the service has been owing an answer. */
  readonly unansweredMs: number;
  /** Since the run began. */
  readonly runMs: number;
}

/**
 * The newest event is known at the end of the feed alone. From there on the run is behind by no more than the time that has passed,
 * nor by more than the age of what it is at; both are upper bounds, and the lower one counts. A clock that is set wrong hides
 * nothing: whatever is waited for has been missing at least as long as it is waited for.
 */
export function lagOf({ sinceCurrentMs, ageMs, waitedMs, unansweredMs, runMs }: LagInput): number {
  const bounds = [sinceCurrentMs, ageMs].filter((ms) => ms !== null);
  const atMost = bounds.length === 0 ? runMs : Math.min(...bounds);
  return Math.max(0, atMost, waitedMs ?? 0, unansweredMs);
}
