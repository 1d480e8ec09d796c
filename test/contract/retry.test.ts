import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Attempt, AttemptKind } from '../../src/contract/attempt.js';
import {
  runAttempts,
  CALL_PATIENCE,
  ENDLESS_PATIENCE,
  nextWaitMs,
  patientWaitMs,
  ROW_PATIENCE,
} from '../../src/contract/retry.js';
import type { RetryClass } from '../../src/contract/endpoints.js';
import { attemptOf, KINDS } from '../client/attempts.js';

const waits = (retry: RetryClass, kinds: readonly AttemptKind[], fraction = 0.5, most = 3) =>
  nextWaitMs(
    retry,
    kinds.map((kind) => attemptOf(kind)),
    () => fraction,
    { ...CALL_PATIENCE, attemptsMax: most },
  );

describe('what is made again', () => {
  const again: string[] = ['not_sent', 'lost', 'unreadable', 'server_error', 'unavailable', 'mismatched'];

  it.each(KINDS)('after %s: a read and a create alike, and a `once` call never', (kind) => {
    expect(waits('safe', [kind])).toBe(again.includes(kind) ? 250 : null);
    expect(waits('keyed', [kind])).toBe(again.includes(kind) ? 250 : null);
    expect(waits('once', [kind])).toBeNull();
  });

  it('ends after three attempts', () => {
    expect(waits('safe', ['lost', 'lost'])).toBe(1000);
    expect(waits('safe', ['lost', 'lost', 'lost'])).toBeNull();
    expect(waits('keyed', ['lost', 'unavailable', 'not_sent'])).toBeNull();
  });

  it('asks once more, and not a third time, where the answer is about another payment', () => {
    expect(waits('keyed', ['mismatched', 'mismatched'])).toBeNull();
    expect(waits('keyed', ['lost', 'mismatched'])).toBe(1000);
  });

  it('ends where the caller says so', () => {
    expect(waits('keyed', ['unavailable'], 0.5, 1)).toBeNull();
    expect(waits('keyed', ['unavailable', 'lost', 'lost'], 0.5, 4)).toBe(4000);
  });

  it.each(['lost', 'not_sent'] as const)('ends where it was interrupted (%s)', (kind) => {
    const attempt: Attempt = { kind, reason: 'aborted', message: 'interrupted' };
    expect(nextWaitMs('safe', [attempt], () => 0.5)).toBeNull();
  });
});

describe('the wait', () => {
  const tried = (count: number): AttemptKind[] => Array.from({ length: count }, () => 'lost' as const);

  it('is 250 ms, 1 s, 4 s, then 10 s, in the middle of the jitter', () => {
    expect([1, 2, 3, 4, 9].map((count) => waits('safe', tried(count), 0.5, 10))).toEqual([
      250, 1000, 4000, 10_000, 10_000,
    ]);
  });

  it('stays within 25 % of that, and never over 10 s', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 8 }),
        fc.double({ min: 0, max: 0.999999, noNaN: true }),
        (count, at) => {
          const plain = 250 * 4 ** (count - 1);
          const wait = waits('keyed', tried(count), at, 10) ?? Number.NaN;
          expect(wait).toBeGreaterThanOrEqual(Math.min(10_000, Math.round(plain * 0.75)));
          expect(wait).toBeLessThanOrEqual(Math.min(10_000, Math.round(plain * 1.25)));
        },
      ),
    );
    expect(waits('safe', tried(1), 0)).toBe(188);
    expect(waits('safe', tried(1), 0.999999)).toBe(312);
  });

  it.each([
    [0, 250],
    [100, 250],
    [7000, 7000],
    [60_000, 60_000],
    [61_000, 60_000],
    [86_400_000, 60_000],
  ])('asked for as %i ms by the service is %i ms', (retryAfterMs, wait) => {
    expect(nextWaitMs('keyed', [attemptOf('unavailable', { retryAfterMs })], () => 0.5)).toBe(wait);
    expect(nextWaitMs('safe', [attemptOf('server_error', { retryAfterMs })], () => 0.5)).toBe(wait);
  });
});

describe('who waits for ever', () => {
  it.each([
    [1, null, 0.5, 1000],
    [2, null, 0.5, 2000],
    [5, null, 0.5, 16_000],
    [6, null, 0.5, 30_000],
    [1000, null, 0.5, 30_000],
    [1, null, 0, 750],
    [6, null, 0, 22_500],
    [1, 5000, 0.5, 5000],
    [6, 5000, 0.5, 30_000],
    [1, 3_600_000, 0.5, 60_000],
  ])('after %i failures, asked for %s ms, at %d of the jitter: %i ms', (failures, asked, fraction, waitMs) =>
    expect(patientWaitMs(failures, asked, fraction)).toBe(waitMs),
  );
});

it('a call and a row of a batch are each tried three times, and a row waits out seventeen rate limits more', () => {
  expect([CALL_PATIENCE, ROW_PATIENCE]).toEqual([
    { attemptsMax: 3, limitedMax: 0, isEndless: false },
    { attemptsMax: 3, limitedMax: 17, isEndless: false },
  ]);
});

describe('a loop of attempts', () => {
  const loop = async (kinds: readonly AttemptKind[], patience = CALL_PATIENCE) => {
    const waits: number[] = [];
    const attempts = await runAttempts({
      retry: 'safe',
      patience,
      fraction: () => 0.5,
      attempt: (count) => Promise.resolve(attemptOf(kinds[count - 1] ?? 'success')),
      wait: (waitMs) => {
        waits.push(waitMs);
        return Promise.resolve(true);
      },
    });
    return { waits, kinds: attempts.map(({ kind }) => kind) };
  };

  it('keeps every attempt of a call', async () => {
    expect(await loop(['lost', 'server_error'])).toEqual({
      waits: [250, 1000],
      kinds: ['lost', 'server_error', 'success'],
    });
  });

  it('waits out for ever what passes, and keeps none of it', async () => {
    const passing = Array.from({ length: 7 }, () => 'unavailable' as const);
    expect(await loop(passing, ENDLESS_PATIENCE)).toEqual({
      waits: [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000],
      kinds: ['success'],
    });
  });

  it('gives what does not pass by itself three attempts in a row, for ever or not', async () => {
    const { kinds } = await loop(
      ['unreadable', 'lost', 'unreadable', 'unreadable', 'unreadable'],
      ENDLESS_PATIENCE,
    );
    expect(kinds).toEqual(['unreadable', 'unreadable', 'unreadable']);
  });
});
