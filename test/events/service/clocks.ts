/** Clocks that a test moves: the service's is its own. */
import type { Clocks } from '../../../src/events/service/follower-state.js';

export interface TestClocks extends Clocks {
  /** Moves all three. */
  advance(ms: number): void;
  /** Sets the service's clock wrong, by so much. */
  aheadMs: number;
}

/** When the events of `feed.ts` happened. */
export const HAPPENED_MS = Date.parse('2026-09-23T15:00:00Z');

export function testClocks(startMs = HAPPENED_MS): TestClocks {
  let passedMs = 0;
  return {
    aheadMs: 0,
    monotonic: () => 5000 + passedMs,
    now: () => startMs + passedMs,
    serviceNow() {
      return startMs + passedMs + this.aheadMs;
    },
    advance: (ms) => {
      passedMs += ms;
    },
  };
}
