import type { CellRead } from '../amount.js';
import type { DecimalMark } from '../forms.js';
import type { RecordCutter, SheetRecord } from '../records.js';
import { excerpt } from '../words.js';
import { parseFormat, showsDigits, signOfAmount, type Format } from './number-format.js';

export const CELL_SEPARATOR = '\u001f';
export const ROW_END = '\u001e';
export const PART_SEPARATOR = '\u001d';
export const MERGED_RANGE_PREFIX = 'm';

export const CELL_KINDS = { text: 't', number: 'n', date: 'd', answer: 'b', problem: '!' } as const;

const DIGITS_MAX = 15;

export interface CellUse {
  readonly mark: DecimalMark;
  readonly places: readonly number[];
  readonly amounts: readonly number[];
  readonly texts: readonly number[];
}

const AS_TEXT = 'format the column as text, and type what you see';

export class SheetCutter implements RecordCutter {
  readonly #formats = new Map<string, Format>();
  #rest = '';
  #line = 1;

  constructor(private readonly use: CellUse) {}

  push(text: string): SheetRecord[] {
    const parts = (this.#rest + text).split(ROW_END);
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
    const [head = '', ...units] = text.split(CELL_SEPARATOR);
    if (head.startsWith(MERGED_RANGE_PREFIX)) {
      const [range = '', first = '', last = ''] = units;
      if (!this.use.places.some((at) => at >= Number(first) && at <= Number(last))) return [];
      const fault = `cells ${range} are merged: each row needs cells of its own`;
      return [{ line: Number(head.slice(1)), cells: [], fault, kinds: '' }];
    }
    this.#line = Number(head);
    let fault: string | null = null;
    const cells = units.map((unit, at) => {
      const cell = this.#read(unit, at);
      if ('problem' in cell) fault ??= `cell ${columnLetters(at)}${this.#line} ${cell.problem}`;
      return 'problem' in cell ? '' : cell.value;
    });
    const kinds = units.map((unit) => unit.charAt(0) || CELL_KINDS.text).join('');
    return [{ line: this.#line, cells, fault, kinds }];
  }

  #read(unit: string, at: number): CellRead<string> {
    const kind = unit.charAt(0);
    if (kind === CELL_KINDS.text) return { value: unit.slice(1) };
    const [stored = '', written = '', code = ''] = unit.slice(1).split(PART_SEPARATOR);
    const value = kind === CELL_KINDS.number && this.use.mark === 'comma' ? stored.replace('.', ',') : stored;
    if (!this.use.places.includes(at)) return { value: kind === CELL_KINDS.problem ? '' : value };
    if (kind === CELL_KINDS.problem) return { problem: value };
    const isText = this.use.texts.includes(at);
    if (isText && (kind === CELL_KINDS.date || kind === CELL_KINDS.answer))
      return { problem: `holds ${kind === CELL_KINDS.date ? 'a date' : value}; ${AS_TEXT}` };
    if (kind !== CELL_KINDS.number) return { value };
    const isAmount = this.use.amounts.includes(at);
    const problem = this.#lostDigits(stored, written, isAmount);
    if (problem !== null) return { problem };
    const format = this.#formats.get(code) ?? parseFormat(code);
    this.#formats.set(code, format);
    const isSeen = (): boolean => (!isText || /^[0-9]+$/.test(stored)) && showsDigits(format, stored);
    const sign = isAmount ? signOfAmount(format, stored) : isSeen() ? '' : null;
    if (sign !== null) return { value: sign === '' ? value : `${sign} ${value}` };
    const how = isAmount ? 'give it a format with all its decimals, such as 0.00' : AS_TEXT;
    return { problem: `holds ${stored}, and its format ${excerpt(code)} may show something else; ${how}` };
  }

  #lostDigits(number: string, written: string, isAmount: boolean): string | null {
    const digits = number.replace(/^-?0*\.?0*|[.]/g, '').length;
    if (digits > DIGITS_MAX)
      return isAmount
        ? `holds ${number}, which is not what it shows; round it in the spreadsheet`
        : `holds a number of more than ${DIGITS_MAX} digits, which a spreadsheet does not keep; format the column as text`;
    if (written === '' || isAmount) return null;
    return `holds ${written}, a number that a spreadsheet has shortened: its digits are lost; format the column as text`;
  }
}

export function columnLetters(at: number): string {
  const rest = Math.floor(at / 26);
  return `${rest === 0 ? '' : columnLetters(rest - 1)}${String.fromCharCode(0x41 + (at % 26))}`;
}
