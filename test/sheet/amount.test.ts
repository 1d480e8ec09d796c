import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readBothMarks, plainText, readAmount } from '../../src/sheet/amount.js';

function shown(cell: string, mark: 'comma' | 'point'): string {
  const read = readAmount(cell, mark);
  if (read === null) return '';
  const said = [/^[A-Z]{3}$/.test(read.currency ?? '') ? read.currency : null, read.side].filter(
    (one) => one !== null,
  );
  return [`${read.isNegative ? '-' : ''}${read.amount}`, ...said].join(' ');
}

describe('an amount', () => {
  it.each(
    [
      ...['10|10|10', '0010|10|10', '0|0|0', '-0,00|0|', '1234,5|1234.5|', '1234.50||1234.5'],
      ...['1.234|1234|1.234', '1,234|1.234|1234', '1.234.567|1234567|', '1’234,50|1234.5|'],
      ...['1\u202f234.50||1234.5', ',50|0.5|', '.50||0.5', '0.123||0.123', '12.34.567||', '1.23,4||'],
      ...['1,2,3||', '1,23.4||', '1.234,567.89||', '1.234 567,00||', '12345.678||12345.678', '5.||', '||'],
      ...['.||', '-||', 'abc||', '١٢||', '1e5||', '1,5E+10||', '1/2||', 'NaN||'],
    ].map((row) => row.split('|')),
  )('%j is %j with a comma and %j with a point', (cell, comma, point) => {
    expect([shown(cell, 'comma'), shown(cell, 'point')]).toEqual([comma, point]);
  });

  it.each(
    [
      ...['+10.00|10', '\u221210.00|-10', '10.00 -|-10', '( $10.00 )|-10', '-(10.00)|', '(-10.00)|'],
      ...['-10.00-|', '--10.00|', '$10.00|10', '-$ 10.00|-10', '$-10.00|-10', '10.00 €|10', 'R$ 10.00|10'],
      ...['US$10.00|10', 'S/ 10.00|10', 'Bs. 10.00|10', 'Bs.S 10.00|10', 'BS 10.00|10', 'USD 10.00|10 USD'],
      ...['10.00 VES|10 VES', '-10.00 VES|-10 VES', 'USD 10.00 VES|', '10.00 CR|10 payin'],
      ...['980.00 DR|980 payout', '980.00D|980 payout', '980.00 d.|980 payout', '980.00 Dr.|980 payout'],
      ...['980.00 DB|980 payout', '980.00 H|980 payin', 'D 980.00|980 payout', 'Cr. 980.00|980 payin'],
      ...['-980.00 D|-980 payout', '(980.00) DR|-980 payout', '980.00 VES D|980 VES payout'],
      ...['Bs. 980.00 C|980 payin', '-980.00 C|', '(980.00) CR|', 'D 980.00 D|', '980.00 D D|', '980.00 X|'],
      ...['980.00 USD|980 USD', 'C$ 10.00|10', '10.00 Bs.D|10', '\u201310.00|-10', '\u2014 10.00|-10'],
      ...['\u201010.00|-10', '\uff0d10.00|-10', '10.00\u2013|-10', '\u2013\u201310.00|', '10.00 usd|'],
      ...['10.00 DOLLARS|', "'10.00|10", '="10.00"|10', '=10.00|', '=1+1|', '=SUM(A1:A9)|', '10.00\u00a0|10'],
      ...[' 10.00 |10'],
    ].map((row) => row.split('|')),
  )('%j is %j', (cell, value) => expect(shown(cell, 'point')).toBe(value));

  it('is none where it is longer than any amount', () => {
    expect(readAmount('9'.repeat(25), 'point')).toBeNull();
    expect(readAmount(`1${' '.repeat(100_000)}x`, 'point')).toBeNull();
  });

  it('is read back however it is written', () => {
    const written = fc.record({
      minor: fc.bigInt({ min: 0n, max: 10n ** 18n }),
      decimals: fc.integer({ min: 0, max: 4 }),
      group: fc.constantFrom('', '.', ',', "'", ' ', '\u00a0'),
      mark: fc.constantFrom('comma' as const, 'point' as const),
      sign: fc.constantFrom('', '-', '()', 'behind'),
    });
    fc.assert(
      fc.property(written, ({ minor, decimals, group, mark, sign }) => {
        const point = mark === 'comma' ? ',' : '.';
        const digits = String(minor).padStart(decimals + 1, '0');
        const [whole, fraction] = [
          digits.slice(0, digits.length - decimals),
          digits.slice(digits.length - decimals),
        ];
        const grouped = group === point ? whole : whole.replace(/\B(?=(?:\d{3})+$)/g, group);
        const text = decimals === 0 ? grouped : `${grouped}${point}${fraction}`;
        const signed = { '': text, '-': `-${text}`, '()': `(${text})`, behind: `${text}-` }[sign];
        const read = readAmount(signed, mark);
        const [back = '', backFraction = ''] = (read?.amount ?? '').split('.');
        expect(BigInt(back + backFraction.padEnd(decimals, '0'))).toBe(minor);
        expect(read?.isNegative).toBe(sign !== '' && minor !== 0n);
      }),
    );
  });

  it('is never more than one thing by one mark, and both marks agree only without any', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9.,]{1,12}$/), (text) => {
        const { comma, point } = readBothMarks(text);
        if (comma !== null && point !== null && comma.amount === point.amount)
          expect(text).toMatch(/^[0-9]+$|0$/);
      }),
    );
  });
});

it.each([
  ["'0012", '0012'],
  ['="0012"', '0012'],
  ['="a ""b"""', 'a "b"'],
  ['="', '="'],
  ['=A1', '=A1'],
  ['  P-1 ', 'P-1'],
  ['\ufeffP-1', 'P-1'],
])('a text %j is %j: nothing is evaluated', (cell, text) => expect(plainText(cell)).toBe(text));
