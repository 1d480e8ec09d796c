import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPayin, createPayout } from '../../../src/sandbox/machine/create.js';
import { formatBankReference, companyPrefixOf, conceptOf } from '../../../src/sandbox/machine/operation.js';
import { at, HOUR, moved, ORIGIN, payin, payout, SECOND, START } from './given.js';

const PAYOUT = {
  ...{ id: ORIGIN.id, type: 'payout', country: 'VE', currency: 'VES', amount: '100.50' },
  ...{ purpose: 'remittance', concept: 'Pago DEF7AB2C3', metadata: {}, bank_reference: null, failure: null },
  ...{ created_by: 'company', created_at: '2026-09-23T15:04:05Z', updated_at: '2026-09-23T15:04:05Z' },
  ...{ method: 'mobile_payment', status: 'pending', pending_reason: 'processing' },
};

describe('a payout', () => {
  it('takes the next bank reference, and only where it is confirmed', () => {
    const context = at();
    const referenceOf = (number: string): string | null =>
      createPayout(payout(number), ORIGIN, context).record.operation.bank_reference;
    expect(['1', '00000001', '00000002', '2'].map(referenceOf)).toEqual(['00000001', null, null, '00000002']);
  });

  it('to 00000002 is processing for a minute, however slow outcomes are set to be', () => {
    for (const settleAfterMs of [0, 5 * SECOND, HOUR]) {
      const step = createPayout(payout('00000002'), ORIGIN, at(0, { settleAfterMs }));
      expect(step.record.operation).toStrictEqual(PAYOUT);
      expect(step.record.hidden).toMatchObject({ due_at: START + 60 * SECOND, settles_on_lookup: true });
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

it('is a Spanish word, the three letters, and six characters of the id in capitals', () => {
  const id = '7ab2c3d4-5e6f-4a8b-9c0d-1e2f3a4b5c6d';
  expect(conceptOf('payin', 'TCP', id)).toBe('Cobro TCP7AB2C3');
  expect(conceptOf('payout', 'TCP', id)).toBe('Pago TCP7AB2C3');
});

it.each([
  ['default', 'DEF'],
  ['acme', 'ACM'],
  ['4 you & me', 'YOU'],
  ['Ñu', 'UXX'],
  ['', 'XXX'],
])('abbreviates %j to %s', (company, prefix) => expect(companyPrefixOf(company)).toBe(prefix));

it('abbreviates every name to three capital letters', () => {
  fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (name) => /^[A-Z]{3}$/.test(companyPrefixOf(name))));
});

it('counts bank references in eight digits', () => {
  expect([1, 42, 99_999_999].map(formatBankReference)).toEqual(['00000001', '00000042', '99999999']);
});
