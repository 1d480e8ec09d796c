/** Each class of what a reconciliation finds, by the smallest example of it. */
import { describe, expect, it } from 'vitest';
import type { ComparedOperation, LedgerLine } from '../../../src/reconcile/line.js';
import type { MatchRules } from '../../../src/reconcile/rules.js';
import { ledgerLine as line, operation, reconciled, short } from './given.js';

type Example = [
  what: string,
  lines: LedgerLine[],
  operations: ComparedOperation[],
  found: (readonly [string, number[], number[]])[],
  rules?: Partial<MatchRules>,
];

const R = { reference: 'A' };

const EXAMPLES: readonly Example[] = [
  ['nothing at all', [], [], []],
  ['the same on both sides', [line(1)], [operation(1)], [['matched', [1], [1]]]],
  ['another amount', [line(1, { amount: '9' })], [operation(1)], [['amount_differs', [1], [1]]]],
  ['another currency', [line(1, { currency: 'USD' })], [operation(1)], [['amount_differs', [1], [1]]]],
  [
    'an amount that the service does not say',
    [line(1)],
    [operation(1, { amount: null })],
    [['amount_differs', [1], [1]]],
  ],
  ['a failed one', [line(1)], [operation(1, { status: 'failed' })], [['status_differs', [1], [1]]]],
  [
    'a status that is not known',
    [line(1)],
    [operation(1, { status: 'held' })],
    [['status_differs', [1], [1]]],
  ],
  ['a pending one', [line(1)], [operation(1, { status: 'pending' })], [['pending', [1], [1]]]],
  ['another day', [line(1)], [operation(1, { date: '2026-11-03' })], [['date_differs', [1], [1]]]],
  ['only a line', [line(1)], [], [['only_here', [1], []]]],
  ['only an operation', [], [operation(1)], [['only_there', [], [1]]]],
  ['only a pending operation', [], [operation(1, { status: 'pending' })], [['pending', [], [1]]]],
  ['only a failed operation', [], [operation(1, { status: 'failed' })], []],
  [
    'a line twice',
    [line(1, R), line(2, R)],
    [operation(1, R)],
    [
      ['duplicate_here', [2], []],
      ['matched', [1], [1]],
    ],
  ],
  [
    'an operation twice',
    [line(1, R)],
    [operation(1, R), operation(2, R)],
    [
      ['duplicate_there', [], [2]],
      ['matched', [1], [1]],
    ],
  ],
  [
    'both twice',
    [line(1, R), line(2, R)],
    [operation(1, R), operation(2, R)],
    [
      ['matched', [1], [1]],
      ['matched', [2], [2]],
    ],
  ],
  [
    'a retry',
    [line(1, R)],
    [operation(1, { ...R, status: 'failed' }), operation(2, R)],
    [['matched', [1], [2]]],
  ],
  [
    'two candidates of other amounts',
    [line(1, { ...R, amount: '15' })],
    [operation(1, R), operation(2, { ...R, amount: '20' })],
    [['ambiguous', [1], [1, 2]]],
  ],
  [
    'two candidates, one exact',
    [line(1, R)],
    [operation(1, R), operation(2, { ...R, amount: '20' })],
    [
      ['only_there', [], [2]],
      ['matched', [1], [1]],
    ],
  ],
];

describe('finds', () => {
  it.each(EXAMPLES)('%s', async (_what, lines, operations, found, rules) => {
    expect((await reconciled(lines, operations, rules)).findings.map(short)).toEqual(found);
  });
});
