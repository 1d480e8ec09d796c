/** What a create takes with it: a bank reference where it is confirmed, the minute of a slow one, an amount that is never rounded. */
import { describe, expect, it } from 'vitest';
import { createPayin, createPayout } from '../../../src/sandbox/machine/create.js';
import { at, HOUR, moved, ORIGIN, payin, payout, SECOND, START } from './given.js';

const ALWAYS = {
  id: ORIGIN.id,
  country: 'VE',
  currency: 'VES',
  amount: '100.50',
  bank_reference: null,
  failure: null,
  metadata: {},
  created_by: 'company',
  created_at: '2026-09-23T15:04:05Z',
  updated_at: '2026-09-23T15:04:05Z',
};
const PAYOUT = { ...ALWAYS, type: 'payout', purpose: 'remittance', concept: 'Pago DEF7AB2C3' };

describe('a payout', () => {
  it('takes the next bank reference, and only where it is confirmed', () => {
    const context = at();
    const referenceOf = (number: string): string | null =>
      createPayout(payout(number), ORIGIN, context).held.operation.bank_reference;
    expect(['1', '00000001', '00000002', '2'].map(referenceOf)).toEqual(['00000001', null, null, '00000002']);
  });

  it('to 00000002 is processing for a minute, however slow outcomes are set to be', () => {
    for (const settleAfterMs of [0, 5 * SECOND, HOUR]) {
      const step = createPayout(payout('00000002'), ORIGIN, at(0, { settleAfterMs }));
      expect(step.held.operation).toStrictEqual({
        ...PAYOUT,
        method: 'mobile_payment',
        status: 'pending',
        pending_reason: 'processing',
      });
      expect(step.held.hidden).toMatchObject({ due_at: START + 60 * SECOND, settles_on_lookup: true });
      expect(moved(step)).toEqual(['reserve 10050']);
      expect(step.event).toBeNull();
    }
  });
});

describe('what the caller sent', () => {
  it('is never rounded: an amount with too many decimals is a defect of the caller', () => {
    expect(() => createPayout(payout('1', { amount: '1.001' }), ORIGIN, at())).toThrow(RangeError);
    expect(() => createPayin(payin('debit_otp', '1', { amount: '1e3' }), ORIGIN, at())).toThrow(RangeError);
  });
});
