/** When the bank's verdict comes: at once, after the delay that is set, or as a fault that was armed says. */
import { describe, expect, it } from 'vitest';
import type { Method } from '../../../src/contract/methods.js';
import { createPayin, createPayout } from '../../../src/sandbox/machine/create.js';
import type { Verdict } from '../../../src/sandbox/machine/types.js';
import { at, moved, ORIGIN, payin, payout, SECOND, START } from './given.js';

const REFUSED: Verdict = { status: 'failed', code: 'limit_exceeded', reason: 'daily_limit' };

describe('slow outcomes', () => {
  it.each(['12345678', '00000001'])(
    'leave a payout to %s and its like processing, no lookup settles it',
    (number) => {
      const step = createPayout(payout(number), ORIGIN, at(0, { settleAfterMs: 7 * SECOND }));
      expect(step.held.operation).toMatchObject({ status: 'pending', pending_reason: 'processing' });
      expect(step.held.hidden).toMatchObject({ due_at: START + 7 * SECOND, settles_on_lookup: false });
      expect(moved(step)).toEqual(['reserve 10050']);
    },
  );

  it('hold direct_debit back, and no other pay-in', () => {
    const slow = at(0, { settleAfterMs: 7 * SECOND });
    const reasonOf = (method: Method): string | null =>
      createPayin(payin(method), ORIGIN, slow).held.operation.pending_reason;
    expect(reasonOf('direct_debit')).toBe('processing');
    expect(reasonOf('debit_otp')).toBe('awaiting_code');
    expect(reasonOf('incoming_transfer')).toBe('awaiting_payment');
  });
});

describe('an armed outcome', () => {
  it.each(['12345678', '00000002', '00000001'])('beats what the document %s says', (number) => {
    const step = createPayout(payout(number), ORIGIN, at(0, { verdict: REFUSED }));
    expect(step.held.operation.failure).toMatchObject({ code: 'limit_exceeded', reason: 'daily_limit' });
    expect(moved(step)).toEqual(['reserve 10050', 'release 10050']);
  });

  it('comes late where outcomes are slow', () => {
    const step = createPayout(payout(), ORIGIN, at(0, { verdict: REFUSED, settleAfterMs: SECOND }));
    expect(step.held.hidden.verdict).toEqual(REFUSED);
    expect(step.held.operation.status).toBe('pending');
  });

  it('waits for the moment at which the bank answers', () => {
    const { operation, hidden } = createPayin(payin('debit_otp'), ORIGIN, at(0, { verdict: REFUSED })).held;
    expect(operation.pending_reason).toBe('awaiting_code');
    expect(hidden.verdict).toEqual(REFUSED);
  });
});
