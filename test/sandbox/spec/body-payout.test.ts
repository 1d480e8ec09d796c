import { describe, expect, it } from 'vitest';
import { create, createWith, PAYOUT_METHODS } from '../support/bodies.js';
import { expectInvalid, expectUnknown } from '../support/expectations.js';
import { openWorld } from '../support/world.js';

describe.each(PAYOUT_METHODS)('the body of a %s', (method) => {
  it('has the purpose remittance by default', async () => {
    expect((await create(await openWorld(), method)).json.purpose).toBe('remittance');
  });

  it.each(['', 'Payroll', 'salary', 1, {}, []])('has no purpose %j', async (purpose) => {
    expectInvalid(await createWith(method, 'purpose', purpose), 'purpose');
  });

  it.each([
    ['payer', {}],
    ['mandate', {}],
    ['expires_in_hours', 24],
    ['code', '123456'],
  ])('has no %s', async (field, value) => expectUnknown(await createWith(method, field, value), field));

  it.each(['phone', 'email', 'account_type'])('has no beneficiary.%s', async (name) => {
    expectUnknown(await createWith(method, `beneficiary.${name}`, 'x'), `beneficiary.${name}`);
  });
});
