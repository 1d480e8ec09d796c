import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { methodsIn } from '../../../src/contract/catalog.js';
import { checkCreate } from '../../../src/contract/create.js';
import { DIRECTIONS } from '../../../src/contract/operation.js';
import { CAPABILITIES } from '../../../src/sandbox/catalog/catalog.js';
import { createBodySchema } from '../../../src/contract/openapi/create-body.js';
import { bodyOf, changed, type Json } from '../../sandbox/support/bodies.js';
import { complaintsOf } from '../../support/contract-check.js';

const OFFERED = DIRECTIONS.flatMap((direction) =>
  CAPABILITIES.countries.flatMap((country) =>
    methodsIn(country, direction).map((entry) => ({
      direction,
      entry: { ...entry, availability: 'available' as const },
      decimals: country.currencies.find(({ code }) => code === entry.currency)!.decimals,
      name: `${entry.code} in ${entry.country} with ${entry.currency}`,
    })),
  ),
);
/** Every method is available, so that only the body decides. */
const OPEN = {
  ...CAPABILITIES,
  countries: CAPABILITIES.countries.map((country) => ({
    ...country,
    payin_methods: country.payin_methods.map((entry) => ({ ...entry, availability: 'available' as const })),
    payout_methods: country.payout_methods.map((entry) => ({ ...entry, availability: 'available' as const })),
  })),
};

const VALUES = [
  '',
  'x',
  '1.005',
  '1.00',
  '0',
  'V',
  '0102',
  '12345678',
  '04121234567',
  7,
  true,
  [],
  {},
  undefined,
];
const MORE: readonly (readonly [path: string, values: readonly unknown[]])[] = [
  ['reference', ['r', 1]],
  ['metadata', [{ any: { thing: 1 } }, 'text', []]],
  ['purpose', ['payroll', 'gift']],
  ['expires_in_hours', [1, 72, 73, 0, 1.5, '2']],
  ['mandate', [{}, { contract_id: 'A1' }, { contract_id: 'A 1' }, { other: 1 }]],
  ['country', ['ve', 'cl', 'XX']],
  ['currency', ['ves', 'VES', 'USD']],
  ['method', ['debit_otp', 'nonsense']],
  ['of_nobody', [1]],
];

describe.each(OFFERED)('$name', ({ direction, entry, decimals }) => {
  const schema = createBodySchema(direction, { entry, decimals });
  const valid = bodyOf({ ...entry, receiving_account: null }, '12345678', entry.min_amount);
  const party = direction === 'payin' ? 'payer' : 'beneficiary';
  const paths = [
    ...['amount', party, `${party}.document`, `${party}.of_nobody`, `${party}.document.of_nobody`],
    ...entry.fields.map(({ name }) => `${party}.${name}`),
  ];

  it('takes what is valid', () => expect(complaintsOf(schema, valid)).toEqual([]));

  it('takes and refuses what the sandbox does', () => {
    const change = fc.oneof(
      fc.tuple(fc.constantFrom(...paths), fc.constantFrom<unknown>(...VALUES)),
      fc
        .constantFrom(...MORE)
        .chain(([path, values]) => fc.tuple(fc.constant(path), fc.constantFrom(...values))),
    );
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 3 }), (changes) => {
        const body = changes.reduce<Json>((before, [path, value]) => {
          const parent = path
            .split('.')
            .slice(0, -1)
            .reduce<unknown>((at, name) => (at as Json | undefined)?.[name], before);
          return typeof parent === 'object' && parent !== null ? changed(before, path, value) : before;
        }, valid);
        fc.pre(body['method'] === entry.code);
        const said = checkCreate(OPEN, direction, body);
        fc.pre(!('refusal' in said) || !['amount_out_of_range', 'bank_unsupported'].includes(said.refusal));
        const isOther =
          !('refusal' in said) &&
          (said.entry.country !== entry.country || said.entry.currency !== entry.currency);
        expect(complaintsOf(schema, body).length === 0, JSON.stringify([body, said])).toBe(
          !('refusal' in said) && !isOther,
        );
      }),
      { numRuns: 150 },
    );
  });
});

describe('a catalog that says little', () => {
  const { entry } = OFFERED.find(({ direction }) => direction === 'payin')!;
  const bare = { ...entry, fields: [{ name: 'alias', required: true, type: 'string' as const }] };
  const body = { ...bodyOf({ ...entry, receiving_account: null }), payer: { alias: 'a' } };

  it('takes no empty text, and any other', () => {
    const schema = createBodySchema('payin', { entry: bare, decimals: 2 });
    expect(complaintsOf(schema, body)).toEqual([]);
    expect(complaintsOf(schema, { ...body, payer: { alias: '' } })).not.toEqual([]);
  });

  it.each([
    [0, ['1', '100'], ['1.0', '1.']],
    [2, ['1', '1.5', '1.50'], ['1.505', '.5', '1,5']],
  ])('with %i decimals takes no more of them', (decimals, fit, unfit) => {
    const schema = createBodySchema('payin', { entry: bare, decimals });
    for (const amount of fit) expect(complaintsOf(schema, { ...body, amount })).toEqual([]);
    for (const amount of unfit) expect(complaintsOf(schema, { ...body, amount })).not.toEqual([]);
  });
});
