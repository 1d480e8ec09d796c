/** Cancelling: what can be cancelled, what it moves, and what can't. */
import { describe, expect, it } from 'vitest';
import { cancel } from '../../../src/sandbox/machine/cancel.js';
import { at, awaitingPayment, done, EVERY_STATE, MINUTE, moved, processingPayout } from './given.js';

const FAILURE = { code: 'cancelled', reason: 'cancelled', message: 'It was cancelled on request.' };
const CANCELLABLE = ['awaiting_payment', 'processing payout'];

describe('cancel', () => {
  it.each(['incoming_mobile_payment', 'incoming_transfer'] as const)('ends %s with its window', (method) => {
    const before = awaitingPayment(method);
    const step = done(cancel(before, at(MINUTE)));
    expect(step.held.operation).toStrictEqual({
      ...before.operation,
      status: 'failed',
      pending_reason: null,
      expires_at: null,
      failure: FAILURE,
      updated_at: '2026-09-23T15:05:05Z',
    });
    expect(step.held.hidden.due_at).toBeNull();
    expect(step).toMatchObject({ entries: [], event: 'payin.failed' });
  });

  it('takes a processing payout back, and is no lookup', () => {
    const step = done(cancel(processingPayout(), at(MINUTE)));
    expect(step.held.operation).toMatchObject({ status: 'failed', pending_reason: null, failure: FAILURE });
    expect(step.held.operation).not.toHaveProperty('expires_at');
    expect(step.held.hidden).toMatchObject({ due_at: null, settles_on_lookup: false, verdict: null });
    expect(moved(step)).toEqual(['release 10050']);
    expect(step.event).toBe('payout.failed');
  });

  it.each(EVERY_STATE.filter(([name]) => !CANCELLABLE.includes(name)))(
    'is refused where it is %s',
    (_, held) => {
      expect(cancel(held, at(MINUTE))).toEqual({ refusal: 'not_cancellable' });
    },
  );

  it('is not moved by an armed outcome', () => {
    const verdict = { status: 'confirmed' } as const;
    expect(done(cancel(processingPayout(), at(MINUTE, { verdict }))).held.operation.failure).toEqual(FAILURE);
  });
});
