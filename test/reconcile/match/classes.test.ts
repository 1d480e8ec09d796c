import { expect, it } from 'vitest';
import type { ComparedOperation, LedgerLine } from '../../../src/reconcile/line.js';
import type { MatchRules } from '../../../src/reconcile/rules.js';
import { ledgerLine as line, operation as paid, reconciled, told } from './given.js';

type Example = [
  what: string,
  lines: LedgerLine[],
  operations: ComparedOperation[],
  found: string,
  rules?: Partial<MatchRules>,
];

const R = { reference: 'A' };
const failed = (number: number, about: object = {}) => paid(number, { status: 'failed', ...about });
const pending = (number: number, about: object = {}) => paid(number, { status: 'pending', ...about });

const EXAMPLES: readonly Example[] = [
  ['nothing at all', [], [], ''],
  ['the same on both sides', [line(1)], [paid(1)], 'matched 1/1'],
  ['another amount', [line(1, { amount: '9' })], [paid(1)], 'amount_differs 1/1'],
  ['another currency', [line(1, { currency: 'USD' })], [paid(1)], 'amount_differs 1/1'],
  ['an amount that the service does not say', [line(1)], [paid(1, { amount: null })], 'amount_differs 1/1'],
  ['a failed one', [line(1)], [failed(1)], 'status_differs 1/1'],
  ['a status that is not known', [line(1)], [paid(1, { status: 'held' })], 'status_differs 1/1'],
  ['a pending one', [line(1)], [pending(1)], 'pending 1/1'],
  ['a failed one of another amount', [line(1, { amount: '11' })], [failed(1)], 'status_differs 1/1'],
  ['a pending one of another amount', [line(1, { amount: '11' })], [pending(1)], 'amount_differs 1/1'],
  ['a pending one of another day', [line(1, { date: '2026-11-09' })], [pending(1)], 'pending 1/1'],
  ['another day', [line(1)], [paid(1, { date: '2026-11-03' })], 'date_differs 1/1'],
  ['only a line', [line(1)], [], 'only_here 1/'],
  ['only an operation', [], [paid(1)], 'only_there /1'],
  ['only a pending operation', [], [pending(1)], 'pending /1'],
  ['only a failed operation', [], [failed(1)], ''],
  ['a line twice', [line(1, R), line(2, R)], [paid(1, R)], 'duplicate_here 2/, matched 1/1'],
  ['an operation twice', [line(1, R)], [paid(1, R), paid(2, R)], 'duplicate_there /2, matched 1/1'],
  ['both twice', [line(1, R), line(2, R)], [paid(1, R), paid(2, R)], 'matched 1/1, matched 2/2'],
  ['a retry', [line(1, R)], [failed(1, R), paid(2, R)], 'matched 1/2'],
  [
    'two candidates of other amounts',
    [line(1, { ...R, amount: '15' })],
    [paid(1, R), paid(2, { ...R, amount: '20' })],
    'ambiguous 1/1+2',
  ],
  [
    'what a reference leaves open and a bank reference decides',
    [
      line(1, { ...R, bankReference: 'x', amount: '15' }),
      line(2, { ...R, bankReference: 'y', amount: '25' }),
    ],
    [paid(1, { ...R, bankReference: 'Y' }), paid(2, { ...R, bankReference: 'X', amount: '20' })],
    'amount_differs 2/1, amount_differs 1/2',
  ],
  [
    'of equal operations that with the bank reference of the line, then that of its day',
    [line(1, { ...R, bankReference: 'b', date: '2026-11-09' }), line(2, { ...R, date: '2026-11-09' })],
    [paid(1, { ...R, date: '2026-11-09' }), paid(2, { ...R, bankReference: 'B' })],
    'date_differs 1/2, matched 2/1',
  ],
  [
    'of equal operations that of the day of the line',
    [line(1, R), line(2, { ...R, date: '2026-11-09' })],
    [paid(1, { ...R, date: '2026-11-09' }), paid(2, { ...R, date: '2026-11-30' })],
    'date_differs 1/2, matched 2/1',
  ],
  [
    'a reference in both directions',
    [line(1, { ...R, direction: 'payin' }), line(2, { ...R, direction: 'payout' })],
    [paid(1, { ...R, direction: 'payout' }), paid(2, { ...R, direction: 'payin' })],
    'matched 2/1, matched 1/2',
  ],
  [
    'a line without a direction beside both',
    [line(1, R)],
    [paid(1, { ...R, direction: 'payout' }), paid(2, { ...R, direction: 'payin' })],
    'ambiguous 1/1+2',
  ],
  [
    'a sign where any line is negative',
    [line(1, { isNegative: true }), line(2)],
    [paid(1), paid(2)],
    'only_here 2/, only_there /2, matched 1/1',
  ],
  ['nothing paid on both sides', [line(1, { amount: '0' })], [paid(1, { amount: '0.00' })], 'matched 1/1'],
  ['a retry that is pending', [line(1, R)], [failed(1, R), pending(2, R)], 'pending 1/2'],
  ['a retry that failed again', [line(1, R)], [failed(1, R), failed(2, R)], 'status_differs 1/1'],
  [
    'references that are swapped between two ids',
    [line(1, { id: paid(1).id, reference: 'order-2' }), line(2, { id: paid(2).id, reference: 'order-1' })],
    [paid(1), paid(2)],
    'ambiguous 1/1, ambiguous 2/2',
  ],
  ['an id that nothing has beside a reference', [line(1, { id: paid(9).id })], [paid(1)], 'ambiguous 1/1'],
  ['a number of its own for an id', [line(1, { id: '17' })], [paid(1)], 'matched 1/1'],
];

it.each(EXAMPLES)('finds %s', async (_what, lines, operations, found, rules) => {
  const { findings, agrees } = await reconciled(lines, operations, rules);
  expect(told(findings)).toBe(found);
  expect(agrees).toBe(found.split(', ').every((one) => /^(matched|pending \/|$)/.test(one)));
});

it('counts as within a tolerance no pair that was doubted', async () => {
  const rules = { tolerances: [{ currency: 'VES', amount: '0.01' }] };
  const given = { amount: '10.01', date: '2026-11-02' };
  expect((await reconciled([line(1, given)], [paid(1)], rules)).tolerated).toBe(1);
  const doubted = await reconciled([line(1, { ...given, id: paid(9).id })], [paid(1)], rules);
  expect([told(doubted.findings), doubted.tolerated]).toEqual(['ambiguous 1/1', 0]);
});

it('counts as failed no operation of a day that was not asked for', async () => {
  const both = [failed(1), failed(2, { date: '2026-11-09' })];
  const { failed: count, outside } = await reconciled([], both, { to: '2026-11-08' });
  expect([count, outside.operations]).toEqual([1, 1]);
});
