import { describe, expect, it } from 'vitest';
import { correctIdentifiers } from '../../src/contract/identifiers.js';
import { textIn } from '../../src/contract/shape.js';
import { CAPABILITIES } from '../../src/sandbox/catalog/catalog.js';

const VENEZUELA = { country: 'VE', currency: 'VES', method: 'mobile_payment' };
const RIGHT = {
  ...VENEZUELA,
  beneficiary: {
    ...{ document: { type: 'V', number: '12345678' }, bank_code: '0102', account_number: '04121234567' },
  },
};

function meant(changes: Readonly<Record<string, string>>, place: object = VENEZUELA): Record<string, string> {
  const body = structuredClone({ ...RIGHT, ...place }) as Record<string, unknown>;
  const party = body['beneficiary'] as { document: Record<string, unknown> } & Record<string, unknown>;
  for (const [path, value] of Object.entries(changes)) {
    const [name = '', inner] = path.split('.');
    if (inner === undefined) party[name] = value;
    else party.document[inner] = value;
  }
  const found = correctIdentifiers(CAPABILITIES, 'payout', (field) => textIn(body, field));
  return Object.fromEntries(found.map(({ field, value }) => [field.replace('beneficiary.', ''), value]));
}

describe('is read', () => {
  it.each<[Record<string, string>, Record<string, string>]>([
    [{ 'document.number': 'V-12.345.678' }, { 'document.number': '12345678' }],
    [{ 'document.number': 'V12345678' }, { 'document.number': '12345678' }],
    [{ 'document.number': 'v 12 345 678' }, { 'document.number': '12345678' }],
    [{ 'document.number': '12.345.678' }, { 'document.number': '12345678' }],
    [
      { 'document.number': 'J-12345678-9', 'document.type': '' },
      { 'document.type': 'J', 'document.number': '123456789' },
    ],
    [
      { 'document.number': 'E–84.123.456', 'document.type': 'e' },
      { 'document.type': 'E', 'document.number': '84123456' },
    ],
    [{ 'document.type': 'v' }, { 'document.type': 'V' }],
    [{ 'document.type': 'V-' }, { 'document.type': 'V' }],
    [{ account_number: '0412-1234567' }, { account_number: '04121234567' }],
    [{ account_number: '(0412) 123.45.67' }, { account_number: '04121234567' }],
    [{ account_number: '０４１２ 1234567' }, { account_number: '04121234567' }],
    [{ bank_code: '0102 - BANCO DE VENEZUELA' }, { bank_code: '0102' }],
    [{ bank_code: '0102-BANCO DE VENEZUELA' }, { bank_code: '0102' }],
    [{ bank_code: '0102 BANCO DE VENEZUELA, S.A.C.A.' }, { bank_code: '0102' }],
    [{ bank_code: '0102: Venezuela' }, { bank_code: '0102' }],
  ])('%j', (given, value) => expect(meant(given)).toEqual(value));

  it('by the catalog of any country', () => {
    const chile = { country: 'CL', currency: 'CLP', method: 'bank_transfer' };
    expect(
      meant(
        {
          ...{ 'document.type': '', 'document.number': 'RUT 12.345.678-K', bank_code: '012' },
          account_number: '00012345678',
        },
        chile,
      ),
    ).toEqual({ 'document.type': 'RUT', 'document.number': '12345678K' });
    const kuwait = { country: 'KW', currency: 'KWD', method: 'bank_transfer' };
    const account = {
      'document.type': 'CIVIL_ID',
      'document.number': '290010112345',
      account_number: 'KW81 CBKU 0000 0000 0000 1234 5601 01',
    };
    const plain = { ...account, account_number: 'KW81CBKU0000000000001234560101' };
    expect(meant({ ...plain, bank_code: 'BANK OF KUWAIT' }, kuwait)).toEqual({});
    expect(meant({ ...account, bank_code: 'NBOK - National Bank' }, kuwait)).toEqual({
      bank_code: 'NBOK',
      account_number: 'KW81CBKU0000000000001234560101',
    });
  });
});

describe('is left as it is', () => {
  it.each<[string, Record<string, string>]>([
    ['what is right', {}],
    ['a type that is another one than stands beside it', { 'document.number': 'E-12.345.678' }],
    ['a type that nobody has', { 'document.number': 'X-12.345.678' }],
    ['two numbers', { 'document.number': '12345678 87654321' }],
    ['letters for digits', { 'document.number': 'V-12.345.67O' }],
    ['the name of a bank', { bank_code: 'BANCO DE VENEZUELA' }],
    ['two codes', { bank_code: '0102 0105' }],
    ['a code behind a name', { bank_code: 'BANCO 24 HORAS 0102' }],
    ['a code that lost its zero', { bank_code: '102 - BANCO DE VENEZUELA' }],
    ['a phone with its country', { account_number: '+58 412 1234567' }],
    ['a phone without its zero', { account_number: '412-1234567' }],
    ['nothing', { account_number: '' }],
  ])('%s', (_what, given) => expect(meant(given)).toEqual({}));

  it('where the method is not known', () => {
    expect(meant({ account_number: '0412-1234567' }, { ...VENEZUELA, method: 'other' })).toEqual({});
  });
});
