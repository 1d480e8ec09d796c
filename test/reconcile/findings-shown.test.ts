import { describe, expect, it } from 'vitest';
import { shownFinding } from '../../src/reconcile/findings-shown.js';
import type { Finding, FindingClass } from '../../src/reconcile/finding.js';
import { findingOf, lineOf, operationOf } from './given.js';

const ID = operationOf().id;
const shown = (kind: FindingClass, given: Partial<Finding> = {}) =>
  shownFinding(findingOf(kind, given), {
    ...{ where: ['--profile', 'acme'], hasNegatives: false, currency: null, decimals: new Map() },
  });
const nextOf = (kind: FindingClass, given: Partial<Finding> = {}) => shown(kind, given).next_command;
const detailOf = (kind: FindingClass, given: Partial<Finding> = {}) => shown(kind, given).detail;

it('has the names that are promised', () => {
  expect(shown('amount_differs')).toEqual({
    ...{ class: 'amount_differs', by: 'reference', detail: '' },
    here: [
      {
        ...{ line: 2, id: null, reference: 'inv-1', bank_reference: null },
        ...{ direction: 'payout', currency: 'VES', amount: '10.00', date: '2026-11-20' },
      },
    ],
    there: [
      {
        ...{ id: ID, direction: 'payout', status: 'confirmed', reference: 'inv-1', bank_reference: null },
        ...{ currency: 'VES', amount: '10.00', date: '2026-11-20' },
      },
    ],
    ...{ beside: null, tolerances: [] },
    ...{ suggestion: null, next_command: `svc transactions get --profile acme ${ID}` },
  });
});

it.each([
  [true, false, 'payin'],
  [true, true, 'payout'],
  [false, false, null],
])('says the direction that was compared: %s, %s', (hasNegatives, isNegative, direction) => {
  const here = [lineOf({ direction: null, isNegative })];
  const finding = shownFinding(findingOf('pending', { here }), {
    ...{ where: [], hasNegatives, currency: null, decimals: new Map() },
  });
  expect(finding.here[0]!.direction).toBe(direction);
});

it('writes amounts of the ledger with as many decimals as all of the currency, and those of the service as they came', () => {
  const showing = { where: [], hasNegatives: false, currency: 'VES', decimals: new Map([['VES', 2]]) };
  const amountsOf = (amount: string) => {
    const here = [lineOf({ amount, currency: null })];
    const finding = shownFinding(findingOf('pending', { here, there: [operationOf({ amount })] }), showing);
    return [finding.here[0]!.amount, finding.there[0]!.amount, finding.here[0]!.currency];
  };
  expect(amountsOf('7')).toEqual(['7.00', '7', 'VES']);
  expect(amountsOf('7.5')).toEqual(['7.50', '7.5', 'VES']);
  expect(amountsOf('7.505')).toEqual(['7.505', '7.505', 'VES']);
});

it('says which names of a line are not those of its operation', () => {
  const there = [operationOf({ reference: 'inv-1', bankReference: 'b' })];
  const detail = (given: object, beside: { lines: number[]; operations: string[] } | null = null) =>
    detailOf('ambiguous', { here: [lineOf(given)], there, beside });
  expect(detail({ reference: 'inv-2', bankReference: 'b' })).toBe(
    'its reference is not that of the operation',
  );
  expect(detail({ reference: 'INV-2', bankReference: 'c' }, { lines: [], operations: ['x', 'y'] })).toBe(
    'its reference and bank reference are not those of the operation, and name operations x, y',
  );
});

describe('what is typed next', () => {
  it.each([
    ...['duplicate_here', 'amount_differs', 'status_differs', 'pending', 'date_differs', 'only_there'],
  ] as const)('shows the operation of %s', (kind) =>
    expect(nextOf(kind)).toBe(`svc transactions get --profile acme ${ID}`),
  );

  it('looks for all that it could be', () => {
    const there = [operationOf(), operationOf({ id: 'other' })];
    expect(nextOf('ambiguous', { there })).toBe('svc operations find --profile acme -- inv-1');
    expect(nextOf('duplicate_there', { here: [], there })).toBe(
      'svc operations find --profile acme -- inv-1',
    );
  });

  it.each([
    ['-rf', 'svc operations find --profile acme -- -rf'],
    [
      'two words\' "and" $(id) `id` ;',
      `svc operations find --profile acme -- 'two words'\\'' "and" $(id) \`id\` ;'`,
    ],
    ['=word', "svc operations find --profile acme -- '=word'"],
  ])('keeps %s one word', (reference, line) => {
    expect(nextOf('only_here', { here: [lineOf({ reference })], there: [] })).toBe(line);
  });

  it('takes what can be pasted: by which it was found, else any name, else its day', () => {
    const names = { reference: 'a\u202eb', bankReference: 'bank-7', id: 'x\n' };
    const next = (given: object) => nextOf('only_here', { by: null, here: [lineOf(given)], there: [] });
    expect(next(names)).toBe('svc operations find --profile acme -- bank-7');
    expect(next({ ...names, bankReference: '\u0007' })).toBe(
      'svc operations list --since 2026-11-20 --profile acme',
    );
    expect(next({ ...names, bankReference: ' ', date: null })).toBeNull();
    const here = [lineOf({ reference: 'r', bankReference: 'b' })];
    expect(nextOf('ambiguous', { by: 'bank_reference', here })).toBe(
      'svc operations find --profile acme -- b',
    );
  });

  it('puts no id into a line that is none', () => {
    const there = [operationOf({ id: '; rm -rf ~', reference: null })];
    expect(nextOf('only_there', { here: [], there })).toBe(
      "svc operations find --profile acme -- '; rm -rf ~'",
    );
  });
});

describe('why it is one', () => {
  it.each([
    [{ amount: '10.50' }, '0.50 VES more in your file'],
    [{ amount: '9' }, '1.00 VES less in your file'],
    [{ amount: '10.000' }, ''],
    [{ currency: 'USD', amount: '9' }, 'USD in your file, VES in the service'],
    [{ currency: null, amount: '9' }, '1.00 VES less in your file'],
    [{ direction: 'payin' as const }, 'payin in your file, payout in the service'],
    [{ amount: '99999999999999999999.01' }, '99999999999999999989.01 VES more in your file'],
  ])('an amount: %j', (line, detail) => {
    expect(detailOf('amount_differs', { here: [lineOf(line)] })).toBe(detail);
  });

  it('names what a sign and what was stated say', () => {
    const showing = { where: [], hasNegatives: true, currency: 'USD', decimals: new Map() };
    const here = [lineOf({ direction: null, currency: null, amount: '9' })];
    expect(shownFinding(findingOf('amount_differs', { here }), showing).detail).toBe(
      'payin in your file, payout in the service; USD in your file, VES in the service',
    );
  });

  it('an operation without an amount has none that differs', () => {
    expect(detailOf('amount_differs', { there: [operationOf({ amount: null, currency: null })] })).toBe(
      'VES in your file, none in the service',
    );
  });

  it.each([
    ['status_differs', { there: [operationOf({ status: 'failed' })] }, 'the service says failed'],
    [
      'status_differs',
      { here: [lineOf({ amount: '11.00', date: '2026-11-19' })], there: [operationOf({ status: 'failed' })] },
      'the service says failed; 1.00 VES more in your file; 2026-11-19 in your file, 2026-11-20 in the service',
    ],
    [
      'amount_differs',
      { here: [lineOf({ amount: '9' })], there: [operationOf({ status: 'pending', date: null })] },
      'the service says pending; 1.00 VES less in your file',
    ],
    [
      'amount_differs',
      { here: [lineOf({ direction: 'payin', currency: 'USD' })] },
      'payin in your file, payout in the service; USD in your file, VES in the service',
    ],
    [
      'matched',
      { here: [lineOf({ amount: '10.01', date: '2026-11-19' })], tolerances: ['VES:0.01', '1 day'] },
      '0.01 VES more in your file; 2026-11-19 in your file, 2026-11-20 in the service; within VES:0.01, 1 day',
    ],
    [
      'ambiguous',
      { here: [lineOf({ reference: 'inv-2', amount: '11' })], beside: { lines: [], operations: ['x'] } },
      'its reference is not that of the operation, and names operation x; 1.00 VES more in your file',
    ],
    ['pending', {}, ''],
    [
      'date_differs',
      { here: [lineOf({ date: '2026-11-19' })] },
      '2026-11-19 in your file, 2026-11-20 in the service',
    ],
    ['only_here', { there: [] }, ''],
    ['only_there', { here: [] }, ''],
    ['matched', { tolerances: ['fee VES:0.5%', '2 days'] }, 'within fee VES:0.5%, 2 days'],
    ['duplicate_here', { beside: { lines: [3], operations: [] } }, 'repeats line 3'],
    ['duplicate_there', { beside: { lines: [], operations: ['x'] } }, 'repeats operation x'],
    [
      'only_here',
      { beside: { lines: [3], operations: ['x'] } },
      'what it names belongs to line 3 and operation x',
    ],
    [
      'ambiguous',
      { here: [lineOf(), lineOf()], there: [operationOf()] },
      '2 lines and 1 operation of one reference fit each other',
    ],
  ] as const)('%s', (kind, given, detail) => expect(detailOf(kind, given)).toBe(detail));

  it('suggests, and says that it is no more than that', () => {
    expect(detailOf('only_here', { there: [], suggestion: { lines: [2], operations: ['a'] } })).toBe(
      'a suggestion: only operation a has exactly the amount of line 2, or its number but for leading zeros',
    );
  });

  it('names five at most, and says how many more there are', () => {
    const of = (lines: number[]) =>
      detailOf('only_here', { there: [], beside: { lines, operations: ['a'] } });
    expect(of([2, 3, 4, 5, 6])).toBe('what it names belongs to lines 2, 3, 4, 5, 6 and operation a');
    expect(of([2, 3, 4, 5, 6, 7, 8])).toContain('lines 2, 3, 4, 5, 6 and 2 more and operation a');
  });
});
