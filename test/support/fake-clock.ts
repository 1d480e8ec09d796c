/** A clock that stands still until somebody sleeps or advances it. */
import type { Clock } from '../../src/runtime/clock.js';

export interface FakeClock extends Clock {
  advance(ms: number): void;
  /** Every sleep that was asked for, in milliseconds. */
  readonly sleeps: number[];
}

/** Sleeping takes no time and moves the clock by as much as was asked for. */
export function fakeClock(startMs: number): FakeClock {
  let nowMs = startMs;
  const sleeps: number[] = [];
  return {
    sleeps,
    now: () => nowMs,
    monotonic: () => nowMs,
    advance: (ms) => {
      nowMs += ms;
    },
    sleep: (ms, signal) => {
      if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
      sleeps.push(ms);
      nowMs += ms;
      return Promise.resolve();
    },
  };
}
