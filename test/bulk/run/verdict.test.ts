/** Where a row stands after everything that came of sending it: nothing that may have been carried out is ever called not sent. */
import { describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import { ROW_STATES, SENDABLE } from '../../../src/bulk/row-state.js';
import type { Delivery } from '../../../src/bulk/run/delivery.js';
import { isRepeated } from '../../../src/bulk/run/repetition.js';
import { judge } from '../../../src/bulk/run/verdict.js';

const ROW = { reference: 'r-1', amount: '10.50', currency: 'VES' };
const operation = (status: string, more: object = {}): Delivery => ({
  kind: 'operation',
  operation: { id: 'op', status, code: null, ...more },
});
const lost: Delivery = { kind: 'unknown', code: 'no_answer' };
const busy: Delivery = { kind: 'unavailable', code: 'busy', isLimit: false, retryAfterMs: null };
const limited: Delivery = { ...busy, isLimit: true };
const notSent: Delivery = { kind: 'not_sent', code: 'connect' };
const denied: Delivery = { kind: 'denied', code: 'unauthorized', detail: '' };
const rejected: Delivery = { kind: 'rejected', code: 'field_invalid', detail: '', settles: true };
const unread: Delivery = { ...rejected, code: 'body_invalid', settles: false };
const conflict: Delivery = { kind: 'conflict', code: 'idempotency_key_reused', detail: '' };
const misdirected: Delivery = { kind: 'misdirected', code: 'route_not_found', detail: '' };
const ALL = [
  operation('confirmed'),
  lost,
  busy,
  limited,
  notSent,
  denied,
  rejected,
  unread,
  conflict,
  misdirected,
];

describe('a row', () => {
  it.each([
    ['planned', [operation('confirmed')], 'confirmed'],
    ['planned', [operation('failed')], 'failed'],
    ['planned', [operation('pending')], 'accepted'],
    ['planned', [operation('a state of tomorrow')], 'accepted'],
    ['planned', [rejected], 'rejected'],
    ['planned', [conflict], 'conflict'],
    ['planned', [busy, busy, busy], 'unavailable'],
    ['planned', [notSent, notSent, notSent], 'unavailable'],
    ['planned', [misdirected], 'unavailable'],
    ['planned', [denied], 'planned'],
    ['planned', [lost, busy], 'unknown'],
    ['planned', [lost, denied], 'unknown'],
    ['planned', [lost, misdirected], 'unknown'],
    ['planned', [lost, unread], 'unknown'],
    ['planned', [lost, rejected], 'rejected'],
    ['planned', [lost, operation('confirmed')], 'confirmed'],
    ['intent', [], 'unknown'],
    ['unknown', [], 'unknown'],
    ['planned', [], 'planned'],
    ['unavailable', [], 'unavailable'],
    ['intent', [busy, busy, busy], 'unknown'],
    ['unknown', [notSent], 'unknown'],
    ['unknown', [rejected], 'rejected'],
    ['unavailable', [busy, operation('confirmed')], 'confirmed'],
  ] as const)('that was %s, after %j, is %s', (before, deliveries, state) => {
    expect(judge(ROW, before, deliveries).state).toBe(state);
  });

  it.each([
    [{ amount: '10.5' }, 'confirmed'],
    [{ amount: '10.500', currency: 'ves', reference: 'r-1' }, 'confirmed'],
    [{ amount: '10.51' }, 'needs_review'],
    [{ amount: '1050' }, 'needs_review'],
    [{ amount: 'ten' }, 'needs_review'],
    [{ currency: 'USD' }, 'needs_review'],
    [{ reference: 'r-2' }, 'needs_review'],
  ])('whose answer is about %j is %s', (more, state) => {
    expect(judge(ROW, 'planned', [operation('confirmed', more)])).toMatchObject({ state, operation: 'op' });
  });

  it('that may have been carried out is never called not sent, whatever comes', () => {
    const sequence = fc.array(fc.constantFrom(...ALL), { maxLength: 5 });
    fc.assert(
      fc.property(fc.constantFrom(...SENDABLE), sequence, (before, deliveries) => {
        const { state } = judge(ROW, before, deliveries);
        expect(ROW_STATES).toContain(state);
        const isOpen = before === 'intent' || before === 'unknown' || deliveries.includes(lost);
        if (isOpen) expect(['planned', 'unavailable', 'intent']).not.toContain(state);
      }),
    );
  });
});

describe('a repetition', () => {
  it('is made three times in all for what passes, never for a definite answer', () => {
    for (const passing of [lost, busy, notSent]) {
      expect([1, 2, 3].map((count) => isRepeated(Array<Delivery>(count).fill(passing)))).toEqual([
        true,
        true,
        false,
      ]);
    }
    for (const definite of [operation('failed'), rejected, conflict, denied, misdirected, unread]) {
      expect(isRepeated([definite])).toBe(false);
      expect(isRepeated([lost, definite])).toBe(false);
    }
  });

  it('is patient with a rate limit, and ends all the same', () => {
    expect(isRepeated(Array<Delivery>(19).fill(limited))).toBe(true);
    expect(isRepeated(Array<Delivery>(20).fill(limited))).toBe(false);
    expect(isRepeated([limited, limited, limited, limited, lost])).toBe(true);
  });
});
