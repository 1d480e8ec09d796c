import { describe, expect, it } from 'vitest';
import {
  tryOfPayment,
  type Evidence,
  type KnownRow,
  type SingleCreate,
} from '../../../src/payments/known/payments.js';
import { AT, operation, row, single } from '../../payments/known/given.js';

const NOVEMBER = '2026-11-28T09:00:00Z';
const SINCE_MS = Date.parse('2026-11-01T00:00:00Z');

const failedRow = (changes: Partial<KnownRow>): KnownRow =>
  row({ state: 'failed', operation: null, status: null, operationAtMs: null, ...changes });
const failedSingle = (changes: Partial<SingleCreate> = {}): SingleCreate =>
  single({ operation: 'op-s', status: 'failed', ...changes });
const [PAID, FAILED] = [operation('confirmed', 'a'), operation('failed', 'a')];
const FAILED_SINCE = operation('failed', 'b', NOVEMBER);
const FAILED_ROW = failedRow({ operation: 'a' });

const LATER_MS = Date.parse('2026-12-15T00:00:00Z');
const HOUR_MS = 3_600_000;

const tryOf = (
  parts: Partial<Evidence>,
  meant: { sinceMs?: number; newPayment?: string; nowMs?: number } = {},
): [string | null, number] => {
  const known = { operations: [], rows: [], singles: [], ...parts };
  const asked = { direction: 'payout', sinceMs: null, nowMs: LATER_MS, ...meant } as const;
  const { follows, generation } = tryOfPayment(known, asked);
  return [follows, generation];
};

it('a payment of the very moment that --new-since names is not from before it', () => {
  const paid = { operations: [operation('confirmed', 'a', '2026-11-01T00:00:00Z')] };
  expect(tryOf(paid, { sinceMs: SINCE_MS })).toEqual([null, 1]);
  expect(tryOf(paid, { sinceMs: SINCE_MS + 1 })).toEqual(['a', 1]);
});

describe('the first payment of a reference', () => {
  it.each<[string, Partial<Evidence>, number]>([
    ['nothing is known', {}, 1],
    ['one failed, in the feed', { operations: [FAILED] }, 2],
    ['two failed', { operations: [FAILED, FAILED_SINCE] }, 3],
    ['one was paid: that changes no key', { operations: [PAID] }, 1],
    ['a row failed here', { rows: [FAILED_ROW] }, 2],
    ['the feed and a row say the same', { operations: [FAILED], rows: [FAILED_ROW] }, 2],
    ['the feed knows more', { operations: [FAILED, operation('failed', 'b')], rows: [FAILED_ROW] }, 3],
    ['a create failed', { singles: [failedSingle()] }, 2],
    ['the feed knows it', { operations: [operation('failed', 'op-s')], singles: [failedSingle()] }, 2],
    ['a rejected row made nothing', { rows: [failedRow({ state: 'rejected' })] }, 1],
    ['what a person calls not paid made nothing', { rows: [failedRow({ code: 'not_paid' } as never)] }, 1],
    ['a row of what may be this company failed', { rows: [{ ...FAILED_ROW, company: 'them' }] }, 2],
  ])('%s', (_name, parts, generation) => expect(tryOf(parts)).toEqual([null, generation]));
});

describe('a try that failed within 23 hours', () => {
  const nowMs = Date.parse(AT) + 23 * HOUR_MS;
  const dated = { ...FAILED_ROW, operationAtMs: Date.parse(AT) };
  const pending = { ...dated, state: 'accepted', status: 'pending' } as const;
  const own = { key: 'k', follows: null, generation: 2 } as const;
  it.each<[string, Partial<Evidence>, number]>([
    ['in the feed alone: the service is asked', { operations: [FAILED] }, 1],
    ['of a row here: its key is passed over', { rows: [dated] }, 2],
    ['that was pending here, and failed in the feed', { rows: [pending], operations: [FAILED] }, 2],
    ['of a row and of a single create here', { rows: [dated], singles: [failedSingle(own)] }, 3],
    ['of a later try alone: the ones before are asked', { singles: [failedSingle(own)] }, 1],
    ['of a payment that follows another one', { rows: [{ ...dated, follows: 'x' }] }, 1],
    ['under a key of the caller', { singles: [failedSingle({ key: 'own' })] }, 1],
    ['at a time that nobody knows', { rows: [{ ...dated, operationAtMs: null, sentAtMs: null }] }, 2],
  ])('%s', (_name, parts, generation) => expect(tryOf(parts, { nowMs })).toEqual([null, generation]));

  it('is one of those that everybody has heard of a millisecond later', () => {
    expect(tryOf({ operations: [FAILED] }, { nowMs: nowMs + 1 })).toEqual([null, 2]);
  });
});

describe('a payment that follows others', () => {
  const later = operation('confirmed', 'b', '2026-10-30T00:00:00Z');
  const before = operation('failed', 'b', '2026-10-01T00:00:00Z');
  const pending = row({ state: 'accepted', operation: 'a', status: 'pending' });
  it.each<[string, Partial<Evidence>, [string | null, number]]>([
    ['nothing is known: the key is the one without the flag', {}, [null, 1]],
    ['only failures from before: they count', { operations: [FAILED] }, [null, 2]],
    ['a payment from before', { operations: [PAID] }, ['a', 1]],
    ['the newest of two from before', { operations: [later, PAID] }, ['b', 1]],
    ['a payment from before, and a failure from before it', { operations: [PAID, before] }, ['a', 1]],
    ['a payment from before, and a failure since', { operations: [PAID, FAILED_SINCE] }, ['a', 2]],
    ['no payment since', { operations: [operation('confirmed', 'a', NOVEMBER)] }, [null, 1]],
    ['a row that was paid before, which no event holds yet', { rows: [pending] }, ['a', 1]],
  ])('--new-since: %s', (_name, parts, expected) => {
    expect(tryOf(parts, { sinceMs: SINCE_MS })).toEqual(expected);
  });

  it('is one payment for a create that names it and for rows that name a time', () => {
    const parts = { operations: [PAID, FAILED_SINCE] };
    expect(tryOf(parts, { newPayment: 'A' })[1]).toBe(2);
    expect(tryOf(parts, { newPayment: 'a' })).toEqual(tryOf(parts, { sinceMs: SINCE_MS }));
  });
});
