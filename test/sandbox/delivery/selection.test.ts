/** Which attempts may leave: how many, in what order, and the moment each counts as made. */
import { describe, expect, it } from 'vitest';
import {
  type OutgoingDelivery,
  select,
  shareOf,
  UNDER_WAY_MAX,
  UNDER_WAY_PER_COMPANY_MAX,
} from '../../../src/sandbox/delivery/attempt.js';
import type { DueDelivery } from '../../../src/sandbox/store/deliveries.js';

const NOW_MS = 1_000_000_000;
const LIVE = { nowMs: NOW_MS, movedUntilMs: 0 };
const REPLAY = { nowMs: NOW_MS, movedUntilMs: NOW_MS };

function owed(id: string, dueMs: number, more: Partial<DueDelivery> = {}): DueDelivery {
  return {
    row: 1,
    id,
    company: 1,
    event_id: id,
    type: 'payout.confirmed',
    body: '{}',
    url: 'https://shop.example',
    status: 'pending',
    attempts: [],
    wait: 0,
    next_attempt_at: dueMs,
    fault: null,
    behind: null,
    ...more,
  };
}

function underWay(delivery: DueDelivery, atMs = delivery.next_attempt_at): OutgoingDelivery {
  return { delivery, atMs, url: delivery.url, secrets: ['s'], fault: null };
}

function chosenOf(
  due: readonly DueDelivery[],
  deliveries: readonly OutgoingDelivery[],
  moments = LIVE,
  room = 8,
): [id: string, atMs: number][] {
  return select(due, { deliveries, room }, moments).chosen.map(({ delivery, atMs }) => [delivery.id, atMs]);
}

describe('a share', () => {
  it('is bounded for each company, and for all together', () => {
    const busy = (company: number, count: number): OutgoingDelivery[] =>
      Array.from({ length: count }, (_, index) => underWay(owed(String(index), 0, { company })));
    expect(shareOf(1, [], 1).room).toBe(UNDER_WAY_PER_COMPANY_MAX);
    expect(shareOf(1, busy(1, 5), 1).room).toBe(UNDER_WAY_PER_COMPANY_MAX - 5);
    expect(shareOf(1, busy(2, UNDER_WAY_MAX - 3), 1).room).toBe(3);
    expect(shareOf(1, [...busy(2, UNDER_WAY_MAX - 3), ...busy(1, 8)], 1).room).toBe(0);
    expect(shareOf(1, [...busy(2, 3), ...busy(1, 2)], 1).deliveries).toHaveLength(2);
  });

  it('is a part of what is left where several want one, and never none while there is any', () => {
    expect(shareOf(1, [], 16).room).toBe(4);
    expect(shareOf(1, [], 1000).room).toBe(1);
  });
});

describe('what is due', () => {
  it('leaves in the order of its moments, as far as there is room; what is late counts as made now', () => {
    const list = ['a', 'b', 'c'].map((id, index) => owed(id, NOW_MS - 3000 + index));
    expect(chosenOf(list, [])).toEqual([
      ['a', NOW_MS],
      ['b', NOW_MS],
      ['c', NOW_MS],
    ]);
    expect(chosenOf(list, [], LIVE, 2)).toHaveLength(2);
  });

  it('does not leave twice', () => {
    const list = [owed('a', NOW_MS - 1), owed('b', NOW_MS)];
    expect(chosenOf(list, [underWay(list[0]!)])).toEqual([['b', NOW_MS]]);
  });

  it('tells when the next one is due', () => {
    const list = [owed('a', NOW_MS), owed('b', NOW_MS + 1), owed('c', NOW_MS + 2)];
    expect(select(list, { deliveries: [], room: 8 }, LIVE)).toMatchObject({
      chosen: [{ atMs: NOW_MS }],
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
