import { describe, expect, it } from 'vitest';
import { checkCreate } from '../../src/contract/create.js';
import { CATALOG, PAYER, PAYIN, PAYOUT } from './catalog-given.js';

const supportsBank = (country: string, bank: string, method: string): boolean =>
  country === 'VE' && bank === '0102' && method !== 'wallet_of_tomorrow';

function judge(changes: Record<string, unknown>, base = PAYIN): string[] {
  const direction = base === PAYIN ? 'payin' : 'payout';
  const body: Record<string, unknown> = { ...base, ...changes };
  const result = checkCreate(CATALOG, direction, body, supportsBank);
  if ('entry' in result) return ['accepted'];
  return [result.refusal, ...(result.details ?? []).map(({ field, code }) => `${field} ${code}`)];
}

function without(name: string, base = PAYIN): Record<string, unknown> {
  return Object.fromEntries(Object.entries(base).filter(([key]) => key !== name));
}

const waiting = (hours: number) => ({ method: 'incoming_transfer', expires_in_hours: hours });
const BAD_WINDOW = ['field_invalid', 'expires_in_hours invalid'];
const by = (changes: object) => ({ payer: { ...PAYER, ...changes } });

describe('a valid create', () => {
  it('yields the entry and the decimals', () => {
    const [place] = CATALOG.countries;
    expect(checkCreate(CATALOG, 'payin', PAYIN)).toEqual({ entry: place?.payin_methods[0], decimals: 2 });
    expect(checkCreate(CATALOG, 'payout', PAYOUT)).toEqual({ entry: place?.payout_methods[0], decimals: 2 });
  });

  it.each<[string, Record<string, unknown>]>([
    ['lower case', { country: 've', currency: 'ves' }],
    ['metadata and reference', { metadata: { a: { b: [1] } }, reference: '' }],
    ['a window', { method: 'incoming_transfer', expires_in_hours: 72 }],
    [
      'null where nothing is required',
      { reference: null, metadata: null, mandate: null, expires_in_hours: null },
    ],
  ])('may have %s', (_, changes) => expect(judge(changes)).toEqual(['accepted']));

  it('may be a payout with purpose and name', () => {
    const beneficiary = { ...PAYER, name: 'Ana' };
    expect(judge({ purpose: 'payroll', beneficiary }, PAYOUT)).toEqual(['accepted']);
  });

  it('may use what a newer service declares: its method, its fields, without knowing the banks', () => {
    const body = { ...PAYIN, method: 'wallet_of_tomorrow', payer: { ...PAYER, wallet: 'w-1' }, mandate: {} };
    expect(checkCreate(CATALOG, 'payin', body)).toHaveProperty('entry.code', 'wallet_of_tomorrow');
  });
});

describe('a refused create', () => {
  it.each<[string, Record<string, unknown>, string[]]>([
    ['a field of the wrong type', { reference: 5 }, ['field_invalid', 'reference invalid']],
    ['an undeclared field', { company: 'x' }, ['field_invalid', 'company unknown']],
    ['a number for an amount', { amount: 10 }, ['field_invalid', 'amount invalid']],
    ['too many decimals', { amount: '10.001' }, ['field_invalid', 'amount invalid']],
    ['null', { amount: null }, ['field_required', 'amount required']],
    ['an empty country', { country: '' }, ['field_required', 'country required']],
    ['a method nobody knows', { method: 'pigeon' }, ['field_invalid', 'method invalid']],
    ['a malformed country', { country: 'VEN' }, ['field_invalid', 'country invalid']],
    ['an unknown country', { country: 'ZZ' }, ['country_unsupported', 'country invalid']],
    ['an unknown currency', { currency: 'XXX' }, ['currency_unsupported', 'currency invalid']],
    ['the other direction', { method: 'bank_transfer' }, ['method_unavailable', 'method invalid']],
    ['a disabled method', { method: 'direct_debit' }, ['method_unavailable', 'method invalid']],
    ['a method that is down', { method: 'incoming_mobile_payment' }, ['temporarily_unavailable']],
    ['an unknown bank', by({ bank_code: '9999' }), ['bank_unsupported', 'payer.bank_code invalid']],
    ['an amount too small', { amount: '0.99' }, ['amount_out_of_range', 'amount invalid']],
    ['an amount too large', { amount: '1000.01' }, ['amount_out_of_range', 'amount invalid']],
    ['nothing', { amount: '0' }, ['amount_out_of_range', 'amount invalid']],
    ['metadata that is a list', { metadata: [] }, ['field_invalid', 'metadata invalid']],
    ['a purpose on a pay-in', { purpose: 'payroll' }, ['field_invalid', 'purpose unknown']],
    ['a mandate', { mandate: { contract_id: '!' } }, ['field_invalid', 'mandate unknown']],
    ['a window', { expires_in_hours: 'x' }, ['field_invalid', 'expires_in_hours unknown']],
    ['a window too long', waiting(73), BAD_WINDOW],
    ['a window that breaks two rules', waiting(1e300), BAD_WINDOW],
    ['a window of no hours', waiting(0), BAD_WINDOW],
    ['a payer that is a text', { payer: 'x' }, ['field_invalid', 'payer invalid']],
    [
      'a field the schema has and the method has not',
      by({ account_type: 'nonsense' }),
      ['field_invalid', 'payer.account_type unknown'],
    ],
  ])('with %s', (_, changes, expected) => expect(judge(changes)).toEqual(expected));

  it.each(['amount', 'country', 'currency', 'method'])('without %s', (name) => {
    const result = checkCreate(CATALOG, 'payin', without(name), supportsBank);
    expect(result).toEqual({ refusal: 'field_required', details: [{ field: name, code: 'required' }] });
  });

  it('without a beneficiary names all that it lacks', () => {
    const result = checkCreate(CATALOG, 'payout', without('beneficiary', PAYOUT));
    const fields = [
      ...['beneficiary', 'beneficiary.document.type', 'beneficiary.document.number', 'beneficiary.bank_code'],
    ];
    const details = fields.map((field) => ({ field, code: 'required' }));
    expect(result).toEqual({ refusal: 'field_required', details });
  });

  it('without anything names all five fields', () => {
    expect(checkCreate(CATALOG, 'payin', {})).toEqual({
      refusal: 'field_required',
      details: ['amount', 'country', 'currency', 'method', 'payer'].map((field) => ({
        field,
        code: 'required',
      })),
    });
  });

  it('takes a member called __proto__ for a field like any other, and leaves the prototype alone', () => {
    const body = JSON.parse(
      JSON.stringify(PAYIN).replace('{', '{"__proto__":{"polluted":1},'),
    ) as typeof PAYIN;
    const result = checkCreate(CATALOG, 'payin', body, supportsBank);
    expect(result).toEqual({ refusal: 'field_invalid', details: [{ field: '__proto__', code: 'unknown' }] });
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('the order of refusal', () => {
  it('is fields, country, currency, method, bank, amount', () => {
    const wrong = { payer: { ...PAYER, bank_code: '9999' }, amount: '0.50' };
    expect(judge({ ...wrong, foo: 1, country: 'ZZ' })[0]).toBe('field_invalid');
    expect(judge({ ...wrong, country: 'ZZ', currency: 'XXX' })[0]).toBe('country_unsupported');
    expect(judge({ ...wrong, currency: 'XXX', method: 'bank_transfer' })[0]).toBe('currency_unsupported');
    expect(judge({ ...wrong, method: 'direct_debit' })[0]).toBe('method_unavailable');
    expect(judge({ ...wrong, method: 'incoming_mobile_payment' })[0]).toBe('temporarily_unavailable');
    expect(judge(wrong)[0]).toBe('bank_unsupported');
    expect(judge({ amount: '0.50' })[0]).toBe('amount_out_of_range');
  });

  it('names fields before a disabled method, and required before invalid', () => {
    expect(judge({ method: 'direct_debit', payer: { ...PAYER, bank_code: undefined } })[0]).toBe(
      'field_required',
    );
    expect(judge({ amount: 'x', payer: { document: { type: 'V', number: 'x' } } })).toEqual([
      ...['field_required', 'amount invalid', 'payer.document.number invalid', 'payer.bank_code required'],
    ]);
  });
});
