/** What stands between the cells and rows of a sheet's text, and cutting that text into the records of its rows. */
import type { CellRead } from '../amount.js';
import type { DecimalMark } from '../forms.js';
import type { RecordCutter, SheetRecord } from '../records.js';
import { excerpt } from '../words.js';
import { parseFormat, showsDigits, signOfAmount, type Format } from './number-format.js';

/** Between the cells of a row. */
export const UNIT = '\u001f';
/** Behind each row. */
export const RECORD = '\u001e';
/** Between a number, the spelling of one that was shortened, and its format. */
export const PART = '\u001d';
/** What begins a record that is no row: cells that are merged. */
export const MERGED = 'm';

/** The kinds of a cell, as its first character says it. */
export const KINDS = { text: 't', number: 'n', date: 'd', answer: 'b', problem: '!' } as const;

/** What a spreadsheet keeps of a number. */
const DIGITS_MAX = 15;

export interface CellUse {
  /** What stands before the decimals of a number. */
  readonly mark: DecimalMark;
  /** The places of the cells that are looked at. */
  readonly places: readonly number[];
  /** The places of amounts, which may be written with an exponent. */
  readonly amounts: readonly number[];
  /** The places of what is text, and of numbers only their digits: no date, and neither TRUE nor FALSE. */
  readonly texts: readonly number[];
}

const AS_TEXT = 'format the column as text, and type what you see';

export class SheetCutter implements RecordCutter {
  readonly #use: CellUse;
  readonly #formats = new Map<string, Format>();
  #rest = '';
  #line = 1;

  constructor(use: CellUse) {
    this.#use = use;
  }

  push(text: string): SheetRecord[] {
    const parts = (this.#rest + text).split(RECORD);
    this.#rest = parts.pop() ?? '';
    return parts.flatMap((part) => this.#record(part));
  }

  end(): SheetRecord[] {
    return [];
  }

  line(): number {
    return this.#line;
  }

  #record(text: string): SheetRecord[] {
    const [head = '', ...units] = text.split(UNIT);
    if (head.startsWith(MERGED)) return this.#merged(Number(head.slice(1)), units);
    this.#line = Number(head);
    let fault: string | null = null;
    const cells = units.map((unit, at) => {
      const read = this.#read(unit, at);
      if ('problem' in read) fault ??= `cell ${columnLetters(at)}${this.#line} ${read.problem}`;
      return 'problem' in read ? '' : read.value;
    });
    const kinds = units.map((unit) => unit.charAt(0) || KINDS.text).join('');
    return [{ line: this.#line, cells, fault, kinds }];
  }

  /** What a person sees in the cell, an amount as a number with the currency sign beside it; of one that is not looked at what it holds. */
  #read(unit: string, at: number): CellRead<string> {
    const kind = unit.charAt(0);
    // Most cells are texts.
    if (kind === KINDS.text) return { value: unit.slice(1) };
    const [held = '', written = '', code = ''] = unit.slice(1).split(PART);
    const value = kind === KINDS.number && this.#use.mark === 'comma' ? held.replace('.', ',') : held;
    if (!this.#use.places.includes(at)) return { value: kind === KINDS.problem ? '' : value };
    if (kind === KINDS.problem) return { problem: value };
    const isText = this.#use.texts.includes(at);
    if (isText && (kind === KINDS.date || kind === KINDS.answer))
      return { problem: `holds ${kind === KINDS.date ? 'a date' : value}; ${AS_TEXT}` };
    if (kind !== KINDS.number) return { value };
    const isAmount = this.#use.amounts.includes(at);
    const problem = this.#lost(held, written, isAmount);
    if (problem !== null) return { problem };
    const format = this.#formats.get(code) ?? parseFormat(code);
    this.#formats.set(code, format);
    const isSeen = (): boolean => (!isText || /^[0-9]+$/.test(held)) && showsDigits(format, held);
    const sign = isAmount ? signOfAmount(format, held) : isSeen() ? '' : null;
    if (sign !== null) return { value: sign === '' ? value : `${sign} ${value}` };
    const how = isAmount ? 'give it a format with all its decimals, such as 0.00' : AS_TEXT;
    return { problem: `holds ${held}, and its format ${excerpt(code)} may show something else; ${how}` };
  }

  /** Why the digits of a number are not all there. */
  #lost(number: string, written: string, isAmount: boolean): string | null {
    const digits = number.replace(/^-?0*\.?0*|[.]/g, '').length;
    if (digits > DIGITS_MAX)
      return isAmount
        ? `holds ${number}, which is not what it shows; round it in the spreadsheet`
        : `holds a number of more than ${DIGITS_MAX} digits, which a spreadsheet does not keep; format the column as text`;
    if (written === '' || isAmount) return null;
    return `holds ${written}, a number that a spreadsheet has shortened: its digits are lost; format the column as text`;
  }

  /** Only the first of them holds what all of them show. */
  #merged(line: number, [range = '', first = '', last = '']: readonly string[]): SheetRecord[] {
    const { places } = this.#use;
    if (!places.some((at) => at >= Number(first) && at <= Number(last))) return [];
    return [
      { line, cells: [], fault: `cells ${range} are merged: each row needs cells of its own`, kinds: '' },
    ];
  }
}

export function columnLetters(at: number): string {
  const rest = Math.floor(at / 26);
  return `${rest === 0 ? '' : columnLetters(rest - 1)}${String.fromCharCode(0x41 + (at % 26))}`;
}
