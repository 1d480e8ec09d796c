/** Concepts, company prefixes and bank references. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bankReference, companyPrefix, concept } from '../../../src/sandbox/machine/operation.js';

it('is a Spanish word, the three letters, and six characters of the id in capitals', () => {
  const id = '7ab2c3d4-5e6f-4a8b-9c0d-1e2f3a4b5c6d';
  expect(concept('payin', 'TCP', id)).toBe('Cobro TCP7AB2C3');
  expect(concept('payout', 'TCP', id)).toBe('Pago TCP7AB2C3');
});

it.each([
  ['default', 'DEF'],
  ['acme', 'ACM'],
  ['4 you & me', 'YOU'],
  ['Ñu', 'UXX'],
  ['', 'XXX'],
])('abbreviates %j to %s', (company, prefix) => expect(companyPrefix(company)).toBe(prefix));

it('abbreviates every name to three capital letters', () => {
  fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (name) => /^[A-Z]{3}$/.test(companyPrefix(name))));
});

it('counts bank references in eight digits', () => {
  expect([1, 42, 99_999_999].map(bankReference)).toEqual(['00000001', '00000042', '99999999']);
});
