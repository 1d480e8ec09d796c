import { describe, expect, it } from 'vitest';
import { changed, create, createWith, routeOf, validBody } from '../support/bodies.js';
import { expectInvalid, expectRefusal, expectRequired, expectUnknown } from '../support/expectations.js';
import { invalidField } from '../support/expectations.js';
import { aWorldForEachTest, world } from '../support/fresh-world.js';

aWorldForEachTest();

const directionOf = (method: string) => (routeOf(method) === '/v2/payins' ? 'payin' : 'payout');
const TAKES_NULL = { payin: { mandate: null, expires_in_hours: null }, payout: { purpose: null } };

const INVALID: readonly (readonly [path: string, values: readonly unknown[]])[] = [
  [
    'amount',
    [100, true, {}, [], '-1', '+1', '1.', '.5', '1,5', ' 1', '1 ', '1e3', '0x10', 'NaN', '٣', '1.001', '1\n'],
  ],
  ['country', [58, {}, 'V', 'VEN', '12', 'V1', ' VE', 'VE\n']],
  ['currency', [928, [], 'VE', 'VESS', '123', 'VE$', 'VES\n']],
  ['method', [1, [], 'cash', 'DEBIT_OTP', ' debit_otp', '__proto__', 'constructor']],
  ['reference', [1, true, {}, []]],
  ['metadata', ['a', 1, true, [], [{}]]],
];
const INVALID_ROWS = INVALID.flatMap(([path, values]) => values.map((value) => ({ path, value })));

const TRIED_METHODS = ['debit_otp', 'incoming_transfer', 'mobile_payment', 'bank_transfer'];

describe.each(TRIED_METHODS)('the body of a %s', (method) => {
  it.each(['amount', 'country', 'currency', 'method'])('is refused without %s', async (path) => {
    for (const nothing of [undefined, null, ''])
      expectRequired(await createWith(method, path, nothing), path);
  });

  it('may have null where nothing is required, which is nothing', async () => {
    const nulls = { reference: null, metadata: null, ...TAKES_NULL[directionOf(method)] };
    const bare = await create(world, method);
    const body = { ...(await validBody(world, method)), ...nulls };
    const reply = await world.post(routeOf(method), body, { idempotencyKey: world.freshKey() });
    expect([reply.status, reply.json.metadata]).toEqual([201, {}]);
    expect(Object.keys(reply.json)).toEqual(Object.keys(bare.json));
    expect(reply.json.purpose).toBe(bare.json.purpose);
    const { json } = await world.get(`/v2/transactions/${reply.json.id}`);
    expect(Object.keys(json)).toEqual(Object.keys(bare.json));
  });

  it.each(INVALID_ROWS)('is refused with $path $value', async ({ path, value }) => {
    expectInvalid(await createWith(method, path, value), path);
  });

  it.each(['company', 'id', 'status', 'concept', 'provider', '', 'amount ', 'Amount'])(
    'is refused with an undeclared field "%s"',
    async (path) => expectUnknown(await createWith(method, path, 'x'), path),
  );

  it.each([
    ['country', 'XX', 'country_unsupported'],
    ['country', 'zz', 'country_unsupported'],
    ['currency', 'XXX', 'currency_unsupported'],
    ['currency', 'xts', 'currency_unsupported'],
  ])('with %s %s is %s', async (path, value, code) => {
    expectRefusal(await createWith(method, path, value), code, invalidField(path));
  });

  it.each([
    ['amount', '100', '100.00'],
    ['amount', '100.5', '100.50'],
    ['amount', '0100.50', '100.50'],
    ['amount', '100.50', '100.50'],
    ['country', 've', 'VE'],
    ['country', 'Ve', 'VE'],
    ['currency', 'ves', 'VES'],
    ['currency', 'vEs', 'VES'],
  ] as const)('with %s %s is accepted and answers %s', async (path, value, answered) => {
    const reply = await createWith(method, path, value);
    expect(reply.status).toBe(201);
    expect(reply.json[path]).toBe(answered);
  });

  it('may leave out what is optional', async () => {
    const { json } = await create(world, method);
    expect(json).not.toHaveProperty('reference');
    expect(json.metadata).toEqual({});
  });

  it('is answered with every offending field at once', async () => {
    let body = changed(await validBody(world, method), 'amount', undefined);
    for (const [path, value] of [
      ['country', 'V'],
      ['metadata', []],
      ['surprise', 1],
    ] as const)
      body = changed(body, path, value);
    expectRefusal(
      await world.post(routeOf(method), body, { idempotencyKey: world.freshKey() }),
      'field_required',
      [
        { field: 'amount', code: 'required' },
        { field: 'country', code: 'invalid' },
        { field: 'metadata', code: 'invalid' },
        { field: 'surprise', code: 'unknown' },
      ],
    );
  });
});
