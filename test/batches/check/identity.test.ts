import { describe, expect, it } from 'vitest';
import {
  tryOfPayment,
  type Evidence,
  type KnownRow,
  type SingleCreate,
} from '../../../src/payments/known/payments.js';
import { type OperationFacts, NO_FACTS } from '../../../src/contract/operation-facts.js';

const OCTOBER = '2026-10-28T09:00:00Z';
const NOVEMBER = '2026-11-28T09:00:00Z';
const SINCE_MS = Date.parse('2026-11-01T00:00:00Z');

const operation = (id: string, status: string, createdAt = OCTOBER): OperationFacts => ({
  ...NO_FACTS,
  ...{ id, status, createdAtMs: Date.parse(createdAt) },
  ...{ direction: 'payout', amount: '10.00', currency: 'VES' },
});
const known = (changes: Partial<KnownRow>): KnownRow => ({
  ...{ batch: 'b', company: 'us', line: 2, referenceMark: '', twinMark: '' },
  ...{ currency: 'VES', amount: '10.00' },
  ...{ state: 'failed', follows: null, generation: 1, sentAtMs: Date.parse(OCTOBER), mayBeSent: false },
  ...{ isSameCompany: true, operation: null, status: null, operationAtMs: null, sinceMs: null },
  ...changes,
});
const single = (changes: Partial<SingleCreate>): SingleCreate => ({
  ...{ state: 'settled', mayNotRepeat: false, follows: null, generation: null, sinceMs: null },
  ...{ key: 'k', operation: 'op-s', status: 'failed', referenceMark: '', amount: '10.00' },
  ...{ currency: 'VES', atMs: Date.parse(OCTOBER), company: 'same', row: 1, accountTail: null },
  ...changes,
});
const evidence = (parts: Partial<Evidence> = {}): Evidence => ({
  ...{ operations: [], rows: [], singles: [] },
  ...parts,
});

const LATER_MS = Date.parse('2026-12-15T00:00:00Z');
const HOUR_MS = 3_600_000;

const tryOf = (
  parts: Partial<Evidence>,
  meant: { sinceMs?: number; newPayment?: string; nowMs?: number } = {},
): [string | null, number] => {
  const { follows, generation } = tryOfPayment(evidence(parts), {
    ...{ direction: 'payout', sinceMs: null, nowMs: LATER_MS, ...meant },
  });
  return [follows, generation];
};

it('a payment of the very moment that --new-since names is not from before it', () => {
  const createdAt = '2026-11-01T00:00:00Z';
  const paid = { operations: [operation('a', 'confirmed', createdAt)] };
  expect(tryOf(paid, { sinceMs: SINCE_MS })).toEqual([null, 1]);
  expect(tryOf(paid, { sinceMs: SINCE_MS + 1 })).toEqual(['a', 1]);
});

describe('the first payment of a reference', () => {
  it.each<[string, Partial<Evidence>, number]>([
    ['nothing is known', {}, 1],
    ['one failed, in the feed', { operations: [operation('a', 'failed')] }, 2],
    ['two failed', { operations: [operation('a', 'failed'), operation('b', 'failed', NOVEMBER)] }, 3],
    ['one was paid: that changes no key', { operations: [operation('a', 'confirmed')] }, 1],
    ['a row failed here', { rows: [known({ operation: 'a' })] }, 2],
    [
      'the feed and a row say the same',
      { operations: [operation('a', 'failed')], rows: [known({ operation: 'a' })] },
      2,
    ],
    [
      'the feed knows more than the row',
      { operations: [operation('a', 'failed'), operation('b', 'failed')], rows: [known({ operation: 'a' })] },
      3,
    ],
    ['a single create failed', { singles: [single({})] }, 2],
    [
      'a single create failed, and the feed knows it',
      { operations: [operation('op-s', 'failed')], singles: [single({})] },
      2,
    ],
    ['a rejected row made nothing', { rows: [known({ state: 'rejected' })] }, 1],
    ['what a person calls not paid made nothing', { rows: [known({ code: 'not_paid' } as never)] }, 1],
    [
      'a row of a company that may be this one failed',
      { rows: [known({ company: 'them', operation: 'a' })] },
      2,
    ],
  ])('%s', (_name, parts, generation) => expect(tryOf(parts)).toEqual([null, generation]));
});

describe('a try that failed within 23 hours', () => {
  const nowMs = Date.parse(OCTOBER) + 23 * HOUR_MS;
  const row = known({ operation: 'a', operationAtMs: Date.parse(OCTOBER) });
  const own = { key: 'k', follows: null, generation: 2 } as const;
  it.each<[string, Partial<Evidence>, number]>([
    ['in the feed alone: the service is asked', { operations: [operation('a', 'failed')] }, 1],
    ['of a row here: its key is passed over', { rows: [row] }, 2],
    [
      'that was pending here, and failed in the feed',
      { rows: [{ ...row, state: 'accepted', status: 'pending' }], operations: [operation('a', 'failed')] },
      2,
    ],
    ['of a row and of a single create here', { rows: [row], singles: [single(own)] }, 3],
    ['of a later try alone: the ones before are asked', { singles: [single(own)] }, 1],
    ['of a payment that follows another one', { rows: [{ ...row, follows: 'x' }] }, 1],
    ['under a key of the caller', { singles: [single({ key: 'own', generation: null })] }, 1],
    ['at a time that nobody knows', { rows: [{ ...row, operationAtMs: null, sentAtMs: null }] }, 2],
  ])('%s', (_name, parts, generation) => expect(tryOf(parts, { nowMs })).toEqual([null, generation]));

  it('is one of those that everybody has heard of a millisecond later', () => {
    expect(tryOf({ operations: [operation('a', 'failed')] }, { nowMs: nowMs + 1 })).toEqual([null, 2]);
  });
});

describe('a payment that follows others', () => {
  it.each<[string, Partial<Evidence>, [string | null, number]]>([
    ['nothing is known: the key is the one without the flag', {}, [null, 1]],
    ['only failures from before: they count', { operations: [operation('a', 'failed')] }, [null, 2]],
    ['a payment from before', { operations: [operation('a', 'confirmed')] }, ['a', 1]],
    [
      'the newest of two from before',
      { operations: [operation('b', 'confirmed', '2026-10-30T00:00:00Z'), operation('a', 'confirmed')] },
      ['b', 1],
    ],
    [
      'a payment from before, and a failure from before it',
      { operations: [operation('a', 'confirmed'), operation('b', 'failed', '2026-10-01T00:00:00Z')] },
      ['a', 1],
    ],
    [
      'a payment from before, and a failure since',
      { operations: [operation('a', 'confirmed'), operation('b', 'failed', NOVEMBER)] },
      ['a', 2],
    ],
    ['a payment since is not followed', { operations: [operation('a', 'confirmed', NOVEMBER)] }, [null, 1]],
    [
      'a row that was paid before, which no event holds yet',
      {
        rows: [
          known({ state: 'accepted', operation: 'a', status: 'pending', operationAtMs: Date.parse(OCTOBER) }),
        ],
      },
      ['a', 1],
    ],
  ])('--new-since: %s', (_name, parts, expected) => {
    expect(tryOf(parts, { sinceMs: SINCE_MS })).toEqual(expected);
  });

  it('is one payment for a create that names it and for rows that name a time', () => {
    const parts = { operations: [operation('a', 'confirmed'), operation('b', 'failed', NOVEMBER)] };
    expect(tryOf(parts, { newPayment: 'A' })[1]).toBe(2);
    expect(tryOf(parts, { newPayment: 'a' })).toEqual(tryOf(parts, { sinceMs: SINCE_MS }));
  });
});
