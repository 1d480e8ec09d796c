/** Ordinal and generation: what the key of a payment follows from. */
import { describe, expect, it } from 'vitest';
import type { Evidence, KnownRow, SingleCreate } from '../../../src/bulk/check/evidence.js';
import { generationOf, ordinalOf, paymentsIn } from '../../../src/bulk/check/payments.js';
import { type OperationFacts, UNSAID } from '../../../src/contract/operation-facts.js';

const OCTOBER = '2026-10-28T09:00:00Z';
const NOVEMBER = '2026-11-28T09:00:00Z';
const SINCE_MS = Date.parse('2026-11-01T00:00:00Z');

const operation = (id: string, status: string, createdAt = OCTOBER): OperationFacts => ({
  ...{
    ...UNSAID,
    id,
    status,
    createdAtMs: Date.parse(createdAt),
    direction: 'payout',
    amount: '10.00',
    currency: 'VES',
  },
});
const known = (changes: Partial<KnownRow>): KnownRow => ({
  ...{
    batch: 'b',
    company: 'us',
    line: 2,
    referenceMark: '',
    twinMark: '',
    currency: 'VES',
    amount: '10.00',
  },
  ...{
    state: 'failed',
    ordinal: 0,
    generation: 1,
    sentAtMs: Date.parse(OCTOBER),
    isRunning: false,
    isSameCompany: true,
  },
  ...{ operation: null, status: null, operationAtMs: null },
  ...changes,
});
const single = (changes: Partial<SingleCreate>): SingleCreate => ({
  ...{ key: 'k', isSettled: true, operation: 'op-s', status: 'failed', referenceMark: '' },
  ...{ amount: '10.00', currency: 'VES', atMs: Date.parse(OCTOBER), company: 'same' },
  ...{ row: 1, accountTail: null },
  ...changes,
});
const evidence = (parts: Partial<Evidence> = {}): Evidence => ({
  operations: [],
  rows: [],
  singles: [],
  ...parts,
});

const identity = (parts: Partial<Evidence>, sinceMs: number | null = null): [number, number] => {
  const all = evidence(parts);
  const ordinal = ordinalOf(paymentsIn(all, 'payout'), sinceMs);
  return [ordinal, generationOf(all, ordinal, { sinceMs })];
};

it('a payment of the very moment that --new-since names is not from before it', () => {
  const createdAt = '2026-11-01T00:00:00Z';
  expect(identity({ operations: [operation('a', 'confirmed', createdAt)] }, SINCE_MS)).toEqual([0, 1]);
  expect(identity({ operations: [operation('a', 'confirmed', createdAt)] }, SINCE_MS + 1)).toEqual([1, 1]);
  const paid = operation('a', 'confirmed');
  expect(identity({ operations: [paid, operation('b', 'failed', createdAt)] }, SINCE_MS)).toEqual([1, 2]);
});

describe('without --new-since', () => {
  it.each<[string, Partial<Evidence>, [number, number]]>([
    ['nothing is known', {}, [0, 1]],
    ['one failed, in the feed', { operations: [operation('a', 'failed')] }, [0, 2]],
    ['two failed', { operations: [operation('a', 'failed'), operation('b', 'failed', NOVEMBER)] }, [0, 3]],
    ['one was paid: that changes no key', { operations: [operation('a', 'confirmed')] }, [0, 1]],
    ['a row failed here', { rows: [known({})] }, [0, 2]],
    ['a row failed here for the third time', { rows: [known({ generation: 3 })] }, [0, 4]],
    [
      'the feed and a row say the same',
      { operations: [operation('a', 'failed')], rows: [known({ operation: 'a' })] },
      [0, 2],
    ],
    [
      'the feed knows more than the row',
      { operations: [operation('a', 'failed'), operation('b', 'failed')], rows: [known({ operation: 'a' })] },
      [0, 3],
    ],
    ['a single create failed', { singles: [single({})] }, [0, 2]],
    [
      'a single create failed, and the feed knows it',
      { operations: [operation('op-s', 'failed')], singles: [single({})] },
      [0, 2],
    ],
    ['a rejected row made nothing', { rows: [known({ state: 'rejected' })] }, [0, 1]],
    ['a row of a company that may be this one failed', { rows: [known({ company: 'them' })] }, [0, 2]],
    ['a row with another ordinal failed', { rows: [known({ ordinal: 1 })] }, [0, 1]],
  ])('%s', (_name, parts, expected) => {
    expect(identity(parts)).toEqual(expected);
  });
});

describe('with --new-since', () => {
  it.each<[string, Partial<Evidence>, [number, number]]>([
    ['nothing is known: the key is the one without the flag', {}, [0, 1]],
    [
      'only failures from before: they count, as they do without the flag',
      { operations: [operation('a', 'failed')] },
      [0, 2],
    ],
    ['a payment from before', { operations: [operation('a', 'confirmed')] }, [1, 1]],
    [
      'two payments from before, one pending',
      { operations: [operation('a', 'confirmed'), operation('b', 'pending')] },
      [2, 1],
    ],
    [
      'a payment from before, and a failure from before it',
      { operations: [operation('a', 'confirmed'), operation('b', 'failed')] },
      [1, 1],
    ],
    [
      'a payment from before, and a failure since',
      { operations: [operation('a', 'confirmed'), operation('b', 'failed', NOVEMBER)] },
      [1, 2],
    ],
    ['a payment since does not count', { operations: [operation('a', 'confirmed', NOVEMBER)] }, [0, 1]],
    [
      'a row that was paid before, which no event holds yet',
      { rows: [known({ state: 'accepted', operation: 'a', status: 'pending' })] },
      [1, 1],
    ],
    [
      'the same payment from feed and book counts once',
      { operations: [operation('a', 'confirmed')], rows: [known({ state: 'confirmed', operation: 'a' })] },
      [1, 1],
    ],
  ])('%s', (_name, parts, expected) => {
    expect(identity(parts, SINCE_MS)).toEqual(expected);
  });
});
