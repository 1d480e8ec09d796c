/** Golden vectors: a scheme that derives other keys would pay again what was paid under these. */
import { expect, it } from 'vitest';
import { createHash } from 'node:crypto';
import { isIdempotencyKey } from '../../src/contract/notation.js';
import { deriveKey, type PaymentIdentity } from '../../src/bulk/key.js';

const LIVE = {
  environment: 'live',
  direction: 'payout',
  reference: 'emp-001',
  ordinal: 0,
  generation: 1,
} as const;

it.each<[Partial<PaymentIdentity>, string]>([
  [{}, 'svcb2-AK0by9lh9VY7KWt5pWxsCoJS1nu58JPxz7n27nuR58M'],
  [{ generation: 2 }, 'svcb2-AtvUEZpzqoUhmqaUfmYIAjib8Vy0ZVyXgsV8vEvbIBY'],
  [{ generation: 12 }, 'svcb2-LwsTBMTZ14NeL-DYtW84MvV0MThjzHQtnIcRL6VmS3U'],
  [{ ordinal: 1 }, 'svcb2-EFBQ8Qls9PgVSvWEsVQSsmZjt2F51jtImt4fvocNRyQ'],
  [{ direction: 'payin' }, 'svcb2-5ij8YVUeq0OSRiB61YgdwPVFfsYiXrB0Oyyjbu5MYK0'],
  [{ environment: 'sandbox' }, 'svcb2-o_X3EpD5mfqNlROQlYaWq10DTPqp4Wot94aUNAZ8PvM'],
  [{ reference: 'Ñandú / 7' }, 'svcb2-_n4HJaDw2lLO-4nX4MTbOr4rglbrtLjtrJ2hpiFH3PQ'],
])('derives %j', (changes, key) => {
  expect(deriveKey({ ...LIVE, ...changes })).toBe(key);
});

it('is the base64url SHA-256 of the scheme, environment, direction, folded reference, ordinal and generation, with NUL between', () => {
  const text = 'svc-bulk-v2\0live\0payout\0emp-001\x000\x001';
  const digest = createHash('sha256').update(text).digest('base64url');
  expect(deriveKey(LIVE)).toBe(`svcb2-${digest}`);
  expect(isIdempotencyKey(deriveKey(LIVE))).toBe(true);
});

it.each(['EMP-001', ' emp-001 ', 'emp\u2010001', 'emp\u2212001', 'ｅｍｐ－００１', 'Emp\u2014001'])(
  'is the same for %j: another spelling meets the same key',
  (reference) => {
    expect(deriveKey({ ...LIVE, reference })).toBe(deriveKey(LIVE));
  },
);

it('takes no reference that could be mistaken for two parts', () => {
  expect(() => deriveKey({ ...LIVE, reference: 'a\0b' })).toThrow(RangeError);
});
