/** What stands between the cells and rows of a sheet's text, and cutting that text into the records of its rows. */
import type { DecimalMark } from '../forms.js';
import type { RecordCutter, SheetRecord } from '../records.js';

/** Between the cells of a row. */
export const UNIT = '\u001f';
/** Behind each row. */
export const RECORD = '\u001e';
/** What begins a record that is no row: cells that are merged. */
export const MERGED = 'm';

/** The kinds of a cell, as its first character says it. */
export const KINDS = { text: 't', number: 'n', date: 'd', problem: '!' } as const;

/** What a spreadsheet keeps of a number. */
const DIGITS_MAX = 15;

export interface CellUse {
  /** What stands before the decimals of a number. */
  readonly mark: DecimalMark;
  /** The places of the cells that are looked at; null for all. */
  readonly places: readonly number[] | null;
  /** The places of amounts, which may be written with an exponent. */
  readonly amounts: readonly number[];
}

export class SheetCutter implements RecordCutter {
  readonly #use: CellUse;
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
      const [kind, value] = [unit.charAt(0), unit.slice(1)];
      const problem = kind === KINDS.problem ? value : kind === KINDS.number ? this.#lost(value, at) : null;
      if (problem !== null && this.#isUsed(at)) fault ??= `cell ${nameOf(at)}${this.#line} ${problem}`;
      if (kind === KINDS.problem) return '';
      if (kind !== KINDS.number) return value;
      const [number = ''] = value.split(' ');
      return this.#use.mark === 'comma' ? number.replace('.', ',') : number;
    });
    const kinds = units.map((unit) => unit.charAt(0) || KINDS.text).join('');
    return [{ line: this.#line, cells, fault, kinds }];
  }

  /** Why the digits of a number are not all there. */
  #lost(value: string, at: number): string | null {
    const [number = '', written] = value.split(' ');
    const digits = number.replace(/^-?0*\.?0*|[.]/g, '').length;
    const isAmount = this.#use.amounts.includes(at);
    if (digits > DIGITS_MAX)
      return isAmount
        ? `holds ${number}, which is not what it shows; round it in the spreadsheet`
        : `holds a number of more than ${DIGITS_MAX} digits, which a spreadsheet does not keep; format the column as text`;
    if (written === undefined || isAmount) return null;
    return `holds ${written}, a number that a spreadsheet has shortened: its digits are lost; format the column as text`;
  }

  #isUsed(at: number): boolean {
    return this.#use.places === null || this.#use.places.includes(at);
  }

  /** Only the first of them holds what all of them show. */
  #merged(line: number, [range = '', first = '', last = '']: readonly string[]): SheetRecord[] {
    const { places } = this.#use;
    const isUsed = places === null || places.some((at) => at >= Number(first) && at <= Number(last));
    if (!isUsed) return [];
    return [
      { line, cells: [], fault: `cells ${range} are merged: each row needs cells of its own`, kinds: '' },
    ];
  }
}

/** The letters of a column. */
function nameOf(at: number): string {
  const rest = Math.floor(at / 26);
  return `${rest === 0 ? '' : nameOf(rest - 1)}${String.fromCharCode(0x41 + (at % 26))}`;
}
