/** What covers a line or an operation exactly and alone is suggested, and nothing that might be a guess. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/reconcile/finding.js';
import type { ComparedOperation, LedgerLine } from '../../../src/reconcile/line.js';
import { coverings } from '../../../src/reconcile/match/exact-sums.js';
import { ledgerLine, numberOf, operation, reconciled } from './given.js';

const line = (number: number, amount: string, about: Partial<LedgerLine> = {}): LedgerLine =>
  ledgerLine(number, { reference: `here-${number}`, amount, ...about });
const paid = (number: number, amount: string, about: Partial<ComparedOperation> = {}): ComparedOperation =>
  operation(number, { amount, ...about });

function suggested({ suggestion }: Finding): [number[], number[]] | null {
  return suggestion === null ? null : [[...suggestion.lines], suggestion.operations.map(numberOf)];
}

async function allSuggested(...given: Parameters<typeof reconciled>): Promise<unknown[]> {
  const { findings } = await reconciled(...given);
  return [...new Set(findings.map((finding) => JSON.stringify(suggested(finding))))].map(
    (text) => JSON.parse(text) as unknown,
  );
}

const A = { reference: 'A' };
const OTHER_DAY = { date: '2026-11-03' };
const DOZEN = Array.from({ length: 12 }, (_, index) => paid(index + 10, `${2 ** index}`));

describe('suggests', () => {
  it.each<[string, LedgerLine[], ComparedOperation[], unknown[], days?: number]>([
    [
      'several operations for a line',
      [line(1, '10')],
      [paid(1, '4'), paid(2, '6'), paid(3, '7')],
      [[[1], [1, 2]], null],
    ],
    ['several lines for an operation', [line(1, '4.5'), line(2, '5.50')], [paid(1, '10')], [[[1, 2], [1]]]],
    ['one for one', [line(1, '10')], [paid(1, '10')], [[[1], [1]]]],
    ['within a name', [line(1, '10', A)], [paid(1, '4', A), paid(2, '6', A)], [[[1], [1, 2]]]],
    ['of twelve', [line(1, '4095')], DOZEN, [[[1], DOZEN.map((_, index) => index + 10)]]],
    ['of the days that were stated', [line(1, '10')], [paid(1, '10', OTHER_DAY)], [[[1], [1]]], 1],
    ['what has no day', [line(1, '10', { date: null })], [paid(1, '10')], [[[1], [1]]]],
  ])('%s', async (_what, lines, operations, found, days = 0) => {
    expect(await allSuggested(lines, operations, { days })).toEqual(found);
  });

  it.each<[string, LedgerLine[], ComparedOperation[], days?: number]>([
    ['where two sets fit', [line(1, '10')], [paid(1, '4'), paid(2, '6'), paid(3, '10')]],
    ['where two lines fit', [line(1, '10'), line(2, '10')], [paid(1, '10')]],
    [
      'where nothing belongs to any sum',
      [line(1, '10')],
      [paid(1, '4'), paid(2, '6'), paid(3, '5'), paid(4, '5')],
    ],
    ['of another currency', [line(1, '10')], [paid(1, '10', { currency: 'USD' })]],
    ['of another direction', [line(1, '10', { direction: 'payin' })], [paid(1, '10')]],
    ['of another day', [line(1, '10')], [paid(1, '10', OTHER_DAY)]],
    ['of thirteen', [line(1, '4095')], [...DOZEN, paid(99, '5000')]],
    [
      'what failed or is pending',
      [line(1, '10')],
      [paid(1, '10', { status: 'failed' }), paid(2, '10', { status: 'pending' })],
    ],
    [
      'what failed, within a name',
      [line(1, '10', A)],
      [paid(1, '4', { ...A, status: 'failed' }), paid(2, '6', { ...A, status: 'failed' })],
    ],
    [
      'where another one fits that is near many',
      [line(1, '10')],
      [paid(98, '10'), paid(99, '10', OTHER_DAY), ...DOZEN.map((one) => ({ ...one, date: '2026-11-04' }))],
      1,
    ],
    ['for nothing', [line(1, '0')], [paid(1, '0')]],
    [
      'of many that are near others of which there are few',
      [line(1, '10')],
      [...DOZEN.map((one) => ({ ...one, ...OTHER_DAY })), paid(99, '10')],
      1,
    ],
  ])('nothing %s', async (_what, lines, operations, days = 0) => {
    expect(await allSuggested(lines, operations, { days })).toEqual([null]);
  });
});

it('finds a set where there is one, and none where there are two', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 60 }),
      fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 9 }),
      (target, amounts) => {
        const its = amounts.map((amount, row) => ({ row, currency: 'VES', amount: String(amount) }));
        const positive = its.filter(({ amount }) => amount !== '0');
        const sets = Array.from({ length: 2 ** positive.length }, (_, bits) =>
          positive.filter((__, index) => (bits >> index) & 1),
        ).filter(
          (set) => set.length > 0 && set.reduce((sum, { amount }) => sum + Number(amount), 0) === target,
        );
        const lines = [{ row: 0, currency: 'VES', amount: String(target) }];
        const found = coverings(lines, its, { toLine: () => its, toOperation: () => [] });
        const [only] = sets.map((set) => set.map(({ row }) => row));
        expect(found).toEqual(sets.length === 1 ? [{ lines: [0], operations: only }] : []);
      },
    ),
  );
});
