/** A clock that stands still until somebody sleeps or advances it; each of its hands can be set alone. */
import type { MachineClock } from '../../src/runtime/clock.js';

export interface FakeClock extends MachineClock {
  advance(ms: number): void;
  /** The machine sleeps: its monotonic clock does not count that, and what counts from its boot does. */
  doze(ms: number): void;
  /** Somebody sets the wall clock, by so much. */
  setWall(byMs: number): void;
  /** The machine starts anew. */
  reboot(): void;
  /** Every sleep that was asked for, in milliseconds. */
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
