import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldForKey, foldReference, referenceProblem } from '../../src/contract/reference.js';

describe('a folded reference', () => {
  it.each<[reference: string, key: string, compared?: string]>([
    ['emp-001', 'emp-001'],
    ['EMP-001', 'emp-001'],
    ['Emp 001', 'emp 001'],
    ['  emp \t 001\u00a0', 'emp 001'],
    ['emp\u3000001', 'emp 001'],
    ['emp\u2028001', 'emp 001'],
    ['emp\u0085001', 'emp 001'],
    ['emp\u2010001', 'emp-001'],
    ['emp\u2011001', 'emp-001'],
    ['emp\u2012001', 'emp-001'],
    ['emp\u2013001', 'emp-001'],
    ['emp\u2014001', 'emp-001'],
    ['emp\u2015001', 'emp-001'],
    ['emp\u2212001', 'emp-001'],
    ['emp\ufe63001', 'emp-001'],
    ['emp\uff0d001', 'emp-001'],
    ['emp--001', 'emp--001'],
    ['ｅｍｐ００１', 'emp001'],
    ['Ñandú', 'ñandú'],
    ['N\u0303andu\u0301', 'ñandú'],
    ['ﬁn', 'fin'],
    ['№ 7', 'no 7'],
    ['Straße', 'straße', 'strasse'],
    ['STRASSE', 'strasse'],
    ['STRAẞE', 'straße', 'strasse'],
    ['İ', 'i̇', 'i'],
    ['ı', 'ı', 'i'],
    ['ŉ', 'ʼn'],
    ['և', 'եւ'],
    ['ΟΔΟΣ', 'οδος', 'οδοσ'],
    ['οδοσ', 'οδοσ'],
    ['ᾳ', 'ᾳ', 'αι'],
    ['Кассир-Ё', 'кассир-ё'],
    ['①②', '12'],
    ['emp_001.a/b:c+d', 'emp_001.a/b:c+d'],
    ['', ''],
    [' - ', '-'],
    ['A – 1', 'a - 1', 'a-1'],
    ['A –1', 'a -1', 'a-1'],
    ['A\u00a0\u2212\u30001', 'a - 1', 'a-1'],
    ['A - - 1', 'a - - 1', 'a--1'],
    ['A 1', 'a 1'],
    ['A1', 'a1'],
    ['a _ 1', 'a _ 1'],
  ])('of %j is %j for the key', (reference, key, compared = key) => {
    expect(foldForKey(reference)).toBe(key);
    expect(foldReference(reference)).toBe(compared);
  });

  it('is its own folded form, and that of its key and of either case', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const folded = foldReference(text);
        expect(foldReference(folded)).toBe(folded);
        expect(foldReference(text.toUpperCase())).toBe(folded);
        expect(foldReference(text.toLowerCase())).toBe(folded);
        expect(foldReference(foldForKey(text))).toBe(folded);
      }),
      { numRuns: 2000 },
    );
  });

  it('of ten thousand references that differ only by case, dashes, spaces and form is one', () => {
    const dashes = ['-', '\u2010', '\u2013', '\u2212', '\uff0d'];
    const spaces = [' ', '  ', '\u00a0', '\t', '\u3000'];
    const letters = ['é', 'É', 'e\u0301', 'E\u0301'];
    const digits = ['7', '７', '⁷', '⑦'];
    const edges = ['', ' ', '\u2003'];
    const forms = new Set<string>();
    const spellings = new Set<string>();
    for (const dash of dashes)
      for (const space of spaces)
        for (const [first, second] of letters.flatMap((a) => letters.map((b) => [a, b] as const)))
          for (const digit of digits)
            for (const before of edges)
              for (const after of edges) {
                const spelling = `${before}nómina${space}${first}${dash}${second}${digit}${after}`;
                spellings.add(spelling);
                forms.add(foldReference(spelling));
              }
    expect(spellings.size).toBeGreaterThan(10_000);
    expect([...forms]).toEqual(['nómina é-é7']);
  });
});

const INVISIBLE = [
  ['a soft hyphen', '\u00ad'],
  ['a space without width', '\u200b'],
  ['a non-joiner', '\u200c'],
  ['a joiner', '\u200d'],
  ['a mark of direction', '\u200f'],
  ['an override of direction', '\u202e'],
  ['a word joiner', '\u2060'],
  ['an isolate', '\u2068'],
  ['a BOM', '\ufeff'],
  ['a filler', '\u3164'],
  ['a tag', '\u{e0041}'],
] as const;

describe('what nobody sees in a reference', () => {
  it.each(INVISIBLE)(
    '%s: it is compared without, keyed with, and given to no new payment',
    (_name, unseen) => {
      for (const reference of [`emp${unseen}-001`, `${unseen}EMP-001`, `emp-001${unseen}${unseen}`]) {
        expect(foldReference(reference)).toBe('emp-001');
        expect(foldForKey(reference)).toContain(unseen.normalize('NFKC'));
        expect(referenceProblem(reference)).toBe('holds an invisible character');
      }
    },
  );

  it('leaves one space of two around it', () => expect(foldReference('emp \u200b 001')).toBe('emp 001'));
});

describe('what a new payment may have', () => {
  it.each([
    ['emp-001', true],
    ['Ñ', true],
    ['emp 001', true],
    ['emp\x00001', false],
    ['\u0378', false],
    ['a\uffff', false],
    ['\u{e0fff}', false],
    ['half \ud800', false],
    ['\ue000', true],
  ])('%j: %s', (reference, expected) => expect(referenceProblem(reference) === null).toBe(expected));
});
