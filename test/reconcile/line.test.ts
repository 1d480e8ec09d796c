import { expect, it } from 'vitest';
import { directionOf } from '../../src/reconcile/line.js';

it.each([
  ['its column', { direction: 'payin', isNegative: true }, true, 'payin'],
  ['its sign, where money goes out', { direction: null, isNegative: true }, true, 'payout'],
  ['its sign, where money comes in', { direction: null, isNegative: false }, true, 'payin'],
  ['nothing, where no line of the file is negative', { direction: null, isNegative: false }, false, null],
] as const)('the direction of a line follows from %s', (_from, line, hasNegatives, direction) => {
  expect(directionOf(line, hasNegatives)).toBe(direction);
});
