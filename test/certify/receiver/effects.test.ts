import { expect, it } from 'vitest';
import { effectWaits } from '../../../src/certify/receiver/effects.js';
import { virtualTime } from '../support/virtual-time.js';

function shown(...steps: readonly (readonly [fromMs: number, text: string])[]) {
  const time = virtualTime('2026-09-23T15:00:00Z');
  const startMs = time.now();
  const elapsedMs = (): number => time.now() - startMs;
  const look = () => Promise.resolve(steps.findLast(([fromMs]) => elapsedMs() >= fromMs)?.[1] ?? '');
  return { time, elapsedMs, look, waits: effectWaits(time, 3000, new AbortController().signal) };
}

it('waits for an effect of several steps until it stands still', async () => {
  const { time, look, waits, elapsedMs } = shown([0, 'new'], [100, 'packing'], [300, 'shipped']);
  expect(await time.run(waits.untilStill(look, 'new'))).toBe('shipped');
  expect(waits.effectMs()).toBe(300);
  expect(elapsedMs()).toBe(1200);
  await time.run(waits.outlast());
  expect(elapsedMs()).toBe(2100);
});

it('gives up at the limit, and no wait is longer than that', async () => {
  const never = shown([0, 'new']);
  expect(await never.time.run(never.waits.untilStill(never.look, 'new'))).toBe('new');
  expect([never.elapsedMs(), never.waits.effectMs()]).toEqual([3000, 0]);
  const slow = shown([0, 'new'], [2900, 'shipped']);
  expect(await slow.time.run(slow.waits.untilStill(slow.look, 'new'))).toBe('shipped');
  expect(slow.elapsedMs()).toBe(5900);
});

it('does not wait for ever for what never stands still', async () => {
  const { time, waits, elapsedMs } = shown();
  const look = () => Promise.resolve(String(Math.floor(elapsedMs() / 100)));
  await time.run(waits.untilStill(look, '0'));
  expect(elapsedMs()).toBeLessThan(3000 * 3 + 200);
});

it('takes another limit for one wait', async () => {
  const { time, look, waits, elapsedMs } = shown([0, 'new']);
  expect(await time.run(waits.untilChanged(look, 'new', 500))).toBe('new');
  expect(elapsedMs()).toBe(500);
});
