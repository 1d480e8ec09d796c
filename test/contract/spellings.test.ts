/** Case folded in full, for finding: what somebody may have meant, to a bound. */
import { expect, it } from 'vitest';
import { foldReference, foldCase, spellingsOf } from '../../src/contract/reference.js';

it.each([
  ['STRASSE', 'straße'],
  ['straße', 'STRASSE'],
  ['Gross-Strasse', 'groß-straße'],
  ['ΟΔΟΣΣ', 'οδοσσ'],
  ['İstanbul', 'istanbul'],
  ['Rent–1  May', 'RENT-1 MAY'],
])('%j is %j where case does not count', (one, other) => {
  expect(foldCase(one)).toBe(foldCase(other));
  expect(spellingsOf(one)).toContain(foldReference(other));
  expect(spellingsOf(one)[0]).toBe(foldReference(one));
});

it('keeps apart what differs in more', () => {
  expect(foldCase('straße')).not.toBe(foldCase('strase'));
  expect(spellingsOf('invoice-2048')).toEqual(['invoice-2048']);
});

it('is bounded, however many places there are', () => {
  expect(spellingsOf('ß'.repeat(1000)).length).toBeLessThanOrEqual(64);
});
