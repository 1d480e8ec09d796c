/** The cells of a file by what was believed of them: amounts by one decimal mark, dates by one order. What was left open is decided by the first cell that decides. */
import type { Zone } from '../../runtime/clock.js';
import { bothWays, plainText, readAmount, type ReadAmount } from './amount.js';
import { DAY_ORDERS, daysOf, partsOf, type DayOrder } from './day.js';
import type { DecimalMark } from './plan.js';

/** What a cell is, or why it is nothing. */
export type CellRead<T> = { readonly value: T } | { readonly problem: string };

const SCIENTIFIC = /^[-+]?[0-9]+([.,][0-9]+)?[eE][-+]?[0-9]+$/;
/** Few: a text that is cut out of another one holds all of that. */
const DAYS_KEPT = 100;

export class AmountCells {
  #mark: DecimalMark | null;

  constructor(mark: DecimalMark | null) {
    this.#mark = mark;
  }

  /** Null until a cell decided it. */
  get mark(): DecimalMark | null {
    return this.#mark;
  }

  read(cell: string): CellRead<ReadAmount> {
    if (this.#mark === null) return this.#open(cell);
    const value = readAmount(cell, this.#mark);
    return value === null ? { problem: amountProblem(cell, this.#mark) } : { value };
  }

  #open(cell: string): CellRead<ReadAmount> {
    const { comma, point } = bothWays(cell);
    const value = comma ?? point;
    if (value === null) return { problem: amountProblem(cell, null) };
    if (comma === null) this.#mark = 'point';
    else if (point === null) this.#mark = 'comma';
    else if (comma.amount !== point.amount) {
      const ways = `${comma.amount} with --decimal comma and ${point.amount} with --decimal point`;
      return { problem: `${quoted(cell)} is ${ways}` };
    }
    return { value };
  }
}

function amountProblem(cell: string, mark: DecimalMark | null): string {
  const text = plainText(cell);
  if (text === '') return 'is empty';
  if (text.startsWith('=')) return `${quoted(cell)} is a formula: nothing is calculated, save its value`;
  if (SCIENTIFIC.test(text))
    return `${quoted(cell)} is a number that a spreadsheet has shortened: its digits are lost`;
  if (mark === null) return `${quoted(cell)} is no amount`;
  const other = mark === 'comma' ? 'point' : 'comma';
  const isOther = readAmount(cell, other) !== null;
  return `${quoted(cell)} is no amount with a decimal ${mark}${isOther ? `; --decimal ${other} reads it` : ''}`;
}

export class DayCells {
  /** Cell by cell fewer. */
  #possible: readonly DayOrder[];
  readonly #zone: Zone;
  /** The same day stands in many lines. */
  readonly #known = new Map<string, string>();

  constructor(possible: readonly DayOrder[], zone: Zone) {
    this.#possible = possible;
    this.#zone = zone;
  }

  read(cell: string): CellRead<string> {
    const known = this.#known.get(cell);
    if (known !== undefined) return { value: known };
    const read = this.#fresh(plainText(cell));
    if ('value' in read) {
      if (this.#known.size >= DAYS_KEPT) this.#known.clear();
      this.#known.set(cell, read.value);
    }
    return read;
  }

  #fresh(text: string): CellRead<string> {
    const parts = partsOf(text);
    const left = parts === null ? [] : daysOf(parts, this.#possible, this.#zone);
    const [first] = left;
    if (first === undefined) {
      const ways = parts === null ? [] : daysOf(parts, DAY_ORDERS, this.#zone);
      return { problem: dayProblem(text, this.#possible, ways) };
    }
    const [, value] = first;
    if (left.some(([, day]) => day !== value)) return { problem: `${quoted(text)} is ${listed(left)}` };
    if (left.length < this.#possible.length) this.#possible = left.map(([order]) => order);
    return { value };
  }
}

function dayProblem(
  text: string,
  [order, second]: readonly DayOrder[],
  ways: readonly (readonly [DayOrder, string])[],
): string {
  const isDecided = order !== undefined && second === undefined;
  const what = `${quoted(text)} is no date${isDecided ? ` in the order ${formatOf(order)}` : ''}`;
  return ways.length === 0 ? what : `${what}; it is ${listed(ways)}`;
}

function listed(ways: readonly (readonly [DayOrder, string])[]): string {
  return ways.map(([order, day]) => `${day} with --date-format ${formatOf(order)}`).join(' and ');
}

/** As `--date-format` takes it. */
export function formatOf(order: DayOrder, isShort = false): string {
  const year = isShort ? 'YY' : 'YYYY';
  return { DMY: `DD/MM/${year}`, MDY: `MM/DD/${year}`, YMD: `${year}-MM-DD` }[order];
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}...` : text);
}
