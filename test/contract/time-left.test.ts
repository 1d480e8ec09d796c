import { expect, it } from 'vitest';
import { countdown, timeLeft } from '../../src/contract/on-screen.js';

it.each([
  [-1, '0:00'],
  [0, '0:00'],
  [1, '0:01'],
  [272_000, '4:32'],
  [272_001, '4:33'],
  [3_599_000, '59:59'],
  [3_600_000, '60:00'],
])('counts %i ms down as %s', (ms, text) => expect(countdown(ms)).toBe(text));

it.each([
  [272_000, '4:32'],
  [3_599_000, '59:59'],
  [3_600_000, '1 h 0 min'],
  [172_799_999, '47 h 59 min'],
  [259_200_000, '72 h 0 min'],
])('says of %i ms: %s', (ms, text) => expect(timeLeft(ms)).toBe(text));
