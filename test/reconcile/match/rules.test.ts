import { describe, expect, it } from 'vitest';
import type { MatchRules } from '../../../src/reconcile/rules.js';
import { ledgerLine as line, operation, reconciled, settled, told } from './given.js';

const TOLERANCE = { tolerances: [{ currency: 'VES', amount: '0.01' }] };
const FEE = { fees: [{ currency: 'VES', percent: '0.5' }] };

describe('a tolerance', () => {
  it.each<[amount: string, rules: Partial<MatchRules>, found: string, said: string[]]>([
    ['100.00', { ...TOLERANCE, ...FEE, days: 2 }, 'matched', []],
    ['100.01', TOLERANCE, 'matched', ['VES:0.01']],
    ['99.99', TOLERANCE, 'matched', ['VES:0.01']],
    ['100.011', TOLERANCE, 'amount_differs', []],
    ['100.01', { tolerances: [{ currency: 'USD', amount: '0.01' }] }, 'amount_differs', []],
    ['99.50', FEE, 'matched', ['fee VES:0.5%']],
    ['100.50', FEE, 'matched', ['fee VES:0.5%']],
    ['99.499999', FEE, 'amount_differs', []],
    ['99.49', { ...FEE, ...TOLERANCE }, 'matched', ['VES:0.01', 'fee VES:0.5%']],
    ['99.48', { ...FEE, ...TOLERANCE }, 'amount_differs', []],
  ])('%s for 100.00 with %j', async (amount, rules, found, said) => {
    const { findings } = await reconciled([line(1, { amount })], [operation(1, { amount: '100.00' })], rules);
    expect(findings.map((one) => [one.class, one.tolerances])).toEqual([[found, said]]);
  });

  it.each<[days: number, date: string, found: string, said: string[]]>([
    [2, '2026-11-04', 'matched', ['2 days']],
    [1, '2026-11-01', 'matched', ['1 day']],
    [1, '2026-11-04', 'date_differs', []],
    [2, '2026-11-02', 'matched', []],
  ])('of %i days, paid on %s', async (days, date, found, said) => {
    const { findings } = await reconciled([line(1)], [operation(1, { date })], { days });
    expect(findings.map((one) => [one.class, one.tolerances])).toEqual([[found, said]]);
  });

  it('decides nothing between two that are within it', async () => {
    const R = { reference: 'A' };
    const its = [operation(1, { ...R, amount: '9.99' }), operation(2, { ...R, amount: '10.01' })];
    const { findings } = await reconciled([line(1, R)], its, TOLERANCE);
    expect(told(findings)).toBe('ambiguous 1/1+2');
    const exact = await reconciled([line(1, R)], [...its, operation(3, R)], TOLERANCE);
    expect(told(exact.findings)).toBe('duplicate_there /2, duplicate_there /1, matched 1/3');
  });
});

describe('a currency that no line names', () => {
  const unnamed = [line(3, { currency: null }), line(2, { currency: null }), line(4)];
  const usd = operation(9, { currency: 'USD', status: 'failed' });

  it('is what was stated, else the only one on the other side', async () => {
    const one = await reconciled(unnamed, [operation(2)]);
    expect(one.sums.map(({ currency }) => currency)).toEqual(['VES', 'VES']);
    const stated = await reconciled(unnamed, [operation(2), usd], { currency: 'USD' });
    expect(told(stated.findings)).toBe('amount_differs 2/2, only_here 3/, only_here 4/');
  });

  it.each([
    [[], []],
    [
      [operation(2), usd],
      ['USD', 'VES'],
    ],
    [[operation(2, { currency: null })], []],
  ])('is asked for otherwise', async (operations, currencies) => {
    const { settled: answer, findings } = await settled(unnamed, operations);
    expect(answer).toEqual({ kind: 'no_currency', line: 2, currencies });
    expect(findings).toEqual([]);
  });

  it('is none where there is no such line', async () => {
    expect((await reconciled([line(1)], [operation(1), usd])).agrees).toBe(true);
  });
});

describe('days that are looked at', () => {
  const NOVEMBER = { from: '2026-11-01', to: '2026-11-30' };

  it('hold whatever belongs to something of theirs, so that nothing at their edge is only on one side', async () => {
    const { findings, outside } = await reconciled(
      [
        line(1, { date: '2026-11-30' }),
        line(2, { date: '2026-10-31' }),
        line(3, { date: '2026-10-31' }),
        line(4, { date: null }),
      ],
      [
        operation(1, { date: '2026-12-01' }),
        operation(2, { date: '2026-11-01' }),
        operation(3, { date: '2026-10-31' }),
        operation(5, { date: '2026-12-01' }),
      ],
      NOVEMBER,
    );
    expect(told(findings)).toBe('date_differs 1/1, date_differs 2/2, only_here 4/');
    expect(outside).toEqual({ lines: 1, operations: 2 });
  });

  it('begin and end with their first and last', async () => {
    const of = (number: number, date: string) => line(number, { date });
    const { findings } = await reconciled(
      [of(1, '2026-10-31'), of(2, '2026-11-01'), of(3, '2026-11-30'), of(4, '2026-12-01')],
      [],
      { ...NOVEMBER, currency: 'VES' },
    );
    expect(told(findings)).toBe('only_here 2/, only_here 3/');
  });
});
