import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FieldDescriptor } from '../../src/contract/catalog.js';
import { checkFields } from '../../src/contract/create.js';
import { FIELDS, PAYER } from './catalog-given.js';

const one = (changes: object): FieldDescriptor[] => [
  { name: 'x', required: true, type: 'string', ...changes },
];

describe('a payer', () => {
  it.each<[string, unknown]>([
    ['the required ones', PAYER],
    ['an optional one too', { ...PAYER, name: 'Ana' }],
  ])('may carry %s', (_, payer) => expect(checkFields('payer', payer, FIELDS)).toEqual([]));

  it.each<[string, unknown, string[]]>([
    ...([undefined, null, ''] as const).map((nothing): [string, unknown, string[]] => [
      `nothing at all (${JSON.stringify(nothing)})`,
      nothing,
      [
        ...['payer required', 'payer.document.type required', 'payer.document.number required'],
        'payer.bank_code required',
      ],
    ]),
    ['a list', [], ['payer invalid']],
    ['a text', 'V12345678', ['payer invalid']],
    [
      'no document',
      { bank_code: '0102' },
      ['payer.document.type required', 'payer.document.number required'],
    ],
    ['half a document', { ...PAYER, document: { type: 'V' } }, ['payer.document.number required']],
    ['a document that is a text', { ...PAYER, document: 'V12345678' }, ['payer.document invalid']],
    ['a document that is a list', { ...PAYER, document: [] }, ['payer.document invalid']],
    ...[null, ''].map((nothing): [string, unknown, string[]] => [
      `a document that is ${JSON.stringify(nothing)}`,
      { ...PAYER, document: nothing },
      ['payer.document.type required', 'payer.document.number required'],
    ]),
    ['an empty text', { ...PAYER, bank_code: '' }, ['payer.bank_code required']],
    ['null for a text', { ...PAYER, bank_code: null }, ['payer.bank_code required']],
    ['an empty optional text', { ...PAYER, name: '' }, ['payer.name invalid']],
    ['null for an optional text', { ...PAYER, name: null }, []],
    ['null where nothing is declared', { ...PAYER, phone: null }, ['payer.phone unknown']],
    ['a number', { ...PAYER, bank_code: 102 }, ['payer.bank_code invalid']],
    ['a group for a text', { ...PAYER, bank_code: { a: 1 } }, ['payer.bank_code invalid']],
    ['what its pattern forbids', { ...PAYER, bank_code: '01020' }, ['payer.bank_code invalid']],
    [
      'a line break after what its pattern allows',
      { ...PAYER, bank_code: '0102\n' },
      ['payer.bank_code invalid'],
    ],
    [
      'what is no choice',
      { ...PAYER, document: { type: 'X', number: '12345678' } },
      ['payer.document.type invalid'],
    ],
    ['an undeclared field', { ...PAYER, phone: '04121234567' }, ['payer.phone unknown']],
    [
      'an undeclared nested field',
      { ...PAYER, document: { ...PAYER.document, foo: 1 } },
      ['payer.document.foo unknown'],
    ],
    ['a declared path as a name', { ...PAYER, 'document.type': 'V' }, ['payer.document.type unknown']],
    [
      'its prototype',
      JSON.parse('{"__proto__":{"a":1},"bank_code":"0102","document":{"type":"V","number":"12345678"}}'),
      ['payer.__proto__ unknown'],
    ],
    [
      'a name of the prototype',
      { ...PAYER, constructor: 'x', toString: 'y' },
      ['payer.constructor unknown', 'payer.toString unknown'],
    ],
    [
      'several wrong things',
      { bank_code: 'x', foo: 1 },
      [
        ...['payer.document.type required', 'payer.document.number required', 'payer.bank_code invalid'],
        'payer.foo unknown',
      ],
    ],
  ])('with %s is told so', (_, payer, expected) => {
    const details = checkFields('payer', payer, FIELDS).map(({ field, code }) => `${field} ${code}`);
    expect(details).toEqual(expected);
  });

  it('does not take what it inherits for what it carries', () => {
    const payer = Object.create(PAYER) as object;
    expect(checkFields('payer', payer, FIELDS).map(({ code }) => code)).toEqual([
      'required',
      'required',
      'required',
    ]);
  });

  it('names a beneficiary by its own name', () => {
    expect(checkFields('beneficiary', {}, one({}))).toEqual([{ field: 'beneficiary.x', code: 'required' }]);
  });
});

describe('a descriptor', () => {
  it.each<[string, object, unknown, boolean]>([
    ['a pattern as it is written, not anchored', { pattern: '[0-9]' }, 'a1b', true],
    ['a pattern that is none', { pattern: '(' }, 'anything', true],
    ['a pattern of another dialect', { pattern: '(?P<a>x)' }, 'anything', true],
    ['a date', { type: 'date' }, '2028-02-29', true],
    ['a day that does not exist', { type: 'date' }, '2027-02-29', false],
    ['a date with a time', { type: 'date' }, '2027-02-28T00:00:00Z', false],
    ['a date that is a number', { type: 'date' }, 20270228, false],
    ['a date in the words of its pattern', { type: 'date', pattern: '^[0-9]{2}/[0-9]{4}$' }, '02/2027', true],
    ['a choice without values', { type: 'enum' }, 'x', true],
    ['a choice that looks like the prototype', { type: 'enum', enum: ['a'] }, '__proto__', false],
    ['a choice in another case', { type: 'enum', enum: ['a'] }, 'A', false],
    ['a type of a newer service', { type: 'integer' }, 5, true],
    ['a type of a newer service, anything', { type: 'geo' }, { lat: 1 }, true],
  ])('%s', (_, changes, value, isAllowed) => {
    const details = checkFields('payer', { x: value }, one(changes));
    expect(details).toEqual(isAllowed ? [] : [{ field: 'payer.x', code: 'invalid' }]);
  });
});

it('never throws, and accepts nothing that lacks a required field', () => {
  fc.assert(
    fc.property(fc.anything(), (payer) => {
      const details = checkFields('payer', payer, FIELDS);
      expect(details.length).toBeGreaterThan(0);
    }),
    { numRuns: 300 },
  );
});
