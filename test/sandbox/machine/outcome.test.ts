/** The outcomes by document number. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isFailure } from '../../../src/contract/failures.js';
import { METHOD_CODES } from '../../../src/contract/operation.js';
import { bankOutcomeOf } from '../../../src/sandbox/machine/settle.js';

const SPECIAL = ['00000001', '00000002', '00000004', '00000022'];

it.each([
  ['00000001', 'counterparty_rejected', 'invalid_account'],
  ['00000004', 'payer_insufficient_funds', 'payer_insufficient_funds'],
])('%s fails with %s by every method', (number, code, reason) => {
  for (const method of METHOD_CODES) {
    expect(bankOutcomeOf(number, method)).toEqual({ status: 'failed', code, reason });
    expect(isFailure(code, reason)).toBe(true);
  }
});

it('00000002 is answered later by every method', () => {
  for (const method of METHOD_CODES) expect(bankOutcomeOf('00000002', method)).toBe('later');
});

it('00000022 lacks a mandate by direct_debit alone', () => {
  const mandate = { status: 'failed', code: 'mandate_required', reason: 'no_mandate' };
  for (const method of METHOD_CODES) {
    expect(bankOutcomeOf('00000022', method)).toEqual(
      method === 'direct_debit' ? mandate : { status: 'confirmed' },
    );
  }
});

it('any other number is confirmed, and so is none', () => {
  const number = fc.option(fc.oneof(fc.stringMatching(/^0{0,8}[0-9]{1,4}$/), fc.string()), { nil: null });
  fc.assert(
    fc.property(number, fc.constantFrom(...METHOD_CODES), (text, method) => {
      fc.pre(text === null || !SPECIAL.includes(text));
      expect(bankOutcomeOf(text, method)).toEqual({ status: 'confirmed' });
    }),
  );
});
