import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { systemClock, systemZone } from '../../src/runtime/clock.js';

const DAY_MS = 86_400_000;

beforeEach(() => {
  // Fake timers overflow as real timers do: beyond 2^31-1 ms a timer fires after 1 ms.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => void vi.useRealTimers());

it.each([1, 24, 25, 60])('waits %i days, and no less', async (days) => {
  let isOver = false;
  const slept = systemClock.sleep(days * DAY_MS).then(() => (isOver = true));
  await vi.advanceTimersByTimeAsync(days * DAY_MS - 1);
  expect(isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(await slept).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});

it('is stopped in its second timer', async () => {
  const controller = new AbortController();
  const slept = systemClock.sleep(60 * DAY_MS, controller.signal);
  const ended = expect(slept).rejects.toThrow('enough');
  await vi.advanceTimersByTimeAsync(30 * DAY_MS);
  controller.abort(new Error('enough'));
  await ended;
  expect(vi.getTimerCount()).toBe(0);
});

const { TZ } = process.env;
afterEach(() => void (process.env['TZ'] = TZ));

it.each([
  ['UTC', '2026-07-01T00:00:00Z', 0],
  ['America/Caracas', '2026-07-01T00:00:00Z', -240],
  ['Asia/Kolkata', '2026-07-01T00:00:00Z', 330],
  ['Asia/Kathmandu', '2026-07-01T00:00:00Z', 345],
  ['America/St_Johns', '2026-01-01T00:00:00Z', -210],
  ['Europe/Berlin', '2026-03-29T00:59:59Z', 60],
  ['Europe/Berlin', '2026-03-29T01:00:00Z', 120],
  ['Europe/Berlin', '2026-10-25T00:59:59Z', 120],
  ['Europe/Berlin', '2026-10-25T01:00:00Z', 60],
  ['Australia/Lord_Howe', '2026-01-01T00:00:00Z', 660],
  ['Australia/Lord_Howe', '2026-07-01T00:00:00Z', 630],
])('%s at %s is %i minutes east of UTC', (name, at, minutes) => {
  process.env['TZ'] = name;
  expect(systemZone.offsetMinutes(Date.parse(at)) + 0).toBe(minutes);
});
