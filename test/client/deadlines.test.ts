/** Many time limits on one timer: each passes once, in its time, and a lifted one never. */
import { expect, it } from 'vitest';
import { Deadlines } from '../../src/client/deadlines.js';
import { manualClock } from '../events/manual-clock.js';

function setting() {
  const clock = manualClock();
  const passed: string[] = [];
  const deadlines = new Deadlines(clock);
  const set = (name: string, ms: number): (() => void) => deadlines.set(ms, () => passed.push(name));
  return { clock, passed, set };
}

it('passes each limit in its own time', async () => {
  const { clock, passed, set } = setting();
  set('late', 300);
  set('early', 100);
  set('between', 200);
  await clock.advance(99);
  expect(passed).toEqual([]);
  await clock.advance(1);
  expect(passed).toEqual(['early']);
  await clock.advance(100);
  expect(passed).toEqual(['early', 'between']);
  await clock.advance(100);
  expect(passed).toEqual(['early', 'between', 'late']);
  expect(clock.sleeping()).toBe(0);
});

it('passes no limit that was lifted, and waits for nothing when none is left', async () => {
  const { clock, passed, set } = setting();
  const [first, second] = [set('first', 100), set('second', 200)];
  first();
  await clock.advance(150);
  second();
  expect(clock.sleeping()).toBe(0);
  await clock.advance(500);
  expect(passed).toEqual([]);
  set('third', 50);
  await clock.advance(50);
  expect(passed).toEqual(['third']);
});

it('sets a limit from within another', async () => {
  const { clock, passed, set } = setting();
  const deadlines = new Deadlines(clock);
  deadlines.set(10, () => set('next', 20));
  await clock.advance(10);
  await clock.advance(20);
  expect(passed).toEqual(['next']);
});
