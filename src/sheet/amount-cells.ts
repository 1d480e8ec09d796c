/** Amounts by one decimal mark. Where it was left open the first cell decides that can be read in one way only. */
import { bothWays, plainText, readAmount, type ReadAmount } from './amount.js';
import type { DecimalMark } from './forms.js';
import { excerpt } from './words.js';

/** What a cell is, or why it is nothing. */
export type CellRead<T> = { readonly value: T } | { readonly problem: string };

const SCIENTIFIC = /^[-+]?[0-9]+([.,][0-9]+)?[eE][-+]?[0-9]+$/;

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
      return { problem: `${excerpt(cell)} is ${ways}` };
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
  if (mark === null) return `${excerpt(cell)} is no amount`;
  const other = mark === 'comma' ? 'point' : 'comma';
  const isOther = readAmount(cell, other) !== null;
  return `${excerpt(cell)} is no amount with a decimal ${mark}${isOther ? `; --decimal ${other} reads it` : ''}`;
}
