/** The sandbox's catalog as data: what `sandbox.md` promises of it, and that it agrees with itself. */
import { describe, expect, it } from 'vitest';
import type { FieldDescriptor, MethodEntry } from '../../../src/contract/catalog.js';
import { checkFields } from '../../../src/contract/create.js';
import { METHOD_CODES, METHODS } from '../../../src/contract/operation.js';
import { compareDecimals, toMinor } from '../../../src/contract/money.js';
import { banksOf, CAPABILITIES, methodsOf, supportsBank } from '../../../src/sandbox/catalog/catalog.js';

const entries = methodsOf({}) as readonly MethodEntry[];
const title = (entry: MethodEntry): string => `${entry.country} ${entry.currency} ${entry.code}`;
const venezuelan = entries.filter(({ country, currency }) => country === 'VE' && currency === 'VES');

describe('the promises', () => {
  it('has an integer version, two countries at least, and currencies of 0, 2 and 3 decimals', () => {
    expect(Number.isInteger(CAPABILITIES.config_version)).toBe(true);
    expect(CAPABILITIES.countries.length).toBeGreaterThanOrEqual(2);
    const decimals = CAPABILITIES.countries.flatMap((country) => country.currencies).map((c) => c.decimals);
    expect(new Set(decimals)).toEqual(new Set([0, 2, 3]));
  });

  it('offers all six methods in VE with VES, from 1.00 to 1000.00 at least', () => {
    expect(new Set(venezuelan.map(({ code }) => code))).toEqual(new Set(METHOD_CODES));
    for (const entry of venezuelan) {
      expect(entry.availability, entry.code).toBe('available');
      expect(compareDecimals(entry.min_amount, '1.00'), entry.code).toBeLessThanOrEqual(0);
      expect(compareDecimals(entry.max_amount ?? '1000.00', '1000.00'), entry.code).toBeGreaterThanOrEqual(0);
      const required = entry.fields.filter((field) => field.required).map(({ name }) => name);
      expect(required, entry.code).toEqual(expect.arrayContaining(['document.type', 'document.number']));
    }
  });

  it('keeps what is down or switched off outside VE, one of each at least', () => {
    const elsewhere = entries
      .filter(({ country }) => country !== 'VE')
      .map(({ availability }) => availability);
    expect(elsewhere).toEqual(expect.arrayContaining(['temporarily_unavailable', 'disabled', 'available']));
  });

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

  it('shows the receiving account of incoming methods, with a phone or an account of 20 digits', () => {
    const mobile = venezuelan.find(({ code }) => code === 'incoming_mobile_payment')?.receiving_account;
    const transfer = venezuelan.find(({ code }) => code === 'incoming_transfer')?.receiving_account;
    expect(mobile?.phone).toMatch(/^04[0-9]{9}$/);
    expect(mobile?.holder).not.toBe('');
    expect(transfer?.account_number).toMatch(/^[0-9]{20}$/);
    expect(transfer?.account_number?.slice(0, 4)).toBe(transfer?.bank_code);
    const incoming = entries.filter(({ code }) => code.startsWith('incoming'));
    expect(incoming.filter((entry) => entry.receiving_account === undefined)).toEqual([]);
  });
});

describe.each(entries.map((entry) => [title(entry), entry] as const))('%s', (_, entry) => {
  const country = CAPABILITIES.countries.find(({ code }) => code === entry.country);

  it('stands in the list of its direction, once, under a currency of its country', () => {
    const list = entry.direction === 'payin' ? country?.payin_methods : country?.payout_methods;
    const same = list?.filter(({ code, currency }) => code === entry.code && currency === entry.currency);
    expect(same).toEqual([entry]);
    expect(entry.direction).toBe(METHODS[entry.code].direction);
    expect(country?.currencies.map(({ code }) => code)).toContain(entry.currency);
  });

  it('has bounds in the currency, above zero and in order', () => {
    const decimals = country?.currencies.find(({ code }) => code === entry.currency)?.decimals ?? -1;
    const min = toMinor(entry.min_amount, decimals);
    expect(min).toBeGreaterThan(0n);
    if (entry.max_amount !== null) expect(toMinor(entry.max_amount, decimals)).toBeGreaterThan(min ?? 0n);
  });

  it('has an example or a choice for every field, which it accepts itself', () => {
    for (const field of entry.fields) {
      expect(field.example !== undefined || (field.enum?.length ?? 0) > 0, field.name).toBe(true);
    }
    const example = party(entry.fields);
    expect(checkFields('payer', example, entry.fields)).toEqual([]);
  });

  it('accepts the four document numbers of the sandbox', () => {
    for (const number of ['00000001', '00000002', '00000004', '00000022']) {
      const example = party(entry.fields);
      const document = { ...(example['document'] as object), number };
      expect(checkFields('payer', { ...example, document }, entry.fields), number).toEqual([]);
    }
  });

  it('declares the bank by a pattern, so that a well-formed unknown bank is another error', () => {
    const bank = entry.fields.find(({ name }) => name === 'bank_code');
    expect(bank?.pattern).toBeDefined();
    expect(bank?.enum).toBeUndefined();
  });

  it('asks no name of the payer of an incoming method, and takes one for a beneficiary', () => {
    const names = entry.fields.map(({ name }) => name);
    if (METHODS[entry.code].flow === 'payment') expect(names).not.toContain('name');
    if (entry.direction === 'payout') expect(names).toContain('name');
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

describe('questions', () => {
  it('filters methods by country in either case, and by direction', () => {
    expect(methodsOf({ country: 've' })).toEqual(venezuelan);
    const payouts = methodsOf({ country: 'VE', direction: 'payout' }) as readonly MethodEntry[];
    expect(payouts.map(({ code }) => code)).toEqual(['mobile_payment', 'bank_transfer']);
    expect(methodsOf({ direction: 'payin' })).toEqual(entries.filter((e) => e.direction === 'payin'));
  });

  it('refuses a country it does not have', () => {
    const refused = { refusal: 'country_unsupported', details: [{ field: 'country', code: 'invalid' }] };
    expect(methodsOf({ country: 'ZZ' })).toEqual(refused);
    expect(methodsOf({ country: '' })).toEqual(refused);
    expect(banksOf('ZZ')).toEqual(refused);
    expect(banksOf('__proto__')).toEqual(refused);
  });

  it('filters banks by method, and refuses a method that is unknown or not offered there', () => {
    const refused = { refusal: 'method_unavailable', details: [{ field: 'method', code: 'invalid' }] };
    const banks = banksOf('ve', 'debit_otp');
    if ('refusal' in banks) throw new Error(banks.refusal);
    expect(banks.map(({ code }) => code)).not.toContain('0146');
    expect(banks.length).toBeGreaterThan(4);
    expect(banksOf('VE', 'carrier_pigeon')).toEqual(refused);
    expect(banksOf('KW', 'mobile_payment')).toEqual(refused);
  });
});

/** A payer or beneficiary made of the examples, as a client builds it from the catalog. */
function party(fields: readonly FieldDescriptor[]): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const field of fields) {
    const value = field.example ?? field.enum?.[0];
    const [first = '', second] = field.name.split('.');
    result[first] = second === undefined ? value : { ...(result[first] as object), [second]: value };
  }
  return result;
}
