import type { Clock } from '../../src/runtime/clock.js';

export interface ManualClock extends Clock {
  advance(ms: number): Promise<void>;
  sleeping(): number;
}

export function manualClock(): ManualClock {
  let nowMs = 0;
  const sleepers = new Set<{ atMs: number; wake: () => void }>();
  return {
    now: () => nowMs,
    monotonic: () => nowMs,
    sleeping: () => sleepers.size,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const sleeper = { atMs: nowMs + ms, wake: resolve };
        const abort = (): void => {
          sleepers.delete(sleeper);
          reject(signal?.reason as Error);
        };
        if (signal?.aborted === true) {
          abort();
          return;
        }
        sleepers.add(sleeper);
        signal?.addEventListener('abort', abort, { once: true });
      }),
    advance: async (ms) => {
      nowMs += ms;
      for (const sleeper of [...sleepers].sort((a, b) => a.atMs - b.atMs)) {
        if (sleeper.atMs > nowMs || !sleepers.delete(sleeper)) continue;
        sleeper.wake();
        await settled();
      }
      await settled();
    },
  };
}

export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
