import { expect, it } from 'vitest';
import { newestOf, type KnownPayment } from '../../../src/payments/known/payments.js';

type Short = readonly [name: string, row: number | null, atMs: number | null];
const payment = ([operation, row, atMs]: Short): KnownPayment => ({
  ...{ operation, status: 'confirmed', direction: 'payout', amount: '1.00', currency: 'VES' },
  ...{ atMs, source: { kind: 'feed' }, isOurs: true, row, accountTail: null, twinMark: null },
});
const open = ([key, row, atMs]: Short): KnownPayment => ({
  ...payment([key, row, atMs]),
  ...{ operation: null, status: 'unknown', source: { kind: 'request', key } },
});
const nameOf = ({ operation, source }: KnownPayment): string =>
  operation ?? (source.kind === 'request' ? source.key : '');

it.each<[string, readonly KnownPayment[], string]>([
  ['the latest by the service', [payment(['a', 9, 5]), payment(['b', 1, 6]), payment(['c', null, 4])], 'b'],
  ['what nobody dates', [payment(['a', 1, 5]), payment(['b', null, null])], 'b'],
  ['the last that is open, whatever it says of its time', [open(['a', 1, 99]), open(['b', 2, 5])], 'b'],
  ['what is open, before what was settled earlier', [payment(['a', 1, 99]), open(['b', 2, 5])], 'b'],
  ['what was settled after it', [open(['a', 1, 5]), payment(['b', 2, 4]), payment(['c', 3, 6])], 'c'],
  ['what is open, beside a payment that is in no journal', [open(['a', 1, 5]), payment(['b', null, 9])], 'a'],
  ['what a batch has open', [open(['a', null, 5]), payment(['b', 7, 9]), open(['c', 8, 9])], 'a'],
])('is %s', (_name, payments, expected) => {
  for (const those of [payments, payments.toReversed()]) {
    const newest = newestOf(those);
    expect(newest === null ? null : nameOf(newest)).toBe(expected);
  }
});

it('is the last that is known, of two of one moment', () => {
  expect(newestOf([payment(['a', null, 5]), payment(['b', null, 5])])?.operation).toBe('b');
});

it('is none of none', () => expect(newestOf([])).toBeNull());
