import { describe, expect, it } from 'vitest';
import { type TimeTrust, ServiceClock } from '../../src/client/service-clock.js';
import { httpDate } from '../../src/runtime/clock.js';
import { fakeClock } from '../support/fake-clock.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const LOCAL_MS = Date.parse('2026-09-23T15:00:00Z');

const dated = (ms: number, ...more: (readonly [string, string])[]) => ({
  headers: [['Date', httpDate(ms)] as const, ...more],
});

function rig(belief: TimeTrust = {}) {
  const clock = fakeClock(LOCAL_MS);
  return { clock, service: new ServiceClock({ clock, ...belief }) };
}

describe("the service's time", () => {
  it('is that of its newest answer and what has passed since', () => {
    const { clock, service } = rig();
    expect([service.isTimeProved(), service.aheadMs]).toEqual([false, null]);
    service.hear(dated(LOCAL_MS - 8 * HOUR_MS), true);
    expect([service.isTimeProved(), service.aheadMs]).toEqual([true, -8 * HOUR_MS]);
    clock.advance(90_000);
    expect(service.now()).toBe(LOCAL_MS - 8 * HOUR_MS + 90_000);
    service.hear(dated(LOCAL_MS + HOUR_MS), true);
    expect(service.now()).toBe(LOCAL_MS + HOUR_MS);
  });

  it('is read once from the answers of one second, and counts on from the first of them', () => {
    const clock = fakeClock(LOCAL_MS);
    let looks = 0;
    const boot = () => {
      looks += 1;
      return clock.boot();
    };
    const service = new ServiceClock({ clock: { ...clock, boot } });
    for (let answers = 0; answers < 1000; answers += 1) {
      service.hear(dated(LOCAL_MS), true);
      clock.advance(0.5);
    }
    expect(looks).toBe(1);
    expect(service.now()).toBe(LOCAL_MS + 500);
    service.ageOf(service.moment());
    expect(looks).toBe(3);
  });

  it('does not move when the clock of this machine is set', () => {
    const { clock, service } = rig();
    service.hear(dated(LOCAL_MS), true);
    clock.setWall(8 * HOUR_MS);
    expect(service.now()).toBe(LOCAL_MS);
    clock.setWall(-16 * HOUR_MS);
    expect(service.now()).toBe(LOCAL_MS);
  });

  it('at another moment of the monotonic clock is as far away', () => {
    const { clock, service } = rig();
    const startedMs = clock.monotonic();
    clock.advance(30_000);
    service.hear(dated(LOCAL_MS), true);
    expect(service.at(startedMs)).toBe(LOCAL_MS - 30_000);
  });

  it('is that of this machine until an answer comes, as far ahead as it was last known to be', () => {
    const { clock, service } = rig();
    expect(service.now()).toBe(LOCAL_MS);
    service.assumeAhead(-8 * HOUR_MS);
    clock.advance(1000);
    expect(service.now()).toBe(LOCAL_MS - 8 * HOUR_MS + 1000);
  });

  it('is no earlier than anything it has told of, where no answer carries a date', () => {
    const { service } = rig();
    service.hear({ headers: [['Date', 'yesterday']] }, true);
    service.noteEventTime(LOCAL_MS + 2 * HOUR_MS);
    service.noteEventTime(LOCAL_MS + HOUR_MS);
    expect([service.isTimeProved(), service.now()]).toEqual([false, LOCAL_MS + 2 * HOUR_MS]);
  });
});

describe('an answer', () => {
  it('that may have been kept somewhere proves nothing, and is better than nothing', () => {
    const { service } = rig();
    service.hear(dated(LOCAL_MS + HOUR_MS), false);
    expect([service.isTimeProved(), service.now(), service.moment().serviceMs]).toEqual([
      false,
      LOCAL_MS + HOUR_MS,
      null,
    ]);
    service.hear(dated(LOCAL_MS), true);
    service.hear(dated(LOCAL_MS + HOUR_MS), false);
    expect([service.isTimeProved(), service.now()]).toEqual([true, LOCAL_MS]);
  });

  it.each([
    ['60 s ago', '60', true],
    ['61 s ago', '61', false],
    ['a day ago', '86400', false],
    ['at once', ' 0 ', true],
    ['some time ago', 'a while', false],
    ['nobody knows when', '', false],
  ])('that was made %s', (_name, age, isBelieved) => {
    const { service } = rig();
    service.hear(dated(LOCAL_MS, ['age', age]), true);
    expect([service.isTimeProved(), service.anchor !== null]).toEqual([isBelieved, isBelieved]);
  });

  it('of before the newest that was seen was kept somewhere, whatever it answers', () => {
    const { service } = rig();
    service.hear(dated(LOCAL_MS), true);
    service.hear(dated(LOCAL_MS - 61_000), true);
    expect(service.now()).toBe(LOCAL_MS);
    service.hear(dated(LOCAL_MS - 59_000), true);
    expect(service.now()).toBe(LOCAL_MS - 59_000);
    service.hear(dated(LOCAL_MS - 118_000), true);
    expect(service.now()).toBe(LOCAL_MS - 59_000);
  });

  it('of before the newest that an earlier process has seen, in any boot, proves nothing', () => {
    const { clock, service } = rig();
    service.remember({ serviceMs: LOCAL_MS, ...clock.boot() });
    clock.reboot();
    service.hear(dated(LOCAL_MS - 30 * HOUR_MS), true);
    expect([service.isTimeProved(), service.moment().serviceMs]).toEqual([false, null]);
  });

  it('of a sandbox that was reset goes back, and counts from there', () => {
    const { clock, service } = rig({ mayGoBack: true });
    service.remember({ serviceMs: LOCAL_MS + 90 * HOUR_MS, ...clock.boot() });
    service.hear(dated(LOCAL_MS), true);
    expect([service.now(), service.anchor?.serviceMs]).toEqual([LOCAL_MS, LOCAL_MS]);
  });

  it('that nobody can have kept proves the time, whatever was asked', () => {
    const { service } = rig({ isDirect: true });
    service.hear(dated(LOCAL_MS + HOUR_MS), false);
    expect([service.isTimeProved(), service.now()]).toEqual([true, LOCAL_MS + HOUR_MS]);
  });
});

describe('a moment', () => {
  it('has what was heard, and what has passed since, the sleep of the machine included', () => {
    const { clock, service } = rig();
    service.hear(dated(LOCAL_MS - 8 * HOUR_MS), true);
    clock.doze(2 * HOUR_MS);
    expect(service.moment()).toEqual({
      serviceMs: LOCAL_MS - 6 * HOUR_MS,
      wallMs: LOCAL_MS + 2 * HOUR_MS,
      ...clock.boot(),
    });
  });

  it('has what an earlier process of this boot has heard, and nothing of another boot', () => {
    const { clock, service } = rig();
    service.remember({ serviceMs: LOCAL_MS, ...clock.boot() });
    clock.advance(HOUR_MS);
    expect([service.isTimeProved(), service.moment().serviceMs]).toEqual([false, LOCAL_MS + HOUR_MS]);
    clock.reboot();
    expect(service.moment().serviceMs).toBe(null);
  });

  it('keeps the anchor for the next process', () => {
    const { clock, service } = rig();
    service.hear(dated(LOCAL_MS), true);
    const next = new ServiceClock({ clock });
    next.remember(service.anchor);
    expect(next.moment()).toEqual(service.moment());
  });
});

describe('an age', () => {
  it('counts what a machine has slept, which its monotonic clock does not', () => {
    const { clock, service } = rig();
    service.hear(dated(LOCAL_MS), true);
    const left = service.moment();
    clock.doze(25 * HOUR_MS);
    expect([service.ageOf(left), service.maySendAgain(left)]).toEqual([
      { kind: 'known', ms: 25 * HOUR_MS },
      false,
    ]);
  });

  it('is not known by what an earlier process has heard: since then the machine may have been frozen', () => {
    const { clock, service } = rig();
    service.remember({ serviceMs: LOCAL_MS, ...clock.boot() });
    const left = service.moment();
    clock.advance(HOUR_MS);
    expect(service.ageOf(left)).toEqual({ kind: 'time_unknown' });
    service.hear(dated(LOCAL_MS + 31 * HOUR_MS), true);
    expect(service.ageOf(left)).toEqual({ kind: 'known', ms: 31 * HOUR_MS });
  });

  it('is not known where a clock was set back: and what left in this process may go on', () => {
    const { clock, service } = rig();
    service.hear(dated(LOCAL_MS), true);
    const left = service.moment();
    clock.advance(2 * HOUR_MS);
    clock.setWall(-10 * HOUR_MS);
    expect(service.ageOf(left)).toMatchObject({ kind: 'clocks_disagree', back: { clock: 'machine' } });
    expect(service.maySendAgain(left)).toBe(true);
  });

  it('lets what left in this process go on where the service names no time, for 23 hours', () => {
    const { clock, service } = rig();
    const left = service.moment();
    clock.advance(23 * HOUR_MS);
    expect([service.ageOf(left).kind, service.maySendAgain(left)]).toEqual(['time_unknown', true]);
    clock.advance(1);
    expect(service.maySendAgain(left)).toBe(false);
  });

  it('counts by the database that machines share where another machine was there then', () => {
    const { clock, service } = rig();
    service.hear(dated(LOCAL_MS), true);
    const left = { ...service.moment(), bootId: 'another', wallMs: LOCAL_MS + 2 * HOUR_MS, sharedMs: 1000 };
    clock.advance(HOUR_MS);
    expect(service.ageOf(left, 1000 + HOUR_MS)).toEqual({ kind: 'known', ms: HOUR_MS });
    expect(service.ageOf(left, 1000 + 30 * HOUR_MS)).toEqual({ kind: 'known', ms: 30 * HOUR_MS });
    expect(service.ageOf(left).kind).toBe('clocks_disagree');
  });
});
