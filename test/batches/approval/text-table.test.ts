import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TextTable } from '../../../src/batches/approval/text-table.js';

it('numbers as a map of them would', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 12 }), { maxLength: 300 }), (texts) => {
      const table = new TextTable();
      const known = new Map<string, number>();
      for (const text of texts) {
        expect(table.find(text)).toBe(known.get(text) ?? -1);
        if (!known.has(text)) known.set(text, known.size);
        expect(table.add(text)).toBe(known.get(text));
      }
      expect(table.size).toBe(known.size);
      for (const [text, number] of known) expect(table.find(text)).toBe(number);
    }),
    { numRuns: 300 },
  );
});

it('keeps many apart, in several steps of growth', () => {
  const table = new TextTable();
  const name = (at: number): string => `emp-${at}-${'ñ'.repeat(at % 5)}`;
  for (let at = 0; at < 20_000; at += 1) expect(table.add(name(at))).toBe(at);
  for (let at = 0; at < 20_000; at += 1) expect(table.find(name(at))).toBe(at);
  expect(table.find('emp-20000-')).toBe(-1);
});
