import { describe, expect, it } from 'vitest';
import { confirm } from '../../../src/sandbox/machine/passage.js';
import type { BankVerdict } from '../../../src/sandbox/machine/operation.js';
import { at, awaitingCode, done, MINUTE } from './given.js';

const OFFLINE: BankVerdict = { status: 'failed', code: 'temporarily_unavailable', reason: 'bank_offline' };

describe('confirm', () => {
  it('counts a code valid until five minutes have passed, to the millisecond', () => {
    const failureAt = (ms: number, code: string): unknown =>
      done(confirm(awaitingCode(), code, at(ms))).record.operation.failure?.reason;
    expect(failureAt(5 * MINUTE - 1, '123456')).toBeUndefined();
    expect(failureAt(5 * MINUTE, '123456')).toBe('code_expired');
    expect(failureAt(5 * MINUTE - 1, '000000')).toBe('code_invalid');
    expect(failureAt(5 * MINUTE, '000000')).toBe('code_expired');
  });

  it('does not wait where outcomes are slow: that is for payouts and direct_debit', () => {
    const step = done(confirm(awaitingCode(), '123456', at(MINUTE, { settleAfterMs: 9 })));
    expect(step.record.operation.status).toBe('confirmed');
  });

  it('obeys an armed outcome only after the code', () => {
    const armed = at(MINUTE, { verdict: OFFLINE });
    const reason = (code: string): unknown =>
      done(confirm(awaitingCode('00000002'), code, armed)).record.operation.failure?.reason;
    expect(reason('123456')).toBe('bank_offline');
    expect(reason('000000')).toBe('code_invalid');
  });

  it('obeys an outcome that was armed when the pay-in was created', () => {
    const held = awaitingCode();
    const armed = { ...held, hidden: { ...held.hidden, verdict: OFFLINE } };
    expect(done(confirm(armed, '123456', at(MINUTE))).record.operation.failure?.reason).toBe('bank_offline');
    const later = at(MINUTE, { verdict: { status: 'confirmed' } });
    expect(done(confirm(armed, '123456', later)).record.operation.status).toBe('confirmed');
  });
});
