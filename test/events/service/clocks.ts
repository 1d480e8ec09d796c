/** Clocks that a test moves: the service's is its own. */

export type TestClocks = ReturnType<typeof testClocks>;

/** When the events of `feed.ts` happened. */
export const HAPPENED_MS = Date.parse('2026-09-23T15:00:00Z');

export function testClocks(startMs = HAPPENED_MS) {
  let passedMs = 0;
  const clocks = {
    /** Sets the service's clock wrong, by so much. */
    aheadMs: 0,
    monotonic: () => 5000 + passedMs,
    now: () => startMs + passedMs,
    serviceNow: (): number => startMs + passedMs + clocks.aheadMs,
    /** Moves all three. */
    advance: (ms: number) => void (passedMs += ms),
  };
  return clocks;
}
