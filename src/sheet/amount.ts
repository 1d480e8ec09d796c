/** An amount as banks write it: signs, parentheses, currencies, separators of thousands; under one decimal mark or the other. Pure. */
import type { DecimalMark } from './forms.js';

export interface ReadAmount {
  /** A decimal string without a sign and without zeros that say nothing. */
  readonly amount: string;
  readonly isNegative: boolean;
  /** The code or the symbol that stands beside it, as in `10.00 USD` and `Bs. 10`. */
  readonly mark: string | null;
}

const PLAIN = { point: /^[0-9]{1,24}(?:\.[0-9]{1,12})?$/, comma: /^[0-9]{1,24}(?:,[0-9]{1,12})?$/ };
const GROUPED = {
  point: /^[1-9][0-9]{0,2}([,'’\u00a0\u202f\u2009 ])[0-9]{3}(?:\1[0-9]{3})*$/,
  comma: /^[1-9][0-9]{0,2}([.'’\u00a0\u202f\u2009 ])[0-9]{3}(?:\1[0-9]{3})*$/,
};
/** No bank writes more; behind it lies whoever tries what a pattern does. */
const MAX_CHARACTERS = 60;
const SIGN = '([-+\u2212])?\\s*';
const CURRENCY =
  '([A-Z]{3}(?![A-Za-z$])|[Bb][Ss]\\.?\\s?[SFD]?\\.?|S/\\.?|[A-Za-z]{0,3}\\p{Sc}(?:US|[SDU])?)?\\s*';
const WRITTEN = new RegExp(
  `^${SIGN}${CURRENCY}${SIGN}([0-9.,](?:[0-9.,'’\u00a0\u202f\u2009 ]*[0-9])?)\\s*${SIGN}${CURRENCY}${SIGN}$`,
  'u',
);

/** The text without what marks it as text: an apostrophe before it, or `="..."`. Nothing is ever evaluated. */
export function plainText(cell: string): string {
  const text = cell.trim();
  const first = text.charCodeAt(0);
  if (first === 0x27) return text.slice(1).trim();
  if (first !== 0x3d || !/^="[^]*"$/.test(text) || text.length < 3) return text;
  return text.slice(2, -1).replaceAll('""', '"').trim();
}

/** The amount, its decimals behind that mark; null where it is none. */
export function readAmount(cell: string, mark: DecimalMark): ReadAmount | null {
  if (PLAIN[mark].test(cell)) return made(cell, mark, false, null);
  const text = plainText(cell);
  if (text.length > MAX_CHARACTERS) return null;
  const inner = /^\((.*)\)$/.exec(text)?.[1];
  const match = WRITTEN.exec((inner ?? text).trim());
  if (match === null) return null;
  const [, first, before, second, digits = '', third, behind, fourth] = match;
  const signs = [first, second, third, fourth].filter((sign) => sign !== undefined);
  if (signs.length > (inner === undefined ? 1 : 0)) return null;
  if (before !== undefined && behind !== undefined) return null;
  const isNegative = inner !== undefined || (signs[0] !== undefined && signs[0] !== '+');
  return made(digits, mark, isNegative, (before ?? behind)?.trim() ?? null);
}

/** What the cell is with each of both marks; null where nothing. */
export function bothWays(cell: string): Readonly<Record<DecimalMark, ReadAmount | null>> {
  return { comma: readAmount(cell, 'comma'), point: readAmount(cell, 'point') };
}

function made(
  digits: string,
  mark: DecimalMark,
  isNegative: boolean,
  beside: string | null,
): ReadAmount | null {
  const sign = mark === 'point' ? '.' : ',';
  const at = digits.indexOf(sign);
  const whole = wholeOf(at === -1 ? digits : digits.slice(0, at), at, mark);
  const fraction = at === -1 ? '' : digits.slice(at + 1);
  if (whole === null || (at !== -1 && !/^[0-9]{1,12}$/.test(fraction))) return null;
  const kept = fraction.endsWith('0') ? fraction.replace(/0+$/, '') : fraction;
  const amount = kept === '' ? whole : `${whole}.${kept}`;
  return { amount, isNegative: isNegative && amount !== '0', mark: beside };
}

/** Digits without separators and without leading zeros. @param at where the decimal mark stands: before it there may be nothing */
function wholeOf(text: string, at: number, mark: DecimalMark): string | null {
  if (text === '') return at === 0 ? '0' : null;
  if (/^[0-9]{1,24}$/.test(text))
    return text.charCodeAt(0) === 0x30 ? text.replace(/^0+(?=[0-9])/, '') : text;
  return GROUPED[mark].test(text) ? text.replace(/[^0-9]/g, '') : null;
}
