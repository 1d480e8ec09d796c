import { SHARED, type Asked, type Findings, type Happening, type History } from './judge.js';

const BOOK = 'pay-1';

export const ASKED: readonly Asked[] = ['a', 'b'].map((reference) => ({
  ...{ reference, amount: '10.00', book: BOOK },
}));

const sent = (reference: string, key = `key of ${reference}`): Happening => ({
  ...{ kind: 'sent', reference, key },
});
const paid = (reference: string, operation = `op-${reference}`, amount = '10.00'): Happening => ({
  ...{ kind: 'paid', reference, operation, amount },
});
const row = (
  reference: string,
  state = 'confirmed',
  operation: string | null = `op-${reference}`,
): Happening => ({ kind: 'row', store: SHARED, book: BOOK, reference, state, operation });
const status = (settled: number, began: number): Happening => ({
  ...{ kind: 'status', store: SHARED, book: BOOK, settled, began },
});
const forgot: Happening = { kind: 'forgot', store: SHARED };
const ended = (said: string | null = null): Happening => ({ kind: 'ended', book: BOOK, said });

const BOTH: History = [sent('a'), paid('a'), row('a'), sent('b'), paid('b'), row('b')];

export const GOOD_HISTORIES: Readonly<Record<string, History>> = {
  'everything is paid once': [...BOTH, status(2, 6), ended()],
  'a request is sent again, and paid once': [sent('a'), paid('a'), sent('a'), ...BOTH.slice(2), ended()],
  'a store that forgot says less, and learns it again': [
    ...[...BOTH, status(2, 6), forgot, row('b', 'planned', null), status(1, 9)],
    ...[row('b', 'earlier'), status(2, 11), ended()],
  ],
  'of two counts asked at once the older one comes later': [...BOTH, status(2, 6), status(1, 3), ended()],
  'a count that was asked before the store forgot comes after': [...BOTH, forgot, status(2, 6), status(1, 8)],
  'a payroll that has not ended lacks one': BOTH.slice(0, 3),
};

export const WRONG_HISTORIES: readonly (readonly [string, keyof Findings, History])[] = [
  ['the service pays one again', 'twice', [...BOTH, sent('b', 'another'), paid('b', 'op-c'), ended()]],
  ['one is paid again after a store forgot', 'twice', [...BOTH, forgot, sent('a'), paid('a', 'op-c')]],
  ['a payroll ends and one was never paid', 'lost', [...BOTH.slice(0, 3), sent('b'), ended()]],
  ['another reference is paid', 'invented', [...BOTH, paid('c'), ended()]],
  ['another amount is paid', 'invented', [...BOTH.slice(0, 4), paid('b', 'op-b', '100.00'), row('b')]],
  ['a result comes before its payment', 'lied', [row('a'), ...BOTH, ended()]],
  ['a result has the payment of another', 'lied', [...BOTH.slice(0, 5), row('b', 'confirmed', 'op-a')]],
  ['a result has no payment', 'lied', [...BOTH.slice(0, 5), row('b', 'confirmed', null)]],
  ['a settled row is open again', 'changed', [...BOTH, row('b', 'unknown', null)]],
  ['a settled row failed after all', 'changed', [...BOTH, row('a', 'failed'), ended()]],
  ['a count is lower than one before', 'back', [...BOTH, status(2, 6), status(1, 7), ended()]],
  ['a count is lower after a store forgot', 'back', [...BOTH, forgot, status(2, 7), status(1, 8)]],
  ['a payroll does not end', 'stuck', [...BOTH, ended('16 svc batches resume pay-1')]],
];
