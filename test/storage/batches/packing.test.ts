import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ROW_STATES } from '../../../src/storage/batches/row-state.js';
import { packResults, RowPacker, unpackResults } from '../../../src/storage/batches/threaded-store.js';
import { UnpackedRows } from '../../../src/storage/batches/threaded-store.js';
import { momentAt } from '../../support/moments.js';

const text = fc.string({ unit: 'binary' }).map((value) => value.toWellFormed());
const state = fc.constantFrom(...ROW_STATES);
const row = fc.record({
  ...{ number: fc.nat(), line: fc.nat(), reference: text, currency: text, amount: text, key: text },
  ...{ follows: fc.option(fc.string(), { nil: null }), generation: fc.nat(), stateBefore: state, body: text },
  ...{ sentAtMs: fc.nat({ max: Number.MAX_SAFE_INTEGER }), sentMoment: fc.nat().map(momentAt) },
});
const maybe = fc.option(text);
const result = fc.record({
  ...{ number: fc.nat(), state, sentAtMs: fc.option(fc.nat()), operation: maybe, status: maybe },
  operationAtMs: fc.option(fc.nat({ max: Number.MAX_SAFE_INTEGER })),
  ...{ code: maybe, detail: maybe },
});

it('gives back the rows, each with the bytes of its body, from either end', () => {
  const rows = fc.array(row, { maxLength: 40 });
  fc.assert(
    fc.property(rows, (given) => {
      const packer = new RowPacker();
      for (const one of given) packer.add(one);
      const unpacked = new UnpackedRows(structuredClone(packer.packed()));
      const expected = given.map(({ body, ...rest }) => ({ ...rest, body: Buffer.from(body) }));
      expect([...unpacked]).toEqual(expected);
      expect(unpacked.length).toBe(given.length);
      expect(unpacked.at(-1)).toEqual(expected.at(-1));
      expect(unpacked.at(given.length)).toBeUndefined();
    }),
  );
});

it('holds rows of any size', () => {
  const body = 'é'.repeat(100_000);
  const packer = new RowPacker();
  const common = { line: 2, reference: 'r', currency: 'VES', amount: '1', follows: null, generation: 1 };
  const claimed = { stateBefore: 'planned', sentAtMs: 1, sentMoment: momentAt(1), body } as const;
  const one = { ...common, key: 'k', ...claimed };
  for (const number of [0, 1, 2]) packer.add({ ...one, number });
  const bodies = [...new UnpackedRows(packer.packed())].map((one) => Buffer.from(one.body).toString());
  expect(bodies).toEqual([body, body, body]);
});

it('gives back the results', () => {
  fc.assert(
    fc.property(fc.array(result), (given) => {
      expect([...unpackResults(structuredClone(packResults(given)))]).toEqual(given);
    }),
  );
});
