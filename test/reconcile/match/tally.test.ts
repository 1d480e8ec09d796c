import { expect, it } from 'vitest';
import { CONFIRMED, FAILED, PENDING, UNKNOWN } from '../../../src/reconcile/match/entries.js';
import { Tally } from '../../../src/reconcile/match/tally.js';

const money = (amount: string | null, currency: string | null = 'VES') => ({ amount, currency });

function given(): Tally {
  const tally = new Tally();
  tally.addEntry('here', money('0.1'));
  tally.addEntry('here', money('90071992547409930.20'));
  tally.addEntry('there', money(null, null));
  tally.place('here', 'matched', money('0.1'));
  tally.place('there', 'only_there', money(null, null));
  return tally;
}

it('shows sums that are those of both sides, what was left out among them', () => {
  const tally = given();
  tally.place('here', 'outside', money('90071992547409930.2'));
  expect(() => tally.prove()).not.toThrow();
  const nothing = { count: 0, amount: '0' };
  expect(tally.sums()).toEqual([
    { class: 'only_there', currency: null, here: nothing, there: { ...nothing, count: 1 } },
    {
      ...{ class: 'matched', currency: 'VES' },
      ...{ here: { count: 1, amount: '0.10' }, there: { count: 0, amount: '0.00' } },
    },
  ]);
  expect([tally.count('here', 'outside'), tally.count('there', 'outside')]).toEqual([1, 0]);
});

it('moves what was placed, and forgets a class that nothing is left of', () => {
  const tally = new Tally();
  for (const amount of ['1.50', '2.05']) tally.addEntry('here', money(amount));
  for (const amount of ['1.50', '2.05']) tally.place('here', 'matched', money(amount));
  tally.move('here', ['matched', 'ambiguous'], money('2.05'));
  const there = { count: 0, amount: '0.00' };
  expect(tally.sums()).toMatchObject([
    { class: 'ambiguous', here: { count: 1, amount: '2.05' }, there },
    { class: 'matched', here: { count: 1, amount: '1.50' }, there },
  ]);
  tally.move('here', ['matched', 'ambiguous'], money('1.50'));
  expect(tally.sums()).toMatchObject([{ class: 'ambiguous', here: { count: 2, amount: '3.55' } }]);
  tally.prove();
});

it('tells apart what became of operations, but for those outside and those that failed unnamed', () => {
  const tally = new Tally();
  const place = (where: 'matched' | 'ambiguous' | 'failed' | 'outside', status: number, amount: string) => {
    tally.addEntry('there', money(amount));
    tally.place('there', where, { ...money(amount), status });
  };
  place('matched', CONFIRMED, '1.5');
  place('ambiguous', FAILED, '2.25');
  place('ambiguous', PENDING, '4');
  place('matched', UNKNOWN, '8');
  place('failed', FAILED, '16');
  place('outside', PENDING, '32');
  tally.move('there', ['ambiguous', 'matched'], money('4'));
  tally.prove();
  const sum = (count: number, amount: string) => ({ count, amount });
  expect(tally.totals()).toEqual([
    {
      ...{ currency: 'VES', here: sum(0, '0.00'), there: sum(1, '1.50') },
      ...{ pending: sum(2, '12.00'), failed: sum(1, '2.25') },
    },
  ]);
});

it.each([
  ['nothing', null],
  ['a cent more', money('90071992547409930.21')],
  ['another currency', money('90071992547409930.2', 'USD')],
  ['no currency', money('90071992547409930.2', null)],
])('throws where %s was placed', (_what, placed) => {
  const tally = given();
  if (placed !== null) tally.place('here', 'only_here', placed);
  expect(() => tally.prove()).toThrow('the sums of the classes are not the sums of both sides');
});

it('throws where something of nothing was placed twice', () => {
  const tally = given();
  tally.place('here', 'outside', money('90071992547409930.2'));
  tally.place('there', 'only_there', money(null, null));
  expect(() => tally.prove()).toThrow();
});

it('counts what has no currency under the one that it is taken for', () => {
  const tally = new Tally();
  tally.addEntry('here', money('1', null));
  tally.addEntry('here', money('2.5'));
  expect(tally.hasUnnamed('here')).toBe(true);
  tally.nameCurrency('here', 'VES');
  tally.place('here', 'only_here', money('3.5'));
  tally.place('here', 'only_here', money('0'));
  expect(() => tally.prove()).not.toThrow();
  expect([tally.hasUnnamed('here'), tally.currencies('here')]).toEqual([false, ['VES']]);
});
