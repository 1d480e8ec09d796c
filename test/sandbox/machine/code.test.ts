/** The one-time code: one attempt, its expiry, and five resends. */
import { describe, expect, it } from 'vitest';
import { confirm, resend } from '../../../src/sandbox/machine/passage.js';
import type { BankVerdict } from '../../../src/sandbox/machine/operation.js';
import { at, awaitingCode, done, EVERY_STATE, MINUTE, moved, SECOND, START } from './given.js';

const OTHERS = EVERY_STATE.filter(([name]) => name !== 'awaiting_code');
const OFFLINE: BankVerdict = { status: 'failed', code: 'temporarily_unavailable', reason: 'bank_offline' };

describe('confirm', () => {
  it('with the right code confirms, the whole amount in the balance', () => {
    const before = awaitingCode();
    const step = done(confirm(before, '123456', at(MINUTE)));
    expect(step.held.operation).toStrictEqual({
      ...omit(before.operation, 'code_expires_at'),
      status: 'confirmed',
      pending_reason: null,
      bank_reference: '00000001',
      confirmed_at: '2026-09-23T15:05:05Z',
      updated_at: '2026-09-23T15:05:05Z',
    });
    expect(moved(step)).toEqual(['credit 10050']);
    expect(step.event).toBe('payin.confirmed');
  });

  it.each(['12345678', '00000001', '00000002', '00000004'])(
    'with a wrong code fails, whatever %s says',
    (number) => {
      for (const code of ['654321', '12345', '1234567', ' 123456', '１２３４５６']) {
        const step = done(confirm(awaitingCode(number), code, at(MINUTE)));
        const failure = { code: 'code_rejected', reason: 'code_invalid', message: 'The code was wrong.' };
        expect(step.held.operation).toMatchObject({ status: 'failed', pending_reason: null, failure });
        expect(step.held.operation).not.toHaveProperty('code_expires_at');
        expect(step).toMatchObject({ entries: [], event: 'payin.failed' });
      }
    },
  );

  it('counts a code valid until five minutes have passed, to the millisecond', () => {
    const failureAt = (ms: number, code: string): unknown =>
      done(confirm(awaitingCode(), code, at(ms))).held.operation.failure?.reason;
    expect(failureAt(5 * MINUTE - 1, '123456')).toBeUndefined();
    expect(failureAt(5 * MINUTE, '123456')).toBe('code_expired');
    expect(failureAt(5 * MINUTE - 1, '000000')).toBe('code_invalid');
    expect(failureAt(5 * MINUTE, '000000')).toBe('code_expired');
  });

  it.each([
    ['00000001', 'counterparty_rejected'],
    ['00000004', 'payer_insufficient_funds'],
  ])('of %s fails with %s once the code was right', (number, code) => {
    const step = done(confirm(awaitingCode(number), '123456', at(MINUTE)));
    expect(step.held.operation.failure?.code).toBe(code);
    expect(step).toMatchObject({ entries: [], event: 'payin.failed' });
  });

  it('of 00000002 is processing for a minute or until it is looked up', () => {
    const step = done(confirm(awaitingCode('00000002'), '123456', at(MINUTE, { settleAfterMs: 9 })));
    expect(step.held.operation).toMatchObject({ status: 'pending', pending_reason: 'processing' });
    expect(step.held.operation).not.toHaveProperty('code_expires_at');
    expect(step.held.hidden).toMatchObject({ due_at: START + 2 * MINUTE, settles_on_lookup: true });
    expect(step).toMatchObject({ entries: [], event: null });
  });

  it('does not wait where outcomes are slow: that is for payouts and direct_debit', () => {
    const step = done(confirm(awaitingCode(), '123456', at(MINUTE, { settleAfterMs: 9 })));
    expect(step.held.operation.status).toBe('confirmed');
  });

  it('obeys an armed outcome only after the code', () => {
    const armed = at(MINUTE, { verdict: OFFLINE });
    const reason = (code: string): unknown =>
      done(confirm(awaitingCode('00000002'), code, armed)).held.operation.failure?.reason;
    expect(reason('123456')).toBe('bank_offline');
    expect(reason('000000')).toBe('code_invalid');
  });

  it('obeys an outcome that was armed when the pay-in was created', () => {
    const held = awaitingCode();
    const armed = { ...held, hidden: { ...held.hidden, verdict: OFFLINE } };
    expect(done(confirm(armed, '123456', at(MINUTE))).held.operation.failure?.reason).toBe('bank_offline');
    const later = at(MINUTE, { verdict: { status: 'confirmed' } });
    expect(done(confirm(armed, '123456', later)).held.operation.status).toBe('confirmed');
  });

  it.each(OTHERS)('is not expected where an operation is %s', (_, held) => {
    expect(confirm(held, '123456', at(MINUTE))).toEqual({ refusal: 'code_not_expected' });
  });

  it('takes the one code of this sandbox', () => {
    const step = done(confirm(awaitingCode(), '777777', at(MINUTE, { code: '777777' })));
    expect(step.held.operation.status).toBe('confirmed');
  });
});

describe('resend', () => {
  it('makes a new code valid for five minutes from then', () => {
    const before = awaitingCode();
    const step = done(resend(before, at(2 * MINUTE)));
    expect(step.held.operation).toStrictEqual({
      ...before.operation,
      code_expires_at: '2026-09-23T15:11:05Z',
      updated_at: '2026-09-23T15:06:05Z',
    });
    expect(step.held.hidden).toEqual({
      ...before.hidden,
      resends: 1,
      code_expires_at: START + 7 * MINUTE,
    });
    expect(step).toMatchObject({ entries: [], event: null });
  });

  it('revives a pay-in whose code had expired', () => {
    const { held } = done(resend(awaitingCode(), at(60 * MINUTE)));
    expect(done(confirm(held, '123456', at(64 * MINUTE))).held.operation.status).toBe('confirmed');
  });

  it('works five times, and the sixth is refused without a change', () => {
    let held = awaitingCode();
    for (let times = 1; times <= 5; times += 1) ({ held } = done(resend(held, at(times * SECOND))));
    expect(resend(held, at(6 * SECOND))).toEqual({ refusal: 'too_many_codes' });
    expect(done(confirm(held, '123456', at(7 * SECOND))).held.operation.status).toBe('confirmed');
  });

  it.each(OTHERS)('is not expected where an operation is %s', (_, held) => {
    expect(resend(held, at(MINUTE))).toEqual({ refusal: 'code_not_expected' });
  });
});

function omit(object: object, name: string): object {
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
}
