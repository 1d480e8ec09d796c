import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TextArrays } from '../../src/events/into/postgres/postgres-table.js';

function read(bytes: Buffer): (string | null)[] {
  expect([0, 4, 8, 16].map((at) => bytes.readInt32BE(at))).toEqual([1, 1, 25, 1]);
  const texts: (string | null)[] = [];
  let at = 20;
  for (let left = bytes.readInt32BE(12); left > 0; left -= 1) {
    const length = bytes.readInt32BE(at);
    at += 4;
    texts.push(length === -1 ? null : bytes.toString('utf8', at, at + length));
    at += Math.max(0, length);
  }
  expect(at).toBe(bytes.length);
  return texts;
}

describe('the arrays of a batch', () => {
  it('are all whole until the next one is begun, however much they are', () => {
    const texts = fc.array(fc.option(fc.string({ unit: 'grapheme', maxLength: 200 })), { maxLength: 20 });
    const batches = fc.array(fc.array(texts, { maxLength: 8 }), { maxLength: 5 });
    fc.assert(
      fc.property(batches, (all) => {
        const arrays = new TextArrays();
        for (const columns of all) {
          arrays.clear();
          const written = columns.map((column) => arrays.array(column));
          expect(written.map(read)).toEqual(columns);
        }
      }),
    );
  });
});
