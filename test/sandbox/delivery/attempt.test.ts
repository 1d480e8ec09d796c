/** The schedule of a delivery: its waits, how they vary, and where it ends; and that it is signed as the service signs. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  afterAttempt,
  earliestRetryMs,
  requestOf,
  type OutgoingDelivery,
  type ReceiverAnswer,
} from '../../../src/sandbox/delivery/attempt.js';
import type { StoredAttempt, StoredDelivery } from '../../../src/sandbox/store/deliveries.js';

const START_MS = Date.UTC(2026, 8, 23, 15, 4, 5);
/** Section 6. */
const WAITS = [30, 120, 600, 1800, 3600, 7200, 14_400, 28_800, 28_800];
const DEAD: ReceiverAnswer = { status: null, error: 'no program listens at 127.0.0.1:9' };

type State = Pick<StoredDelivery, 'type' | 'attempts' | 'wait' | 'status' | 'next_attempt_at' | 'fault'>;
const NEW: State = {
  type: 'payout.confirmed',
  attempts: [],
  wait: 0,
  status: 'pending',
  next_attempt_at: START_MS,
  fault: null,
};

/** Attempts at the moments they are due until there is none, each failing in that way. */
function play(fractions: readonly number[], outcome = DEAD, from = NEW): { state: State; moments: number[] } {
  const moments: number[] = [];
  let state = from;
  while (state.next_attempt_at !== null) {
    const atMs = state.next_attempt_at;
    state = { ...state, ...afterAttempt(state, outcome, atMs, fractions[moments.length] ?? 0.5) };
    moments.push(atMs);
  }
  return { state, moments };
}

function gaps(moments: readonly number[]): number[] {
  return moments.slice(1).map((at, index) => (at - moments[index]!) / 1000);
}

describe('a receiver that never answers 2xx', () => {
  it('has every wait varied by at most ten percent, and the whole within 25 hours', () => {
    const fractions = fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), {
      minLength: 9,
      maxLength: 9,
    });
    fc.assert(
      fc.property(fractions, (drawn) => {
        const { moments } = play(drawn);
        expect(moments).toHaveLength(10);
        for (const [index, gap] of gaps(moments).entries()) {
          expect(Math.abs(gap / WAITS[index]! - 1)).toBeLessThanOrEqual(0.1 + 1e-9);
        }
        expect(moments.at(-1)! - START_MS).toBeLessThan(25 * 3_600_000);
      }),
      { numRuns: 500 },
    );
  });

  it('varies with what is drawn, to both sides', () => {
    const least = gaps(play(Array.from({ length: 9 }, () => 0)).moments);
    const most = gaps(play(Array.from({ length: 9 }, () => 0.999_999)).moments);
    expect(least.slice(0, 8)).toEqual([27, 108, 540, 1620, 3240, 6480, 12_960, 25_920]);
    expect(most.slice(0, 8).map(Math.round)).toEqual([33, 132, 660, 1980, 3960, 7920, 15_840, 31_680]);
    // The last one makes up for the one before it.
    expect([least[8]! - 31_680, most[8]! - 25_920].map((difference) => Math.abs(difference) < 1)).toEqual([
      true,
      true,
    ]);
  });

  it('keeps the last wait within its bounds where the one before took days', () => {
    const attempts: StoredAttempt[] = [{ at: '2026-09-20T00:00:00Z', status: 500, error: null }];
    const { next_attempt_at: next } = afterAttempt({ ...NEW, attempts, wait: 8 }, DEAD, START_MS, 0.5);
    expect((next! - START_MS) / 1000).toBe(25_920);
  });
});

describe('an outcome', () => {
  it.each([200, 201, 204, 299])('of %i is delivered', (status) => {
    const after = afterAttempt({ ...NEW, wait: 3 }, { status, error: null }, START_MS, 0.5);
    expect(after).toEqual({
      status: 'delivered',
      attempts: [{ at: '2026-09-23T15:04:05Z', status, error: null }],
      wait: 3,
      next_attempt_at: null,
      fault: null,
    });
  });

  it.each([100, 199, 300, 301, 304, 307, 400, 404, 410, 429, 500, 503])('of %i is none', (status) => {
    const after = afterAttempt(NEW, { status, error: null }, START_MS, 0.5);
    expect(after).toMatchObject({ status: 'pending', wait: 1, next_attempt_at: START_MS + 30_000 });
  });
});

describe('a test.ping', () => {
  it('is attempted once', () => {
    const ping = { ...NEW, type: 'test.ping' } as const;
    expect(play([], DEAD, ping).state).toMatchObject({ status: 'exhausted', attempts: [{ status: null }] });
    expect(play([], { status: 200, error: null }, ping).state).toMatchObject({ status: 'delivered' });
    expect(earliestRetryMs(ping, START_MS)).toBe(Infinity);
  });
});

describe('the earliest retry', () => {
  it.each(WAITS.map((seconds, wait) => [wait, seconds]))(
    'after wait %i is 90 %% of %i s',
    (wait, seconds) => {
      expect(earliestRetryMs({ ...NEW, wait }, START_MS)).toBeCloseTo(START_MS + seconds * 900, 3);
    },
  );

  it('is never after the last', () => {
    expect(earliestRetryMs({ ...NEW, wait: 9 }, START_MS)).toBe(Infinity);
  });
});

const BODY = '{"id":"0c9d1b2e","type":"payout.confirmed","data":{"metadata":{"ñ":1.10}}}';

function outgoing(secrets: readonly string[]): OutgoingDelivery {
  const delivery = {
    row: 1,
    id: 'd-1',
    company: 1,
    event_id: 'e-1',
    type: 'payout.confirmed',
    body: BODY,
    url: 'https://old.example/hooks',
    status: 'pending',
    attempts: [],
    wait: 0,
    next_attempt_at: 0,
    fault: null,
    behind: null,
  } as const;
  return { delivery, atMs: 0, url: 'https://new.example/hooks?a=b', secrets, fault: null };
}

describe('an outgoing delivery', () => {
  it('is what a stored delivery of the service looks like', () => {
    const vector = JSON.parse(readFileSync(new URL('vector.json', import.meta.url), 'utf8')) as Record<
      'secret' | 'body' | 'signature',
      string
    > & { timestamp: number };
    const { delivery } = outgoing([]);
    const one = { ...outgoing([vector.secret]), delivery: { ...delivery, body: vector.body } };
    expect(requestOf(one, vector.timestamp * 1000).headers['X-Firma']).toBe(vector.signature);
  });
});
