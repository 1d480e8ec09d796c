import { expect, it } from 'vitest';
import { BatchProgress, progressLine } from '../../src/batches/progress.js';
import type { RowState } from '../../src/storage/batches/row-state.js';
import type { TallyEntry } from '../../src/storage/batches/row.js';

const CURRENCIES = new Map([['VES', { decimals: 2, rows: 200, minor: 0n }]]);

function after(done: number): BatchProgress {
  const progress = new BatchProgress({ rows: 200, currencies: CURRENCIES });
  for (let row = 0; row < done; row += 1) {
    const state = row % 10 === 9 ? 'rejected' : 'confirmed';
    progress.add({ currency: 'VES', amount: '10.10' }, { state, code: null });
  }
  return progress;
}

function textOf(done: number, elapsedMs: number, columns: number | null, waits = false): string {
  const { bar, parts } = progressLine(after(done), elapsedMs, { columns, waits });
  const cells = bar === null ? [] : ['#'.repeat(bar.done) + '.'.repeat(bar.cells - bar.done)];
  const texts = parts.map(({ name, text }) => (name === 'problems' && columns !== null ? `x ${text}` : text));
  return [...cells, ...texts].join('  ');
}

it.each([
  [0, 0, null, '0 %  0/200 rows  0.0/s'],
  [50, 10_000, null, '25 %  50/200 rows  VES 454.50  5 problems  5.0/s  30 s left'],
  [200, 10_000, null, '100 %  200/200 rows  VES 1818.00  20 problems  20/s'],
  [1, 40_000, null, '0 %  1/200 rows  VES 10.10  0.0/s  2 h 12 min left'],
  [
    50,
    10_000,
    120,
    '#######.......................  25 %  50/200 rows  VES 454.50  x 5 problems  5.0/s  30 s left',
  ],
  [50, 10_000, 80, '####............  25 %  50/200 rows  VES 454.50  x 5 problems  5.0/s  30 s left'],
  [50, 10_000, 60, '##.......  50/200 rows  VES 454.50  x 5 problems  30 s left'],
  [50, 10_000, 40, '###.........  50/200 rows  x 5 problems'],
  [50, 10_000, 30, '####............  50/200 rows'],
  [50, 10_000, 20, '#.....  50/200 rows'],
  [50, 10_000, 14, '50/200 rows'],
  [50, 10_000, 6, '50/20'],
])('%i rows after %i ms in %s columns: %s', (done, elapsedMs, columns, text) => {
  expect(textOf(done, elapsedMs, columns)).toBe(text);
});

it('fits every width, whatever it holds', () => {
  for (let columns = 1; columns <= 130; columns += 1)
    for (const done of [0, 1, 50, 199, 200])
      expect(textOf(done, 40_000, columns).length, `${done} rows, ${columns} columns`).toBeLessThan(
        Math.max(columns, 2),
      );
});

it('says of rows that are waited for how many are final, and for how long already', () => {
  expect(textOf(50, 65_000, null, true)).toBe(
    '25 %  50/200 rows final  VES 454.50  5 problems  1 min 5 s so far',
  );
});

it('is of all who work at a batch, with the rate of this run and the time that all need', () => {
  const entry = (state: RowState, rows: number): TallyEntry => ({
    ...{ currency: 'VES', state, isSkipped: false, reason: null, rows, minor: BigInt(rows) * 1000n },
  });
  const all = new BatchProgress({ rows: 200, currencies: CURRENCIES }, [
    ...[entry('confirmed', 20), entry('planned', 170), { ...entry('earlier', 10), isSkipped: true }],
  ]);
  const text = (elapsedMs: number): string =>
    progressLine(all, elapsedMs, { columns: null, waits: false })
      .parts.map((part) => part.text)
      .join('  ');
  expect(text(0)).toBe('15 %  30/200 rows  VES 200.00  0.0/s');
  for (let row = 0; row < 10; row += 1)
    all.add({ currency: 'VES', amount: '10.00' }, { state: 'confirmed', code: null });
  expect(text(10_000)).toBe('20 %  40/200 rows  VES 300.00  1.0/s  2 min 40 s left');
  all.setCounts([entry('confirmed', 68), entry('rejected', 2), entry('planned', 120), entry('earlier', 10)]);
  for (let row = 0; row < 2; row += 1)
    all.add({ currency: 'VES', amount: '10.00' }, { state: 'unknown', code: null });
  expect(text(10_000)).toBe('41 %  82/200 rows  VES 680.00  14 problems  1.2/s  23 s left');
  all.setCounts([entry('confirmed', 68), entry('rejected', 2), entry('unknown', 2), entry('planned', 118)]);
  expect(text(10_000)).toBe('36 %  72/200 rows  VES 680.00  4 problems  1.2/s  31 s left');
});

it('counts a row that was left out once its payment is final: no money of this batch, and nothing problems', () => {
  const progress = after(0);
  const row = { currency: 'VES', amount: '10.10' };
  progress.add(row, { state: 'earlier', code: 'skipped_as_paid' });
  expect(progress).toMatchObject({ done: 1, problems: 0, money: new Map() });
  progress.add(row, { state: 'earlier', code: 'older_payment' });
  progress.add(row, { state: 'failed', code: 'rejected' });
  expect(progress).toMatchObject({ done: 3, problems: 2, money: new Map() });
});
