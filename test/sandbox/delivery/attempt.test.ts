import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyAnswer, earliestRetryMs, requestOf } from '../../../src/sandbox/delivery/attempt.js';
import { selectAttempts } from '../../../src/sandbox/delivery/attempt.js';
import { shareOf, IN_PROGRESS_MAX } from '../../../src/sandbox/delivery/attempt.js';
import { IN_PROGRESS_PER_COMPANY_MAX } from '../../../src/sandbox/delivery/attempt.js';
import type { OutgoingDelivery, ReceiverAnswer } from '../../../src/sandbox/delivery/attempt.js';
import type { DueDelivery, StoredAttempt, StoredDelivery } from '../../../src/sandbox/store/deliveries.js';

const START_MS = Date.UTC(2026, 8, 23, 15, 4, 5);
const WAITS = [30, 120, 600, 1800, 3600, 7200, 14_400, 28_800, 28_800];
const DEAD: ReceiverAnswer = { status: null, error: 'no program listens at 127.0.0.1:9' };

type State = Pick<StoredDelivery, 'type' | 'attempts' | 'wait' | 'status' | 'next_attempt_at' | 'fault'>;
const NEW: State = {
  ...{ type: 'payout.confirmed', attempts: [], wait: 0, status: 'pending', fault: null },
  next_attempt_at: START_MS,
};

function play(fractions: readonly number[], outcome = DEAD, from = NEW): { state: State; moments: number[] } {
  const moments: number[] = [];
  let state = from;
  while (state.next_attempt_at !== null) {
    const atMs = state.next_attempt_at;
    state = { ...state, ...applyAnswer(state, outcome, atMs, fractions[moments.length] ?? 0.5) };
    moments.push(atMs);
  }
  return { state, moments };
}

function gaps(moments: readonly number[]): number[] {
  return moments.slice(1).map((at, index) => (at - moments[index]!) / 1000);
}

describe('a receiver that never answers 2xx', () => {
  it('has every wait varied by at most ten percent, and the whole within 25 hours', () => {
    const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    const fractions = fc.array(fraction, { minLength: 9, maxLength: 9 });
    const varied = fc.property(fractions, (drawn) => {
      const { moments } = play(drawn);
      expect(moments).toHaveLength(10);
      for (const [index, gap] of gaps(moments).entries())
        expect(Math.abs(gap / WAITS[index]! - 1)).toBeLessThanOrEqual(0.1 + 1e-9);
      expect(moments.at(-1)! - START_MS).toBeLessThan(25 * 3_600_000);
    });
    fc.assert(varied, { numRuns: 500 });
  });

  it('varies with what is drawn, to both sides', () => {
    const least = gaps(play(Array.from({ length: 9 }, () => 0)).moments);
    const most = gaps(play(Array.from({ length: 9 }, () => 0.999_999)).moments);
    expect(least.slice(0, 8)).toEqual([27, 108, 540, 1620, 3240, 6480, 12_960, 25_920]);
    expect(most.slice(0, 8).map(Math.round)).toEqual([33, 132, 660, 1980, 3960, 7920, 15_840, 31_680]);
    expect([Math.round(least[8]!), Math.round(most[8]!)]).toEqual([31_680, 25_920]);
  });

  it('keeps the last wait within its bounds where the one before took days', () => {
    const attempts: StoredAttempt[] = [{ at: '2026-09-20T00:00:00Z', status: 500, error: null }];
    const { next_attempt_at: next } = applyAnswer({ ...NEW, attempts, wait: 8 }, DEAD, START_MS, 0.5);
    expect((next! - START_MS) / 1000).toBe(25_920);
  });
});

describe('an outcome', () => {
  it.each([200, 201, 204, 299])('of %i is delivered', (status) => {
    const after = applyAnswer({ ...NEW, wait: 3 }, { status, error: null }, START_MS, 0.5);
    const attempts = [{ at: '2026-09-23T15:04:05Z', status, error: null }];
    expect(after).toEqual({ status: 'delivered', attempts, wait: 3, next_attempt_at: null, fault: null });
  });

  it.each([100, 199, 300, 301, 304, 307, 400, 404, 410, 429, 500, 503])('of %i is none', (status) => {
    const after = applyAnswer(NEW, { status, error: null }, START_MS, 0.5);
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
  it.each([...[...WAITS, Infinity].entries()])('after wait %i is 90 %% of %d s', (wait, seconds) => {
    expect(earliestRetryMs({ ...NEW, wait }, START_MS)).toBeCloseTo(START_MS + seconds * 900, 3);
  });
});

const NOW_MS = 1_000_000_000;
const LIVE = { nowMs: NOW_MS, movedUntilMs: 0 };
const REPLAY = { nowMs: NOW_MS, movedUntilMs: NOW_MS };

function owed(id: string, dueMs: number, more: Partial<DueDelivery> = {}): DueDelivery {
  return {
    ...{ row: 1, id, company: 1, event_id: id, type: 'payout.confirmed', body: '{}', status: 'pending' },
    ...{ url: 'https://shop.example', attempts: [], wait: 0, fault: null, behind: null },
    next_attempt_at: dueMs,
    ...more,
  };
}

function underWay(delivery: DueDelivery, atMs = delivery.next_attempt_at): OutgoingDelivery {
  return { delivery, atMs, url: delivery.url, secrets: ['s'], fault: null, era: 0 };
}

function chosenOf(due: DueDelivery[], deliveries: OutgoingDelivery[], moments = LIVE, slotCount = 8) {
  return selectAttempts(due, { deliveries, slotCount }, moments.nowMs, moments.movedUntilMs).dueAttempts.map(
    ({ delivery, atMs }) => [delivery.id, atMs],
  );
}

describe('a share', () => {
  it('is bounded for each company, and for all together', () => {
    const busy = (company: number, count: number): OutgoingDelivery[] =>
      Array.from({ length: count }, (_, index) => underWay(owed(String(index), 0, { company })));
    expect(shareOf(1, [], 1).slotCount).toBe(IN_PROGRESS_PER_COMPANY_MAX);
    expect(shareOf(1, busy(1, 5), 1).slotCount).toBe(IN_PROGRESS_PER_COMPANY_MAX - 5);
    expect(shareOf(1, busy(2, IN_PROGRESS_MAX - 3), 1).slotCount).toBe(3);
    expect(shareOf(1, [...busy(2, IN_PROGRESS_MAX - 3), ...busy(1, 8)], 1).slotCount).toBe(0);
    expect(shareOf(1, [...busy(2, 3), ...busy(1, 2)], 1).deliveries).toHaveLength(2);
  });

  it('is a part of what is left where several want one, and never none while there is any', () => {
    expect(shareOf(1, [], 16).slotCount).toBe(4);
    expect(shareOf(1, [], 1000).slotCount).toBe(1);
  });
});

describe('what is due', () => {
  it('leaves in the order of its moments, as far as there is room; what is late counts as made now', () => {
    const list = ['a', 'b', 'c'].map((id, index) => owed(id, NOW_MS - 3000 + index));
    expect(chosenOf(list, [])).toEqual(['a', 'b', 'c'].map((id) => [id, NOW_MS]));
    expect(chosenOf(list, [], LIVE, 2)).toHaveLength(2);
  });

  it('does not leave twice', () => {
    const list = [owed('a', NOW_MS - 1), owed('b', NOW_MS)];
    expect(chosenOf(list, [underWay(list[0]!)])).toEqual([['b', NOW_MS]]);
  });

  it('tells when the next one is due', () => {
    const list = [owed('a', NOW_MS), owed('b', NOW_MS + 1), owed('c', NOW_MS + 2)];
    const chosen = [{ atMs: NOW_MS }];
    expect(
      selectAttempts(list, { deliveries: [], slotCount: 8 }, LIVE.nowMs, LIVE.movedUntilMs),
    ).toMatchObject({
      dueAttempts: chosen,
      nextAtMs: NOW_MS + 1,
    });
  });
});

describe('what fell due while the clock was moved', () => {
  it('counts as made at its own moment', () => {
    const list = [owed('a', NOW_MS - 3_600_000), owed('b', NOW_MS - 3_590_000)];
    expect(chosenOf(list, [], REPLAY)).toEqual(list.map((one) => [one.id, one.next_attempt_at]));
  });

  it('waits for what could still be followed by something earlier', () => {
    const first = owed('a', NOW_MS - 3_600_000);
    const list = [first, owed('b', NOW_MS - 3_600_000 + 27_000), owed('c', NOW_MS - 3_600_000 + 27_001)];
    expect(chosenOf(list, [], REPLAY).map(([id]) => id)).toEqual(['a', 'b']);
    expect(chosenOf(list, [underWay(first)], REPLAY).map(([id]) => id)).toEqual(['b']);
    const last = underWay({ ...first, wait: 9 });
    expect(chosenOf(list, [last], REPLAY).map(([id]) => id)).toEqual(['b', 'c']);
  });

  it('comes before what is due now', () => {
    const list = [owed('a', NOW_MS - 60_000), owed('b', NOW_MS)];
    const moments = { nowMs: NOW_MS, movedUntilMs: NOW_MS - 50_000 };
    expect(chosenOf(list, [], moments)).toEqual([['a', NOW_MS - 60_000]]);
    expect(chosenOf([list[1]!], [], moments)).toEqual([['b', NOW_MS]]);
  });
});

it('an outgoing delivery is what a stored delivery of the service looks like', () => {
  type Vector = Record<'secret' | 'body' | 'signature', string> & { timestamp: number };
  const vector = JSON.parse(readFileSync(new URL('vector.json', import.meta.url), 'utf8')) as Vector;
  const one = { ...underWay(owed('d-1', 0, { body: vector.body })), secrets: [vector.secret] };
  expect(requestOf(one, vector.timestamp * 1000).headers['X-Firma']).toBe(vector.signature);
});
