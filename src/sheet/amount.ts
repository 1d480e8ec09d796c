import type { Direction } from '../contract/operation.js';
import { rearm } from '../contract/on-screen.js';
import type { DecimalMark } from './forms.js';
import { excerpt } from './words.js';

export interface ReadAmount {
  /** A decimal string without a sign and without needless zeros. */
  readonly amount: string;
  readonly isNegative: boolean;
  readonly currency: string | null;
  /** Letters beside the amount give its direction, as in `1.500,50 D` and `CR 10.00`. */
  readonly side: Direction | null;
}

const PLAIN = { point: /^[0-9]{1,24}(?:\.[0-9]{1,12})?$/, comma: /^[0-9]{1,24}(?:,[0-9]{1,12})?$/ };
const GROUPED = {
  point: /^[1-9][0-9]{0,2}([,'’\u00a0\u202f\u2009 ])[0-9]{3}(?:\1[0-9]{3})*$/,
  comma: /^[1-9][0-9]{0,2}([.'’\u00a0\u202f\u2009 ])[0-9]{3}(?:\1[0-9]{3})*$/,
};
/** The patterns would be very slow on a longer text. */
const MAX_CHARACTERS = 60;
const SIGN = '([+\\p{Pd}\u2212])?\\s*';
const CURRENCY =
  '([A-Z]{3}(?![A-Za-z$])|[Bb][Ss]\\.?\\s?[SFD]?\\.?|S/\\.?|[A-Za-z]{0,3}\\p{Sc}(?:US|[SDU])?)?\\s*';
const AMOUNT_TEXT = new RegExp(
  `^${SIGN}${CURRENCY}${SIGN}([0-9.,](?:[0-9.,'’\u00a0\u202f\u2009 ]*[0-9])?)\\s*${SIGN}${CURRENCY}${SIGN}$`,
  'u',
);
const WITH_SIDE = /^(?:(CR|D[BR]|[CDH])\.?\s+)?(.*?)(?:(?<=[0-9)\s])(CR|D[BR]|[CDH])\.?)?$/i;
const TWO_SIGNS =
  /^(?:[+(\p{Pd}\u2212]|(?:CR|D[BR]|[CDH])\.?\s)\s*(?:[+(\p{Pd}\u2212]|.*(?:[+\p{Pd}\u2212]|[0-9)\s](?:CR|D[BR]|[CDH])\.?)$)/iu;

export function plainText(cell: string, isOwn = false): string {
  const text = cell.trim();
  const first = text.charCodeAt(0);
  if (first === 0x27) return (isOwn ? rearm(text, true) : text.slice(1)).trim();
  if (first !== 0x3d || !/^="[^]*"$/.test(text) || text.length < 3) return isOwn ? rearm(text) : text;
  return text.slice(2, -1).replaceAll('""', '"').trim();
}

export function readAmount(cell: string, mark: DecimalMark): ReadAmount | null {
  if (PLAIN[mark].test(cell)) return amountFrom(cell, mark, false, null);
  const text = plainText(cell);
  if (text.length > MAX_CHARACTERS) return null;
  const inner = /^\((.*)\)$/.exec(text)?.[1];
  const match = AMOUNT_TEXT.exec((inner ?? text).trim());
  if (match === null) return readWithSide(text, mark);
  const [, first, before, second, digits = '', third, behind, fourth] = match;
  const signs = [first, second, third, fourth].filter((sign) => sign !== undefined);
  if (signs.length > (inner === undefined ? 1 : 0)) return null;
  if (before !== undefined && behind !== undefined) return null;
  const isNegative = inner !== undefined || (signs[0] !== undefined && signs[0] !== '+');
  return amountFrom(digits, mark, isNegative, (before ?? behind)?.trim() ?? null);
}

/** Refuses a negative credit, because it is a reversal. */
function readWithSide(text: string, mark: DecimalMark): ReadAmount | null {
  const [, before = '', middle = '', behind = ''] = WITH_SIDE.exec(text) ?? [];
  const word = `${before}${behind}`;
  const amount = word === '' ? null : readAmount(middle, mark);
  const side = /^d/i.test(word) ? 'payout' : 'payin';
  const isWrong =
    amount?.side !== null || (before !== '' && behind !== '') || (amount.isNegative && side === 'payin');
  return isWrong ? null : { ...amount, side };
}

export function readBothMarks(cell: string): Readonly<Record<DecimalMark, ReadAmount | null>> {
  return { comma: readAmount(cell, 'comma'), point: readAmount(cell, 'point') };
}

function amountFrom(digits: string, mark: DecimalMark, isNegative: boolean, currency: string | null) {
  const separator = mark === 'point' ? '.' : ',';
  const at = digits.indexOf(separator);
  const integer = wholeDigits(at === -1 ? digits : digits.slice(0, at), at, mark);
  const fraction = at === -1 ? '' : digits.slice(at + 1);
  if (integer === null || (at !== -1 && !/^[0-9]{1,12}$/.test(fraction))) return null;
  const decimals = fraction.endsWith('0') ? fraction.replace(/0+$/, '') : fraction;
  const amount = decimals === '' ? integer : `${integer}.${decimals}`;
  return { amount, isNegative: isNegative && amount !== '0', currency, side: null };
}

function wholeDigits(text: string, at: number, mark: DecimalMark): string | null {
  if (text === '') return at === 0 ? '0' : null;
  if (/^[0-9]{1,24}$/.test(text))
    return text.charCodeAt(0) === 0x30 ? text.replace(/^0+(?=[0-9])/, '') : text;
  return GROUPED[mark].test(text) ? text.replace(/[^0-9]/g, '') : null;
}

export type CellRead<T> = { readonly value: T } | { readonly problem: string };

const SCIENTIFIC = /^[-+]?[0-9]+([.,][0-9]+)?[eE][-+]?[0-9]+$/;

/** Without a `mark`, the first cell with only one reading decides the mark for all later cells. */
export class AmountCells {
  constructor(public mark: DecimalMark | null) {}

  read(cell: string): CellRead<ReadAmount> {
    if (this.mark === null) return this.#readUndecided(cell);
    const value = readAmount(cell, this.mark);
    return value === null ? { problem: amountProblem(cell, this.mark) } : { value };
  }

  #readUndecided(cell: string): CellRead<ReadAmount> {
    const { comma, point } = readBothMarks(cell);
    const value = comma ?? point;
    if (value === null) return { problem: amountProblem(cell, null) };
    if (comma === null) this.mark = 'point';
    else if (point === null) this.mark = 'comma';
    else if (comma.amount !== point.amount) {
      const texts = `${comma.amount} with --decimal comma and ${point.amount} with --decimal point`;
      return { problem: `${excerpt(cell)} is ${texts}` };
    }
    return { value };
  }
}

function amountProblem(cell: string, mark: DecimalMark | null): string {
  const text = plainText(cell);
  if (text === '') return 'is empty';
  if (text.startsWith('=')) return `${excerpt(cell)} is a formula: nothing is calculated, save its value`;
  if (SCIENTIFIC.test(text))
    return `${excerpt(cell)} is a number that a spreadsheet has shortened: its digits are lost`;
  if (/[0-9][.,]$/.test(text)) return `${excerpt(cell)} ends in its decimal mark: the file may be cut off`;
  if (TWO_SIGNS.test(text)) return `${excerpt(cell)} has more than one sign`;
  const otherMark = mark === 'comma' ? 'point' : 'comma';
  const isOther = mark !== null && readAmount(cell, otherMark) !== null;
  return `${excerpt(cell)} is not a valid amount${isOther ? `: the decimal mark is a ${mark}; --decimal ${otherMark} reads it` : ''}`;
}

export interface Doubt<Way extends string> {
  readonly line: number;
  readonly text: string;
  readonly readings: readonly (readonly [way: Way, value: string])[];
}

export function doubtText<Way extends string>({ text, readings }: Doubt<Way>, flag: (way: Way) => string) {
  const texts = readings.map(([way, value]) => `${value} with ${flag(way)}`);
  return `${JSON.stringify(text.trim())} is ${texts.join(', ')}`;
}

export class DecimalClues {
  mark: DecimalMark | null = null;
  #doubt: Doubt<DecimalMark> | null = null;

  add(line: number, text: string): void {
    if (this.mark !== null) return;
    const { comma, point } = readBothMarks(text);
    if (comma !== null && point !== null) {
      if (comma.amount === point.amount) return;
      this.#doubt ??= {
        line,
        text,
        readings: [
          ['comma', comma.amount],
          ['point', point.amount],
        ],
      };
    } else if (comma !== null) this.mark = 'comma';
    else if (point !== null) this.mark = 'point';
  }

  get doubt(): Doubt<DecimalMark> | null {
    return this.mark === null ? this.#doubt : null;
  }
}
