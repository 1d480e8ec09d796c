/** Time that passes only while everybody waits: waits of several at once end in their order, and none takes any time. */
import type { Clock } from '../../../src/runtime/clock.js';

export interface VirtualTime extends Clock {
  /** Does the work at that time, whoever waits for what. */
  after(ms: number, work: () => void): void;
  /** Lets time pass until the work is done. */
  run<T>(work: Promise<T>): Promise<T>;
}

interface Timer {
  readonly atMs: number;
  readonly work: () => void;
}

export function virtualTime(startIso: string): VirtualTime {
  let nowMs = Date.parse(startIso);
  const timers: Timer[] = [];
  const after = (ms: number, work: () => void): void => {
    const atMs = nowMs + ms;
    const later = timers.findIndex((timer) => timer.atMs > atMs);
    timers.splice(later === -1 ? timers.length : later, 0, { atMs, work });
  };
  return {
    after,
    now: () => nowMs,
    monotonic: () => nowMs,
    sleep: (ms) => new Promise((resolve) => after(ms, resolve)),
    run: async (work) => {
      const ended = new AbortController();
      const done = work.finally(() => ended.abort());
      done.catch(() => undefined);
      for (;;) {
        await new Promise<void>((resolve) => setImmediate(resolve));
        if (ended.signal.aborted) return done;
        const next = timers.shift();
        if (next === undefined) throw new Error('everybody waits, and for nothing');
        nowMs = next.atMs;
        next.work();
      }
    },
  };
}
