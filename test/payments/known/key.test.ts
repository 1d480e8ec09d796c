import { describe, expect, it } from 'vitest';
import { createHash } from 'node:crypto';
import { isIdempotencyKey } from '../../../src/contract/notation.js';
import { deriveKey, type PaymentIdentity } from '../../../src/payments/known/key.js';

const LIVE = {
  ...({ environment: 'live', direction: 'payout', reference: 'emp-001', follows: null } as const),
  generation: 1,
};

it.each<[Partial<PaymentIdentity>, string]>([
  [{}, 'svcb2-AK0by9lh9VY7KWt5pWxsCoJS1nu58JPxz7n27nuR58M'],
  [{ generation: 2 }, 'svcb2-AtvUEZpzqoUhmqaUfmYIAjib8Vy0ZVyXgsV8vEvbIBY'],
  [{ generation: 12 }, 'svcb2-LwsTBMTZ14NeL-DYtW84MvV0MThjzHQtnIcRL6VmS3U'],
  [{ direction: 'payin' }, 'svcb2-5ij8YVUeq0OSRiB61YgdwPVFfsYiXrB0Oyyjbu5MYK0'],
  [{ environment: 'sandbox' }, 'svcb2-o_X3EpD5mfqNlROQlYaWq10DTPqp4Wot94aUNAZ8PvM'],
  [{ reference: 'Ñandú / 7' }, 'svcb2-_n4HJaDw2lLO-4nX4MTbOr4rglbrtLjtrJ2hpiFH3PQ'],
])('derives %j', (changes, key) => expect(deriveKey({ ...LIVE, ...changes })).toBe(key));

it('is the base64url SHA-256 of the scheme, environment, direction, folded reference, 0 and the try, with NUL between', () => {
  const text = 'svc-bulk-v2\0live\0payout\0emp-001\x000\x001';
  const digest = createHash('sha256').update(text).digest('base64url');
  expect(deriveKey(LIVE)).toBe(`svcb2-${digest}`);
  expect(isIdempotencyKey(deriveKey(LIVE))).toBe(true);
});

it.each(['EMP-001', ' emp-001 ', 'emp\u2010001', 'emp\u2212001', 'ｅｍｐ－００１', 'Emp\u2014001'])(
  'is the same for %j: another spelling meets the same key',
  (reference) => expect(deriveKey({ ...LIVE, reference })).toBe(deriveKey(LIVE)),
);

const AFTER = { ...LIVE, follows: '6f1c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f' };

describe('a payment that was meant once more', () => {
  it.each([
    [{}, 'svcs1-7Kb4m20k0pAW7TGDk9KKnD6c5Ks4NU236r-7DahGXYA'],
    [{ generation: 2 }, 'svcs1-x1sHXDbs9nkPFulbeTKXk_m3XhLm-nzCbHjIJACuEpI'],
    [{ follows: 'order-7' }, 'svcs1-Ls34EkVJxr5tKU-c4fYEuynjzGgnvdo2mn3cmL9fBvo'],
    [{ direction: 'payin' }, 'svcs1-D60uSHXG1uXstUR7LLI0ZhWafjnBB6FriAZyT0UGrn0'],
    [{ environment: 'sandbox' }, 'svcs1-pdcrPNBIDcOHcRuu1-Mcen3RppCpqLbmLKIQlIpp9VE'],
    [{ reference: 'Ñandú / 7' }, 'svcs1-8NN1wNV5zdx-R93NBc9MOecaEQ0E_aA0EedSi2H_RTc'],
  ] as const)('has another key for %j', (changes, key) =>
    expect(deriveKey({ ...AFTER, ...changes })).toBe(key),
  );

  it('has a key of its scheme, environment, direction, folded reference, what it follows and generation, with NUL between', () => {
    const text = `svc-series-v1\0live\0payout\0emp-001\0after\0${AFTER.follows}\x001`;
    const digest = createHash('sha256').update(text).digest('base64url');
    expect(deriveKey(AFTER)).toBe(`svcs1-${digest}`);
    expect(isIdempotencyKey(deriveKey(AFTER))).toBe(true);
  });

  it('has one key for an id in either case and a reference in any spelling, and two for keys that differ by case', () => {
    const of = (follows: string, reference = 'emp-001'): string =>
      deriveKey({ ...AFTER, reference, follows });
    expect(of(AFTER.follows.toUpperCase(), ' EMP\u2010001 ')).toBe(of(AFTER.follows));
    expect(of('ORDER-7')).not.toBe(of('order-7'));
  });
});

it('takes no reference that could be mistaken for two parts', () => {
  expect(() => deriveKey({ ...LIVE, reference: 'a\0b' })).toThrow(RangeError);
});
