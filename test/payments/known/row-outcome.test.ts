import { describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import { NO_FACTS } from '../../../src/contract/operation-facts.js';
import { ROW_STATES, SENDABLE, type RowState } from '../../../src/storage/batches/row-state.js';
import {
  rowStatusAfter,
  isOpen,
  judgeRow,
  type JudgedRow,
  skippedStatus,
} from '../../../src/payments/known/row-outcome.js';
import type { Attempt } from '../../../src/contract/attempt.js';
import { nextWaitMs, ROW_PATIENCE } from '../../../src/contract/retry.js';
import {
  busy,
  denied,
  limited,
  lost,
  made,
  notSent,
  rejected,
  reused,
  strange,
} from '../../storage/batches/attempts.js';

const LEFT_MS = Date.parse('2026-09-23T15:00:00Z');
const MONEY = { amount: '10.50', currency: 'VES', country: 'VE', method: 'bank_transfer' };
const ASKED = { ...MONEY, direction: 'payout', reference: 'r-1' } as const;
const operation = (status: string, more: Record<string, unknown> = {}): Attempt => made(status, more, ASKED);
const other = operation('confirmed', { amount: '99.00' });
const held = (status: string): Attempt => ({ ...operation(status), isHeldElsewhere: true }) as Attempt;
const row = (stateBefore: RowState): JudgedRow => ({ stateBefore, sentAtMs: LEFT_MS });
const ALL = [operation('confirmed'), other, lost, busy, limited, notSent, denied, rejected, reused, strange];

describe('a row', () => {
  it.each([
    ['planned', [operation('confirmed')], 'confirmed'],
    ['planned', [operation('failed')], 'failed'],
    ['planned', [operation('pending')], 'accepted'],
    ['planned', [held('confirmed')], 'earlier'],
    ['unknown', [held('pending')], 'earlier'],
    ['unknown', [held('failed')], 'failed'],
    ['planned', [operation('a state of tomorrow')], 'accepted'],
    ['planned', [rejected], 'rejected'],
    ['planned', [reused], 'needs_review'],
    ['planned', [lost, reused], 'needs_review'],
    ['unknown', [reused], 'needs_review'],
    ['planned', [busy, busy, busy], 'unavailable'],
    ['planned', [notSent, notSent, notSent], 'unavailable'],
    ['planned', [strange], 'unknown'],
    ['planned', [denied], 'planned'],
    ['planned', [lost, busy], 'unknown'],
    ['planned', [lost, denied], 'unknown'],
    ['planned', [strange, rejected], 'unknown'],
    ['planned', [other, rejected], 'unknown'],
    ['planned', [other, notSent], 'unknown'],
    ['planned', [lost, rejected], 'unknown'],
    ['intent', [rejected], 'unknown'],
    ['planned', [lost, operation('confirmed')], 'confirmed'],
    ['intent', [], 'unknown'],
    ['unknown', [], 'unknown'],
    ['planned', [], 'planned'],
    ['unavailable', [], 'unavailable'],
    ['intent', [busy, busy, busy], 'unknown'],
    ['unknown', [notSent], 'unknown'],
    ['unknown', [rejected], 'unknown'],
    ['unavailable', [rejected], 'rejected'],
    ['unavailable', [busy, operation('confirmed')], 'confirmed'],
  ] as const)('that was %s, after %j, is %s', (before, attempts, state) => {
    expect(judgeRow(row(before), attempts).state).toBe(state);
  });

  const DIFFERS: Record<string, unknown>[] = [
    ...[{ amount: '10.51' }, { amount: '1050' }, { amount: 'ten' }, { currency: 'USD' }],
    ...[{ reference: 'r-2' }, { country: 'CL' }, { method: 'mobile_payment' }, { type: 'payin' }],
  ];
  it.each<[Record<string, unknown>, string]>([
    [{ amount: '10.5' }, 'confirmed'],
    [{ amount: '10.500', currency: 'ves', reference: 'r-1' }, 'confirmed'],
    ...DIFFERS.map((more): [Record<string, unknown>, string] => [more, 'needs_review']),
  ])('whose answer is about %j is %s', (more, state) => {
    const standing = judgeRow(row('planned'), [operation('confirmed', more)]);
    expect(standing).toMatchObject({ state, operation: 'op' });
  });

  it.each([
    ['2026-09-23T15:00:00Z', 'confirmed', 'confirmed'],
    ['2026-09-23T14:50:00Z', 'confirmed', 'confirmed'],
    ['2026-09-23T14:49:59Z', 'confirmed', 'earlier'],
    ['2026-09-23T14:49:59Z', 'pending', 'earlier'],
    ['2026-09-23T14:49:59Z', 'failed', 'failed'],
    ['2026-09-23T14:49:59Z', 'a state of tomorrow', 'earlier'],
  ])('whose answer was made %s and is %s is %s', (createdAt, status, state) => {
    const standing = judgeRow(row('planned'), [operation(status, { created_at: createdAt })]);
    expect(standing).toMatchObject({ state, operation: 'op', status, operationAtMs: Date.parse(createdAt) });
  });

  it('that stands as an older payment is followed to its end', () => {
    const pending = judgeRow(row('planned'), [operation('pending', { created_at: '2026-09-20T00:00:00Z' })]);
    const ended = (status: string) =>
      rowStatusAfter(pending, { ...NO_FACTS, id: 'op', status, code: 'rejected' });
    expect(ended('pending')).toBeNull();
    const older = { state: 'earlier', status: 'confirmed', code: 'older_payment' };
    expect(ended('confirmed')).toMatchObject(older);
    expect(ended('failed')).toMatchObject({ state: 'failed', status: 'failed', code: 'rejected' });
  });

  it('that was left out for a pending payment is called paid once that is confirmed, and failed where it fails', () => {
    const made = { id: 'op', code: 'rejected', createdAtMs: Date.parse('2026-09-20T00:00:00Z') };
    const payment = (status: string) => ({ ...NO_FACTS, ...made, status });
    const left = skippedStatus(payment('pending'));
    expect(left).toMatchObject({ state: 'earlier', status: 'pending', code: 'skipped_pending' });
    expect(left.detail).not.toContain('paid');
    expect(rowStatusAfter(left, payment('pending'))).toBeNull();
    const ended = rowStatusAfter(left, payment('confirmed'));
    expect(ended).toEqual(skippedStatus(payment('confirmed')));
    expect(ended).toMatchObject({ state: 'earlier', status: 'confirmed', code: 'skipped_as_paid' });
    const failed = { state: 'failed', code: 'rejected', detail: null };
    expect(rowStatusAfter(left, payment('failed'))).toMatchObject(failed);
  });

  it('that may have been carried out is never called not sent, whatever comes', () => {
    const sequence = fc.array(fc.constantFrom(...ALL), { maxLength: 5 });
    fc.assert(
      fc.property(fc.constantFrom(...SENDABLE), sequence, (before, attempts) => {
        const { state } = judgeRow(row(before), attempts);
        expect(ROW_STATES).toContain(state);
        if (isOpen(before, attempts)) expect(['planned', 'unavailable', 'intent']).not.toContain(state);
      }),
    );
  });
});

describe('a repetition', () => {
  const repeats = (attempts: readonly Attempt[]): boolean =>
    nextWaitMs('keyed', attempts, () => 0.5, ROW_PATIENCE) !== null;

  it('is made once where the answer is about another payment', () => {
    expect(repeats([other])).toBe(true);
    expect(repeats([other, other])).toBe(false);
    expect(repeats([other, operation('confirmed')])).toBe(false);
  });

  it('is made three times in all for what passes, never for a definite answer', () => {
    const times = (passing: Attempt) =>
      [1, 2, 3].map((count) => repeats(Array<Attempt>(count).fill(passing)));
    for (const passing of [lost, busy, notSent]) expect(times(passing)).toEqual([true, true, false]);
    for (const definite of [operation('failed'), rejected, reused, denied, strange]) {
      expect(repeats([definite])).toBe(false);
      expect(repeats([lost, definite])).toBe(false);
    }
  });

  it('is patient with a rate limit, and ends all the same', () => {
    expect(repeats(Array<Attempt>(19).fill(limited))).toBe(true);
    expect(repeats(Array<Attempt>(20).fill(limited))).toBe(false);
    expect(repeats([limited, limited, limited, limited, lost])).toBe(true);
  });
});
