/** The clock stands still until somebody sleeps or advances it. */
import type { MachineClock } from '../../src/runtime/clock.js';

export interface FakeClock extends MachineClock {
  advance(ms: number): void;
  /** The machine sleeps: its monotonic clock stops, and its boot clock goes on. */
  doze(ms: number): void;
  setWall(byMs: number): void;
  reboot(): void;
  readonly sleeps: number[];
}

export function fakeClock(startMs: number): FakeClock {
  let [wallMs, monotonicMs, bootMs, boots] = [startMs, startMs, 3_600_000, 1];
  const sleeps: number[] = [];
  const advance = (ms: number): void => {
    wallMs += ms;
    monotonicMs += ms;
    bootMs += ms;
  };
  return {
    sleeps,
    now: () => wallMs,
    monotonic: () => monotonicMs,
    boot: () => ({ bootId: `boot-${String(boots)}`, bootMs }),
    advance,
    doze: (ms) => {
      wallMs += ms;
      bootMs += ms;
    },
    setWall: (byMs) => {
      wallMs += byMs;
    },
    reboot: () => {
      boots += 1;
      bootMs = 0;
    },
    sleep: (ms, signal) => {
      if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
      sleeps.push(ms);
      advance(ms);
      return Promise.resolve();
    },
  };
}
