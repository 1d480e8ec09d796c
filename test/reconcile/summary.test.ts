import { expect, it } from 'vitest';
import { shownSummary, totalRows } from '../../src/reconcile/findings-shown.js';
import { resultOf } from './given.js';

const side = (count: number, amount: string) => ({ count, amount });

it('stands with the totals in the last line, and has a row of its own for each of them that is there', () => {
  const sums = [
    { class: 'status_differs', currency: 'VES', here: side(3, '0.3'), there: side(2, '0.1') },
  ] as const;
  const totals = [
    {
      ...{ currency: 'VES', here: side(3, '0.3'), there: side(1, '0.1') },
      ...{ pending: side(0, '0.0'), failed: side(1, '90071992547409931.05') },
    },
  ];
  const result = resultOf({ sums, totals, lines: 3, operations: 2 });
  const summary = shownSummary(result, { from: '2026-11-01', to: null }, '2026-11-22T10:00:00Z', 2);
  expect(summary).toEqual({
    ...{ agrees: false, lines: 3, operations: 2, outside: { lines: 0, operations: 0 }, failed: 0 },
    ...{ skipped: 2, within_tolerance: 0, from: '2026-11-01', to: null, known_until: '2026-11-22T10:00:00Z' },
    ...{ sums, totals },
  });
  expect(totalRows(totals)).toEqual([
    { words: 'total', currency: 'VES', here: side(3, '0.3'), there: side(1, '0.1') },
    { words: 'total failed', currency: 'VES', here: null, there: side(1, '90071992547409931.05') },
  ]);
});
