/** Waits of any length: what one timer cannot hold is waited for in several. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/runtime/clock.js';

const DAY_MS = 86_400_000;

beforeEach(() => {
  // They overflow as the machine's own do: beyond 2^31-1 ms a timer fires after 1 ms.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

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
