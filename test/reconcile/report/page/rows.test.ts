import { expect, it } from 'vitest';
import { selectRows, rowOf, SORT_KEYS, type Choice } from '../../../../src/reconcile/report/page/rows.js';
import { shownFinding } from '../../../../src/reconcile/findings-shown.js';
import { findingOf, lineOf, operationOf } from '../../given.js';

const showing = { where: [], hasNegatives: false, currency: null, decimals: new Map() };
const given = [
  ['ambiguous', '9.50', 'VES'],
  ['amount_differs', '10.00', 'USD'],
  ['amount_differs', '1000.00', 'VES'],
  ['only_here', '9.5', 'VES'],
] as const;
const rows = given.map(([kind, amount, currency], at) =>
  rowOf(
    shownFinding(
      findingOf(kind, {
        here: [lineOf({ line: 10 - at, reference: `Ref-${String(at)}`, amount, currency })],
        there: kind === 'only_here' ? [] : [operationOf({ currency, amount: null })],
      }),
      showing,
    ),
    at,
  ),
);
const ALL: Choice = { classes: new Set(), currency: '', text: '', sort: 'class', isDescending: false };
const places = (choice: Partial<Choice>): number[] =>
  selectRows(rows, { ...ALL, ...choice }).map(({ at }) => at);

it('stand as they came, the worst first', () => {
  expect(places({})).toEqual([0, 1, 2, 3]);
  expect(places({ isDescending: true })).toEqual([3, 2, 1, 0]);
});

it.each([
  ['here', [0, 3, 1, 2], [2, 1, 0, 3]],
  ['line', [3, 2, 1, 0], [0, 1, 2, 3]],
  ['reference', [0, 1, 2, 3], [3, 2, 1, 0]],
] as const)('are sorted by %s', (sort, up, down) => {
  expect(places({ sort })).toEqual(up);
  expect(places({ sort, isDescending: true })).toEqual(down);
});

it('keep their order where they are equal', () => {
  expect(places({ sort: 'date' })).toEqual([0, 1, 2, 3]);
  expect(places({ sort: 'date', isDescending: true })).toEqual([0, 1, 2, 3]);
  expect(SORT_KEYS).toContain('there');
});

it('are filtered by class, by currency and by any text in them', () => {
  expect(places({ classes: new Set(['amount_differs', 'only_here']) })).toEqual([1, 2, 3]);
  expect(places({ currency: 'USD' })).toEqual([1]);
  expect(places({ text: ' REF-2 ' })).toEqual([2]);
  expect(places({ text: 'line 10' })).toEqual([0]);
  expect(places({ text: 'svc operations find -- Ref-3' })).toEqual([3]);
  expect(places({ classes: new Set(['ambiguous']), currency: 'USD' })).toEqual([]);
});
