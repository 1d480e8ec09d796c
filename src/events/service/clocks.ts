/** What time it is, three ways: a test gives its own. */

export interface Clocks {
  /** Milliseconds on a clock that never goes back. */
  monotonic(): number;
  /** This machine's wall clock, in milliseconds since the epoch. */
  now(): number;
  /** The service's time, in milliseconds since the epoch: by it ages of events are counted. */
  serviceNow(): number;
}
