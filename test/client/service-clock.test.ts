/** The service's time: from its answers, over clocks that are wrong, set, or asleep. */
import { describe, expect, it } from 'vitest';
import { ServiceClock } from '../../src/client/service-clock.js';
import { httpDate, type Clock } from '../../src/runtime/clock.js';

const HOUR_MS = 3_600_000;
const LOCAL_MS = Date.parse('2026-09-23T15:00:00Z');

/** A machine whose wall clock and monotonic clock move as they are told. */
function machine() {
  const hands = { wallMs: LOCAL_MS, monotonicMs: 5000 };
  const clock: Clock = {
    now: () => hands.wallMs,
    monotonic: () => hands.monotonicMs,
    sleep: () => Promise.resolve(),
  };
  const pass = (ms: number): void => {
    hands.wallMs += ms;
    hands.monotonicMs += ms;
  };
  return { hands, clock, pass };
}

const dated = (ms: number) => ({ headers: [['Date', httpDate(ms)]] as const });

describe("the service's time", () => {
  it('is that of its newest answer and what has passed since', () => {
    const { clock, pass } = machine();
    const service = new ServiceClock({ clock });
    expect([service.isHeard(), service.aheadMs]).toEqual([false, null]);
    service.hear(dated(LOCAL_MS - 8 * HOUR_MS));
    expect([service.isHeard(), service.aheadMs]).toEqual([true, -8 * HOUR_MS]);
    pass(90_000);
    expect(service.now()).toBe(LOCAL_MS - 8 * HOUR_MS + 90_000);
    service.hear(dated(LOCAL_MS + HOUR_MS));
    expect(service.now()).toBe(LOCAL_MS + HOUR_MS);
  });

  it('does not move when the clock of this machine is set', () => {
    const { hands, clock } = machine();
    const service = new ServiceClock({ clock });
    service.hear(dated(LOCAL_MS));
    hands.wallMs += 8 * HOUR_MS;
    expect(service.now()).toBe(LOCAL_MS);
    hands.wallMs -= 16 * HOUR_MS;
    expect(service.now()).toBe(LOCAL_MS);
  });

  it('at another moment of the monotonic clock is as far away', () => {
    const { hands, clock, pass } = machine();
    const service = new ServiceClock({ clock });
    const startedMs = hands.monotonicMs;
    pass(30_000);
    service.hear(dated(LOCAL_MS));
    expect(service.at(startedMs)).toBe(LOCAL_MS - 30_000);
  });

  it('is that of this machine until an answer comes, as far ahead as it was last known to be', () => {
    const { clock, pass } = machine();
    const service = new ServiceClock({ clock });
    expect(service.now()).toBe(LOCAL_MS);
    service.expect(-8 * HOUR_MS);
    pass(1000);
    expect(service.now()).toBe(LOCAL_MS - 8 * HOUR_MS + 1000);
  });

  it('is no earlier than anything it has told of, where no answer carries a date', () => {
    const { clock } = machine();
    const service = new ServiceClock({ clock });
    service.hear({ headers: [['Date', 'yesterday']] });
    service.atLeast(LOCAL_MS + 2 * HOUR_MS);
    service.atLeast(LOCAL_MS + HOUR_MS);
    expect([service.isHeard(), service.now()]).toEqual([false, LOCAL_MS + 2 * HOUR_MS]);
  });
});

describe('an age', () => {
  it('counts what a machine has slept, which its monotonic clock does not', () => {
    const { hands, clock, pass } = machine();
    const service = new ServiceClock({ clock });
    service.hear(dated(LOCAL_MS));
    const leftMs = service.now();
    pass(HOUR_MS);
    hands.wallMs += 24 * HOUR_MS;
    expect(service.ageMs(leftMs)).toBe(25 * HOUR_MS);
    expect(service.now() - leftMs).toBe(HOUR_MS);
  });

  it('does not shrink when the clock of this machine is set back', () => {
    const { hands, clock, pass } = machine();
    const service = new ServiceClock({ clock });
    service.hear(dated(LOCAL_MS));
    const leftMs = service.now();
    pass(2 * HOUR_MS);
    hands.wallMs -= 10 * HOUR_MS;
    expect(service.ageMs(leftMs)).toBe(2 * HOUR_MS);
  });
});
