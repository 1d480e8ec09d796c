export type TestClocks = ReturnType<typeof testClocks>;

export const HAPPENED_MS = Date.parse('2026-09-23T15:00:00Z');

export function testClocks(startMs = HAPPENED_MS) {
  let passedMs = 0;
  const clocks = {
    aheadMs: 0,
    monotonic: () => 5000 + passedMs,
    now: () => startMs + passedMs,
    serviceNow: (): number => startMs + passedMs + clocks.aheadMs,
    advance: (ms: number) => void (passedMs += ms),
  };
  return clocks;
}
