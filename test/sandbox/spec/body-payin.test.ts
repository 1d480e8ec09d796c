import { describe, expect, it } from 'vitest';
import { create, createWith, INCOMING_METHODS, PAYIN_METHODS } from '../support/bodies.js';
import { expectInvalid, expectUnknown, msOf } from '../support/expectations.js';
import { openWorld } from '../support/world.js';

const NOT_INCOMING = ['debit_otp', 'direct_debit'];
const NO_MANDATE = PAYIN_METHODS.filter((method) => method !== 'direct_debit');

describe.each(INCOMING_METHODS)('expires_in_hours of %s', (method) => {
  it.each([1, 2, 47, 48, 71, 72])('%s is the window', async (hours) => {
    const { status, json } = await createWith(method, 'expires_in_hours', hours);
    expect(status).toBe(201);
    expect(msOf(json.expires_at) - msOf(json.created_at)).toBe(hours * 3_600_000);
  });

  it('is 48 by default', async () => {
    const { json } = await create(await openWorld(), method);
    expect(msOf(json.expires_at) - msOf(json.created_at)).toBe(48 * 3_600_000);
  });

  it.each([0, -1, 73, 1000, 1.5, '24', '', true, [], {}, 1e300])('%j is invalid', async (value) => {
    expectInvalid(await createWith(method, 'expires_in_hours', value), 'expires_in_hours');
  });
});

describe('a field that the method does not take', () => {
  it.each(NOT_INCOMING)('expires_in_hours on %s is unknown', async (method) => {
    expectUnknown(await createWith(method, 'expires_in_hours', 24), 'expires_in_hours');
  });

  it.each(NO_MANDATE)('mandate on %s is unknown', async (method) => {
    expectUnknown(await createWith(method, 'mandate', { contract_id: 'A1' }), 'mandate');
  });

  it.each(['purpose', 'beneficiary'])('%s belongs to payouts', async (field) => {
    const value = field === 'purpose' ? 'remittance' : {};
    expectUnknown(await createWith('direct_debit', field, value), field);
  });
});

describe('mandate of direct_debit', () => {
  it.each([
    [{}],
    [{ contract_id: 'A' }],
    [{ contract_id: 'aZ09' }],
    [{ contract_id: 'x'.repeat(30) }],
    [{ contract_date: '2026-01-31' }],
    [{ contract_date: '2026-01-31', contract_id: 'C1' }],
    [{ contract_date: null, contract_id: null }],
    [null],
  ])('%j is accepted', async (mandate) => {
    expect((await createWith('direct_debit', 'mandate', mandate)).status).toBe(201);
  });

  it.each(['', 'x'.repeat(31), 'a-b', 'a b', 'ñ', 'a\n', 5, {}])(
    'contract_id %j is invalid',
    async (value) => {
      expectInvalid(await createWith('direct_debit', 'mandate.contract_id', value), 'mandate.contract_id');
    },
  );

  it.each([5, {}, []])('contract_date %j is invalid', async (value) => {
    expectInvalid(await createWith('direct_debit', 'mandate.contract_date', value), 'mandate.contract_date');
  });

  it.each([['a string'], [1], [[]]])('%j is no mandate', async (value) => {
    expectInvalid(await createWith('direct_debit', 'mandate', value), 'mandate');
  });

  it('has no other field', async () => {
    expectUnknown(await createWith('direct_debit', 'mandate', { signed: true }), 'mandate.signed');
  });
});
