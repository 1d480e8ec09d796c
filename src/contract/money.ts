/** Money: decimal strings in, decimal strings out, exact integer arithmetic between; never a JavaScript number (section 1). */

/** The shape of an amount in a request: digits with at most one decimal point (sections 2.2 and 2.3). */
export const AMOUNT_PATTERN = /^[0-9]+([.][0-9]+)?$/;

/**
 * The amount in minor units of a currency with that many decimals.
 * Null where the text is no amount, or has more decimals than the currency: a digit is never dropped.
 */
export function toMinor(amount: string, decimals: number): bigint | null {
  if (!AMOUNT_PATTERN.test(amount)) return null;
  const [whole = '', fraction = ''] = amount.split('.');
  if (fraction.length > decimals) return null;
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}

/** Minor units as a decimal string with all of the currency's decimals; a negative balance keeps its sign. */
export function fromMinor(minor: bigint, decimals: number): string {
  const digits = (minor < 0n ? -minor : minor).toString().padStart(decimals + 1, '0');
  const sign = minor < 0n ? '-' : '';
  if (decimals === 0) return sign + digits;
  return `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** A decimal string, possibly negative, split into an integer and the number of its decimals. Null where it is none. */
function parse(decimal: string): { value: bigint; scale: number } | null {
  const match = /^(-?)([0-9]+)(?:[.]([0-9]+))?$/.exec(decimal);
  if (match === null) return null;
  const [, sign = '', whole = '', fraction = ''] = match;
  const value = BigInt(whole + fraction);
  return { value: sign === '' ? value : -value, scale: fraction.length };
}

function scaled(decimal: string): { value: bigint; scale: number } {
  const parsed = parse(decimal);
  if (parsed === null) throw new RangeError('not a decimal string');
  return parsed;
}

/** True for a decimal string such as `10`, `-0.50` or `1500.500`. */
export function isDecimal(text: string): boolean {
  return parse(text) !== null;
}

/**
 * Compares two decimal strings as numbers: negative, zero or positive, so that `10` equals `10.00`.
 * @throws RangeError where either is no decimal string.
 */
export function compareDecimals(left: string, right: string): number {
  const [a, b] = [scaled(left), scaled(right)];
  const scale = Math.max(a.scale, b.scale);
  const difference = a.value * 10n ** BigInt(scale - a.scale) - b.value * 10n ** BigInt(scale - b.scale);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** The one form of all decimal strings of the same value: `10.50` and `010.5` are `10.5`. Null where the text is none. */
export function canonicalDecimal(text: string): string | null {
  const parsed = parse(text);
  if (parsed === null) return null;
  const plain = fromMinor(parsed.value, parsed.scale);
  return parsed.scale === 0 ? plain : plain.replace(/[.]?0+$/, '');
}

/**
 * The exact sum of decimal strings, with as many decimals as the longest of them; `0` for none.
 * @throws RangeError where one is no decimal string.
 */
export function sumDecimals(decimals: Iterable<string>): string {
  let total = 0n;
  let scale = 0;
  for (const decimal of decimals) {
    const next = scaled(decimal);
    if (next.scale > scale) {
      total *= 10n ** BigInt(next.scale - scale);
      scale = next.scale;
    }
    total += next.value * 10n ** BigInt(scale - next.scale);
  }
  return fromMinor(total, scale);
}

/** A percentage of an amount in minor units, rounded half up to a whole minor unit; `percent` is a whole number. */
export function percentOf(minor: bigint, percent: bigint): bigint {
  return (minor * percent + 50n) / 100n;
}
