import type { Clock } from '../../../src/runtime/clock.js';

export const START_MS = Date.UTC(2026, 8, 23, 15, 4, 5);

export function fakeClock(startMs = START_MS) {
  let nowMs = startMs;
  let sleepers: { readonly dueMs: number; readonly wake: () => void }[] = [];
  const clock: Clock = {
    now: () => nowMs,
    monotonic: () => nowMs - startMs,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const sleeper = { dueMs: nowMs + ms, wake: resolve };
        sleepers.push(sleeper);
        signal?.addEventListener('abort', () => {
          sleepers = sleepers.filter((other) => other !== sleeper);
          reject(signal.reason as Error);
        });
      }),
  };
  return {
    ...clock,
    advance: (ms: number): void => {
      nowMs += ms;
      const due = sleepers.filter(({ dueMs }) => dueMs <= nowMs).sort((a, b) => a.dueMs - b.dueMs);
      sleepers = sleepers.filter((sleeper) => !due.includes(sleeper));
      for (const { wake } of due) wake();
    },
  };
}
