import { describe, expect, it } from 'vitest';
import { create, validBody } from '../support/bodies.js';
import { aWorldForEachTest, world } from '../support/fresh-world.js';

aWorldForEachTest();

describe('what the caller sent', () => {
  it.each(['debit_otp', 'incoming_transfer', 'mobile_payment'])(
    'comes back unchanged on a %s',
    async (method) => {
      const fields = {
        reference: ' 7 Ñ “x” \u0000 ',
        metadata: { b: [1, { c: null }], a: 'ü😀', n: 1.5, '': false },
      };
      const { json } = await create(world, method, { fields });
      expect(json).toMatchObject(fields);
      expect((await world.get(`/v2/transactions/${json.id}`)).json).toMatchObject(fields);
    },
  );

  it.each([
    ['numbers as they were written', '{"n":12345678901234567890,"d":1.10,"e":1e2,"z":-0}'],
    ['names in their order', '{"2":1,"1":2,"b":0,"a":0}'],
    ['half a surrogate pair', '{"a":"\\ud800","\\udfff":1}'],
  ])('keeps in metadata %s', async (_what, metadata) => {
    const text = JSON.stringify(await validBody(world, 'bank_transfer'));
    const body = `${text.slice(0, -1)},"metadata":${metadata}}`;
    const made = await world.post('/v2/payouts', body, { idempotencyKey: 'a-key-of-mine' });
    expect(made.status).toBe(201);
    expect(made.text).toContain(`"metadata":${metadata}`);
    expect((await world.get(`/v2/transactions/${made.json.id}`)).text).toBe(made.text);
    expect((await world.get('/v2/events')).text).toContain(made.text);
  });

  it('is not sent to the bank: the concept does not change with it', async () => {
    const { json } = await create(world, 'mobile_payment', { fields: { reference: 'rent' } });
    expect(json.concept).not.toContain('rent');
  });

  it.each([['remittance'], ['payroll']])('purpose %s', async (purpose) => {
    expect((await create(world, 'bank_transfer', { fields: { purpose } })).json.purpose).toBe(purpose);
  });
});

describe('bank references', () => {
  it('are sequential eight-digit numbers', async () => {
    const references: number[] = [];
    for (const method of ['mobile_payment', 'direct_debit', 'bank_transfer'])
      references.push(Number((await create(world, method)).json.bank_reference));
    const [first = 0] = references;
    expect(references).toEqual([first, first + 1, first + 2]);
  });
});
