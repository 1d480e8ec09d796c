import { describe, expect, it } from 'vitest';
import {
  checkAmount,
  checkAvailability,
  checkMethodFields,
  locateMethod,
} from '../../src/contract/create.js';
import type { WantedMethod } from '../../src/contract/create.js';
import { CATALOG } from './catalog-given.js';

const wanted: WantedMethod = { country: 'VE', currency: 'VES', method: 'debit_otp', direction: 'payin' };

describe('locateMethod', () => {
  it.each([
    ['VE', 'VES'],
    ['ve', 'ves'],
    ['Ve', 'vES'],
  ])('finds an available method in %s %s', (country, currency) => {
    const entry = CATALOG.countries[0]?.payin_methods[0];
    expect(locateMethod(CATALOG, { ...wanted, country, currency })).toEqual({ entry, decimals: 2 });
  });

  it('finds a method of a newer service that stands in the catalog', () => {
    const found = locateMethod(CATALOG, { ...wanted, method: 'wallet_of_tomorrow' });
    expect('entry' in found && found.entry.code).toBe('wallet_of_tomorrow');
  });

  it.each<[string, Partial<WantedMethod>, string, string]>([
    ['an unknown country', { country: 'ZZ' }, 'country_unsupported', 'country'],
    ['a name of the prototype', { country: '__proto__' }, 'country_unsupported', 'country'],
    ['a currency nobody has', { currency: 'XXX' }, 'currency_unsupported', 'currency'],
    ['a method without that currency', { currency: 'USD' }, 'method_unavailable', 'method'],
    ['a method of the other direction', { method: 'bank_transfer' }, 'method_unavailable', 'method'],
    ['a payout by a pay-in method', { direction: 'payout' }, 'method_unavailable', 'method'],
    ['a known method that is not offered', { method: 'mobile_payment' }, 'method_unavailable', 'method'],
    ['a method nobody knows', { method: 'pigeon' }, 'field_invalid', 'method'],
    ['country before currency', { country: 'ZZ', currency: 'XXX' }, 'country_unsupported', 'country'],
    ['a method nobody knows first', { country: 'ZZ', method: 'pigeon' }, 'field_invalid', 'method'],
  ])('refuses %s', (_, changes, refusal, field) => {
    const details = [{ field, code: 'invalid' }];
    expect(locateMethod(CATALOG, { ...wanted, ...changes })).toEqual({ refusal, details });
  });
});

describe('checkAvailability', () => {
  const judged = (method: string) => {
    const found = locateMethod(CATALOG, { ...wanted, method });
    return 'refusal' in found ? found : checkAvailability(found.entry);
  };

  it('lets an available method pass', () => expect(judged('debit_otp')).toBeNull());

  it('refuses a disabled method', () => {
    const details = [{ field: 'method', code: 'invalid' }];
    expect(judged('direct_debit')).toEqual({ refusal: 'method_unavailable', details });
  });

  it('says 503 without details for what is down for the moment', () => {
    expect(judged('incoming_mobile_payment')).toEqual({ refusal: 'temporarily_unavailable' });
  });
});

describe('checkAmount', () => {
  const bounds = { min_amount: '1.00', max_amount: '1000.00' };

  it.each(['1', '1.0', '1.00', '01.00', '999.99', '1000', '1000.00'])('takes %s', (amount) => {
    expect(checkAmount(amount, bounds, 2)).toBeNull();
  });
  it.each(['0', '0.00', '0.99', '1000.01', '99999999999999999999.99'])('finds %s out of range', (amount) => {
    expect(checkAmount(amount, bounds, 2)).toBe('amount_out_of_range');
  });
  it.each(['', '.5', '1.', '1,50', '-1.00', '+1', '1e3', ' 1', '1\n', '1.001', '1.000', '١'])(
    'finds %j invalid',
    (amount) => expect(checkAmount(amount, bounds, 2)).toBe('field_invalid'),
  );
  it('knows no cap where max is null, and no decimals where the currency has none', () => {
    const uncapped = { min_amount: '100', max_amount: null };
    expect(checkAmount('9'.repeat(60), uncapped, 0)).toBeNull();
    expect(checkAmount('100.0', uncapped, 0)).toBe('field_invalid');
    expect(checkAmount('99', uncapped, 0)).toBe('amount_out_of_range');
  });
  it('lets the service judge where its bounds are no decimals', () => {
    expect(checkAmount('5', { min_amount: 'one', max_amount: 'many' }, 2)).toBeNull();
  });
});

describe('checkMethodFields', () => {
  const body = { mandate: { contract_id: 'A1' }, expires_in_hours: 2 };
  it.each([
    ['debit_otp', ['mandate', 'expires_in_hours']],
    ['direct_debit', ['expires_in_hours']],
    ['incoming_transfer', ['mandate']],
    ['incoming_mobile_payment', ['mandate']],
    ['wallet_of_tomorrow', []],
  ])('%s does not take %j', (method, fields) => {
    expect(checkMethodFields(method, body)).toEqual(fields.map((field) => ({ field, code: 'unknown' })));
    expect(checkMethodFields(method, {})).toEqual([]);
  });
});
