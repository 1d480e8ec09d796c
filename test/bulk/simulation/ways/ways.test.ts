/** Every state of a payment has a line out: whoever types what is printed comes to an end, and nobody is paid twice. */
import { expect, it } from 'vitest';
import { CELLS } from './cells.js';
import { walk } from './walk.js';

it.each(CELLS)('a $of that is $state, where the service has: $answer', async (cell) => {
  const { lines, end, payments, trace } = await walk(cell);
  expect({ lines, end }, trace).toEqual({ lines: cell.lines, end: cell.end });
  expect(payments, trace).toBeLessThanOrEqual(1);
});
