import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FINDING_CLASSES, type FindingClass } from '../../../src/reconcile/finding.js';
import type { ComparedOperation, LedgerLine } from '../../../src/reconcile/line.js';
import { ledgerLine, operation, reconciled, short } from './given.js';

type Plant = (
  line: LedgerLine,
  one: ComparedOperation,
  next: number,
) => readonly [lines: LedgerLine[], operations: ComparedOperation[], found: FindingClass[]];

const PLANTS: Readonly<Record<string, Plant>> = {
  nothing: (line, one) => [[line], [one], ['matched']],
  amount: (line, one) => [[{ ...line, amount: '10.01' }], [one], ['amount_differs']],
  currency: (line, one) => [[{ ...line, currency: 'USD' }], [one], ['amount_differs']],
  failed: (line, one) => [[line], [{ ...one, status: 'failed' }], ['status_differs']],
  pending: (line, one) => [[line], [{ ...one, status: 'pending' }], ['pending']],
  day: (line, one) => [[{ ...line, date: '2026-11-05' }], [one], ['date_differs']],
  'no operation': (line) => [[line], [], ['only_here']],
  'no line': (_line, one) => [[], [one], ['only_there']],
  'the line again': (line, one, next) => [
    [line, { ...line, line: next }],
    [one],
    ['duplicate_here', 'matched'],
  ],
  'the operation again': (line, one, next) => [
    [line],
    [one, { ...one, id: operation(next).id }],
    line.id === null ? ['duplicate_there', 'matched'] : ['matched', 'only_there'],
  ],
  'a retry': (line, one, next) => [
    [line],
    [one, { ...one, id: operation(next).id, status: 'failed' }],
    ['matched'],
  ],
  'two of other amounts': (line, one, next) => [
    [{ ...line, id: null }],
    [
      { ...one, amount: '4' },
      { ...one, id: operation(next).id, amount: '5' },
    ],
    line.reference === null && line.bankReference === null
      ? ['only_here', 'only_there', 'only_there']
      : ['ambiguous'],
  ],
};

const NAMES: readonly ((index: number) => Pick<LedgerLine, 'id' | 'reference' | 'bankReference'>)[] = [
  (index) => ({ id: operation(index).id, reference: null, bankReference: null }),
  (index) => ({ id: null, reference: ` ORDER–${index}`, bankReference: null }),
  (index) => ({ id: null, reference: null, bankReference: `bank-${index}` }),
];

it('finds what was planted and nothing else', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom(...Object.keys(PLANTS)), fc.nat({ max: 2 }), fc.nat()), {
        minLength: 1,
        maxLength: 60,
      }),
      async (plants) => {
        const all = plants.map(([what, by, order], index) => {
          const names = { ...NAMES[by]!(index) };
          const one = operation(index, { bankReference: `bank-${index}`, amount: '10.00' });
          const [lines, operations, found] = PLANTS[what]!(ledgerLine(index + 1, names), one, 1000 + index);
          return { lines, operations, found, order };
        });
        const mixed = all.toSorted((a, b) => a.order - b.order);
        const { findings, agrees } = await reconciled(
          mixed.flatMap(({ lines }) => lines),
          mixed.toReversed().flatMap(({ operations }) => operations),
        );
        const expected = all.flatMap(({ found }) => found);
        expect(findings.map((finding) => finding.class)).toEqual(
          expected.toSorted((a, b) => FINDING_CLASSES.indexOf(a) - FINDING_CLASSES.indexOf(b)),
        );
        expect(agrees).toBe(expected.every((name) => name === 'matched'));
        for (const [, [line], [id]] of findings.map(short))
          if (line !== undefined && id !== undefined)
            expect((id % 1000) + 1).toBe(line > 999 ? line - 999 : line);
      },
    ),
    { numRuns: 150 },
  );
});
