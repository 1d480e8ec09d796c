import { describe, expect, it } from 'vitest';
import type { MethodEntry } from '../../../src/contract/catalog.js';
import { METHOD_CODES } from '../../../src/contract/operation.js';
import { banksOf, CAPABILITIES, methodsOf, supportsBank } from '../../../src/sandbox/catalog/catalog.js';

const entries = methodsOf({}) as readonly MethodEntry[];

describe('the promises', () => {
  it('has a bank that takes only some methods, and the published banks of VE that take all', () => {
    for (const code of ['0102', '0105', '0108', '0134', '0172']) {
      for (const method of METHOD_CODES)
        expect(supportsBank('ve', code, method), `${code} ${method}`).toBe(true);
    }
    expect(supportsBank('VE', '0146', 'bank_transfer')).toBe(true);
    expect(supportsBank('VE', '0146', 'debit_otp')).toBe(false);
    expect(supportsBank('VE', '9999', 'debit_otp')).toBe(false);
    expect(supportsBank('ZZ', '0102', 'debit_otp')).toBe(false);
  });

  it('has a method without a cap', () => {
    expect(entries.some((entry) => entry.max_amount === null)).toBe(true);
  });
});

describe('banks', () => {
  it.each(CAPABILITIES.countries.map(({ code }) => code))(
    'of %s take only what the country has today',
    (code) => {
      const banks = banksOf(code);
      if ('refusal' in banks) throw new Error(banks.refusal);
      const available = entries.filter((e) => e.country === code && e.availability === 'available');
      const pattern = new RegExp(
        available[0]?.fields.find(({ name }) => name === 'bank_code')?.pattern ?? '^$',
      );
      expect(new Set(banks.map((bank) => bank.code)).size).toBe(banks.length);
      for (const bank of banks) {
        expect(bank.code).toMatch(pattern);
        expect(available.map((entry) => entry.code)).toEqual(expect.arrayContaining([...bank.methods]));
      }
    },
  );
});
