/** Amounts are never JavaScript numbers, so that no digit is lost (contract section 1). */

export const AMOUNT_PATTERN = /^[0-9]+([.][0-9]+)?$/;

export function toMinor(amount: string, decimals: number): bigint | null {
  if (!AMOUNT_PATTERN.test(amount)) return null;
  const [whole = '', fraction = ''] = amount.split('.');
  if (fraction.length > decimals) return null;
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}

export function fromMinor(minor: bigint, decimals: number): string {
  const digits = (minor < 0n ? -minor : minor).toString().padStart(decimals + 1, '0');
  const sign = minor < 0n ? '-' : '';
  if (decimals === 0) return sign + digits;
  return `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

function parseDecimal(decimal: string): { value: bigint; scale: number } | null {
  const match = /^(-?)([0-9]+)(?:[.]([0-9]+))?$/.exec(decimal);
  if (match === null) return null;
  const [, sign = '', whole = '', fraction = ''] = match;
  const value = BigInt(whole + fraction);
  return { value: sign === '' ? value : -value, scale: fraction.length };
}

function parseOrThrow(decimal: string): { value: bigint; scale: number } {
  const parsed = parseDecimal(decimal);
  if (parsed === null) throw new RangeError('not a decimal string');
  return parsed;
}

export function isDecimal(text: string): boolean {
  return parseDecimal(text) !== null;
}

export function compareDecimals(left: string, right: string): number {
  const [a, b] = [parseOrThrow(left), parseOrThrow(right)];
  const scale = Math.max(a.scale, b.scale);
  const difference = a.value * 10n ** BigInt(scale - a.scale) - b.value * 10n ** BigInt(scale - b.scale);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

export function canonicalDecimal(text: string): string | null {
  const parsed = parseDecimal(text);
  if (parsed === null) return null;
  const plain = fromMinor(parsed.value, parsed.scale);
  return parsed.scale === 0 ? plain : plain.replace(/[.]?0+$/, '');
}

export function sumDecimals(decimals: Iterable<string>): string {
  let total = 0n;
  let scale = 0;
  for (const decimal of decimals) {
    const parsed = parseOrThrow(decimal);
    if (parsed.scale > scale) {
      total *= 10n ** BigInt(parsed.scale - scale);
      scale = parsed.scale;
    }
    total += parsed.value * 10n ** BigInt(scale - parsed.scale);
  }
  return fromMinor(total, scale);
}

type MoneyFacts = Readonly<Partial<Record<'amount' | 'currency', string | null | undefined>>>;

export function moneyText({ amount, currency }: MoneyFacts): string {
  return (amount ?? '') === '' ? '' : `${amount} ${currency ?? ''}`.trimEnd();
}

export function percentOf(minor: bigint, percent: bigint): bigint {
  return (minor * percent + 50n) / 100n;
}
