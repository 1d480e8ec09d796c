import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../src/reconcile/finding.js';
import type { ComparedOperation, LedgerLine } from '../../../src/reconcile/line.js';
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

const OTHER_DAY = { date: '2026-11-03' };
const MANY = Array.from({ length: 10_000 }, (_, at) => line(at + 2, String(at + 100)));
const A = { reference: 'A' };

describe('suggests', () => {
  it.each<[string, LedgerLine[], ComparedOperation[], days?: number]>([
    ['one for one', [line(1, '10')], [paid(1, '10.00')]],
    ['beside others', [line(1, '10'), line(2, '4')], [paid(1, '10'), paid(2, '7'), paid(3, '7')]],
    ['of the days that were stated', [line(1, '10')], [paid(1, '10', OTHER_DAY)], 1],
    ['what has no day', [line(1, '10', { date: null })], [paid(1, '10')]],
    ['what says no currency', [line(1, '10', { currency: null })], [paid(1, '10')]],
  ])('%s', async (_what, lines, operations, days = 0) => {
    expect(await allSuggested(lines, operations, { days })).toContainEqual([[1], [1]]);
  });

  it.each<[string, LedgerLine[], ComparedOperation[], days?: number]>([
    ['where two operations fit', [line(1, '10')], [paid(1, '10'), paid(2, '10')]],
    ['where two lines fit', [line(1, '10'), line(2, '10')], [paid(1, '10')]],
    ['where another one fits on another day', [line(1, '10')], [paid(1, '10'), paid(2, '10', OTHER_DAY)]],
    ['of another currency', [line(1, '10')], [paid(1, '10', { currency: 'USD' })]],
    ['of another direction', [line(1, '10', { direction: 'payin' })], [paid(1, '10')]],
    ['of another sign', [line(1, '10'), line(2, '5', { isNegative: true })], [paid(1, '10')]],
    ['of another day', [line(1, '10')], [paid(1, '10', OTHER_DAY)]],
    [
      'what failed or is pending',
      [line(1, '10')],
      [paid(1, '10', { status: 'failed' }), paid(2, '10', { status: 'pending' })],
    ],
    ['for nothing', [line(1, '0')], [paid(1, '0')]],
    ['that adds up', [line(1, '10')], [paid(1, '4'), paid(2, '6')]],
    ['of lines that add up', [line(1, '4.5'), line(2, '5.50')], [paid(1, '10')]],
    ['that adds up within a name', [line(1, '10', A)], [paid(1, '4', A), paid(2, '6', A)]],
    ['where ten thousand others stand alone', [line(1, '10'), ...MANY], [paid(1, '10')]],
  ])('nothing %s', async (_what, lines, operations, days = 0) => {
    expect(await allSuggested(lines, operations, { days })).toEqual([null]);
  });
});
