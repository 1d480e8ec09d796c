import { expect, it } from 'vitest';
import { durationMs, timeoutOf } from '../../../src/runtime/typed-time.js';

it.each([
  ['0s', 0],
  ['250ms', 250],
  ['30s', 30_000],
  ['5m', 300_000],
  ['48h', 172_800_000],
  ['2d', 172_800_000],
  ['366d', 31_622_400_000],
])('%s is %i ms', (text, ms) => expect(durationMs(text, '--for')).toBe(ms));

it.each(['', '5', 'h', '-5m', '1.5h', '5 m', '5M', '1w', '367d', '5m30s'])('%j is none', (text) => {
  expect(() => durationMs(text, '--for')).toThrow('--for must be a duration, for example');
});

it('a request gets half a minute, or what is asked for, and never no time at all', () => {
  expect([timeoutOf({}), timeoutOf({ timeout: '2s' })]).toEqual([30_000, 2000]);
  expect(() => timeoutOf({ timeout: '0s' })).toThrow('must be more than 0');
});
