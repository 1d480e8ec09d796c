/** What a reconciliation comes to: the totals are the sums of the classes, to the last digit. */
import { expect, it } from 'vitest';
import { shownSummary } from '../../src/reconcile/shown.js';
import { resultOf } from './given.js';

const side = (count: number, amount: string) => ({ count, amount });

it('adds up the classes of each currency, exactly', () => {
  const sums = [
    { class: 'matched', currency: 'VES', here: side(2, '0.1'), there: side(2, '0.1') },
    { class: 'only_here', currency: 'VES', here: side(1, '0.2'), there: side(0, '0') },
    { class: 'only_here', currency: 'USD', here: side(1, '90071992547409931.05'), there: side(0, '0') },
    { class: 'only_there', currency: null, here: side(0, '0'), there: side(1, '0') },
  ] as const;
  const summary = shownSummary(resultOf({ sums, lines: 4, operations: 3 }), {
    ...{ from: '2026-11-01', to: null, knownUntil: '2026-11-22T10:00:00Z', withinTolerance: 0, skipped: 2 },
  });
  expect(summary).toEqual({
    ...{ agrees: false, lines: 4, operations: 3, outside: { lines: 0, operations: 0 }, failed: 0 },
    ...{
      skipped: 2,
      within_tolerance: 0,
      from: '2026-11-01',
      to: null,
      known_until: '2026-11-22T10:00:00Z',
      sums,
    },
    totals: [
      { currency: 'VES', here: side(3, '0.3'), there: side(2, '0.1') },
      { currency: 'USD', here: side(1, '90071992547409931.05'), there: side(0, '0') },
      { currency: null, here: side(0, '0'), there: side(1, '0') },
    ],
  });
});
