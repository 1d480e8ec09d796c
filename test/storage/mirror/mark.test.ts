/** Stored files contain these marks, so the marks must never change. */
import { expect, it } from 'vitest';
import { shortMark } from '../../../src/storage/mirror/records.js';
import { uuid } from '../../feed/given.js';

it.each([
  [[''], 3338908027751811],
  [['emp-0001'], 5678494081293794],
  [[1, 'payout', 'emp-0001'], 5638817270174707],
  [[1, '6f1c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f'], 1267536765739383],
  [['ñandú 😀'], 3031626282911744],
] as const)('of %j', (parts, mark) => expect(shortMark(...parts)).toBe(mark));

it('are whole numbers, and differ for texts that are nearly the same', () => {
  const marks = new Set<number>();
  for (let number = 0; number < 200_000; number += 1) {
    marks
      .add(shortMark(1, `emp-${number}`))
      .add(shortMark(1, uuid(number)))
      .add(shortMark(2, `emp-${number}`));
  }
  expect(marks.size).toBe(600_000);
  expect([...marks].every((mark) => Number.isSafeInteger(mark) && mark >= 0)).toBe(true);
});

it('do not take the end of one part for the beginning of the next', () => {
  expect(shortMark('a', 'bc')).not.toBe(shortMark('ab', 'c'));
});
