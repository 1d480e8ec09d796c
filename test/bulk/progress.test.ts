/** How far a run is, in one line: rows, rate, exact money, time left, in the width there is. */
import { expect, it } from 'vitest';
import { addMoney, progressText, type Progress } from '../../src/bulk/progress.js';

const CURRENCIES = new Map([['VES', { decimals: 2, rows: 200, minor: 0n }]]);

function after(done: number): Progress {
  const progress: Progress = { rows: 200, done: 0, problems: 0, money: new Map() };
  for (let row = 0; row < done; row += 1) {
    addMoney(
      progress,
      CURRENCIES,
      { currency: 'VES', amount: '10.10' },
      row % 10 === 9 ? 'rejected' : 'confirmed',
    );
  }
  return progress;
}

it.each([
  [0, 0, null, '0 %  0/200 rows  0.0/s'],
  [50, 10_000, null, '25 %  50/200 rows  5.0/s  VES 454.50  5 to look at  30 s left'],
  [200, 10_000, null, '100 %  200/200 rows  20/s  VES 1818.00  20 to look at'],
  [1, 40_000, null, '0 %  1/200 rows  0.0/s  VES 10.10  2 h 12 min left'],
  [
    50,
    10_000,
    100,
    '[########......................] 50/200 rows  5.0/s  VES 454.50  5 to look at  30 s left',
  ],
  [50, 10_000, 55, '50/200 rows  5.0/s  VES 454.50  5 to look at  30 s left'.replace('  5.0/s', '')],
  [50, 10_000, 40, '50/200 rows  VES 454.50  5 to look at'],
  [50, 10_000, 30, '50/200 rows  5 to look at'],
  [50, 10_000, 20, '[#....] 50/200 rows'],
  [50, 10_000, 14, '50/200 rows'],
  [50, 10_000, 6, '50/20'],
])('%i rows after %i ms in %s columns: %s', (done, elapsedMs, columns, text) => {
  expect(progressText(after(done), CURRENCIES, elapsedMs, columns)).toBe(text);
});
