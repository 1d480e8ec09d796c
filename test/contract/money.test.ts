import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  AMOUNT_PATTERN,
  compareDecimals,
  fromMinor,
  isDecimal,
  percentOf,
  sumDecimals,
  toMinor,
} from '../../src/contract/money.js';

const minor = fc.bigInt(0n, 10n ** 40n);
const signed = fc.bigInt(-(10n ** 40n), 10n ** 40n);
const decimals = fc.integer({ min: 0, max: 8 });

describe('minor units', () => {
  it('come back as they were, through the written amount', () => {
    fc.assert(
      fc.property(minor, decimals, (units, scale) => {
        const written = fromMinor(units, scale);
        expect(written).toMatch(AMOUNT_PATTERN);
        expect(written.split('.')[1]?.length ?? 0).toBe(scale);
        expect(toMinor(written, scale)).toBe(units);
      }),
    );
  });

  it('do not depend on leading zeros or on zeros that are left out', () => {
    fc.assert(
      fc.property(minor, decimals, fc.nat(5), (units, scale, zeros) => {
        const written = fromMinor(units, scale);
        expect(toMinor('0'.repeat(zeros) + written, scale)).toBe(units);
        if (scale > 0)
          expect(toMinor(written.replace(/[.]?0+$/, '') || '0', scale)).toBe(trimmed(units, scale));
      }),
    );
  });

  it('exist for no amount with a digit too many: nothing is dropped', () => {
    fc.assert(
      fc.property(minor, decimals, (units, scale) => {
        expect(toMinor(fromMinor(units, scale + 1), scale)).toBeNull();
      }),
    );
  });

  it('exist exactly for texts of the pattern', () => {
    const near = fc.string({ unit: fc.constantFrom('0', '7', '.', ',', '-', '+', 'e', ' ', '\n', '٣') });
    fc.assert(
      fc.property(fc.oneof(near, fc.string()), (text) => {
        expect(toMinor(text, 50) !== null).toBe(AMOUNT_PATTERN.test(text));
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    [-5n, 2, '-0.05'],
    [-12345n, 3, '-12.345'],
    [-7n, 0, '-7'],
    [0n, 3, '0.000'],
    [5n, 2, '0.05'],
  ])('%s with %i decimals is %s', (units, scale, written) => expect(fromMinor(units, scale)).toBe(written));
});

describe('decimals', () => {
  it('compare as the integers they are', () => {
    fc.assert(
      fc.property(signed, decimals, signed, decimals, (a, scaleA, b, scaleB) => {
        const [left, right] = [a * 10n ** BigInt(scaleB), b * 10n ** BigInt(scaleA)];
        const expected = left < right ? -1 : left > right ? 1 : 0;
        expect(Math.sign(compareDecimals(fromMinor(a, scaleA), fromMinor(b, scaleB)))).toBe(expected);
      }),
    );
  });

  it('add up exactly, in any order', () => {
    const amounts = fc.array(fc.tuple(signed, decimals), { maxLength: 8 });
    fc.assert(
      fc.property(amounts, (pairs) => {
        const written = pairs.map(([units, scale]) => fromMinor(units, scale));
        const expected = pairs.reduce((sum, [units, scale]) => sum + units * 10n ** BigInt(8 - scale), 0n);
        expect(compareDecimals(sumDecimals(written), fromMinor(expected, 8))).toBe(0);
        expect(sumDecimals(written.toReversed())).toBe(sumDecimals(written));
      }),
    );
    expect(sumDecimals([])).toBe('0');
    expect(sumDecimals(['0.1', '0.2', '-0.30'])).toBe('0.00');
  });

  it.each(['', '.', '1.', '.1', '1,0', '--1', '1e3', ' 1', '1 ', '0x1', 'NaN'])('are not %j', (text) => {
    expect(isDecimal(text)).toBe(false);
    expect(() => compareDecimals(text, '1')).toThrow(RangeError);
    expect(() => sumDecimals(['1', text])).toThrow(RangeError);
  });
});

it('rounds a percentage half up, by less than one unit', () => {
  fc.assert(
    fc.property(minor, fc.bigInt(0n, 100n), (units, percent) => {
      const error = percentOf(units, percent) * 100n - units * percent;
      expect(error > -50n && error <= 50n).toBe(true);
    }),
  );
});

function trimmed(units: bigint, scale: number): bigint {
  const text = fromMinor(units, scale);
  return /[.]0+$/.test(text) || text.includes('.')
    ? toMinor(text.replace(/0+$/, '').replace(/[.]$/, ''), scale)!
    : units;
}
