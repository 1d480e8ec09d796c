/** Decides which columns of a table stand side by side in a width, and how wide each is. Pure arithmetic. */
import { widthOf } from './width.js';

export interface Column {
  readonly header: string;
  /** Default left; money stands right. */
  readonly align?: 'right';
  /** Never wrapped: ids and money stay in one piece. */
  readonly whole?: boolean;
  /** Beneath the row where the width does not suffice: on a line of its own, or sharing one with others that are `together`. */
  readonly below?: boolean | 'together';
  /** Left out where the width does not suffice, and named beneath the table. Never money, nor what came of it. Of both the last gives way first. */
  readonly optional?: boolean;
}

export interface Fitted {
  readonly column: Column;
  readonly index: number;
  /** In columns of the terminal. */
  readonly natural: number;
  readonly least: number;
}

/** Where each column stands; what is in none of the three has nothing in any row. */
export interface TableLayout {
  readonly beside: readonly Fitted[];
  /** By their places in the columns. */
  readonly below: readonly number[];
  readonly hidden: readonly Column[];
}

export const GAP = '  ';
/** Before what stands beneath a row. */
export const INDENT = '  ';
/** A wrapped column is not made narrower than this, nor than its longest word unless that is longer than the second. */
const WRAPPED_MIN = 12;
const WORD_MAX = 24;

/** What a cell asks for: the width of the whole text, and of its longest word. */
export interface CellWidth {
  readonly text: number;
  readonly word: number;
}

export function cellWidth(text: string): CellWidth {
  const words = text.split(' ').map(widthOf);
  return { text: widthOf(text), word: words.reduce((widest, word) => Math.max(widest, word), 0) };
}

/** How the columns stand in a width, or null where even the necessary ones do not fit; `cells` are row by row. */
export function layOut(
  columns: readonly Column[],
  cells: readonly (readonly CellWidth[])[],
  width: number,
): TableLayout | null {
  const isUsed = (index: number): boolean => index === 0 || cells.some((row) => (row[index]?.text ?? 0) > 0);
  const beside = columns
    .map((column, index) => fittedOf(column, index, cells))
    .filter(({ index }) => isUsed(index));
  const isTooWide = (): boolean => total(beside.map(({ least }) => least)) > width;
  const taken: Fitted[] = [];
  while (isTooWide()) {
    const last = beside.findLastIndex(
      ({ column, index }) => index > 0 && (isBelow(column) || column.optional === true),
    );
    if (last === -1) return null;
    taken.unshift(...beside.splice(last, 1));
  }
  const below = taken.filter(({ column }) => isBelow(column)).map(({ index }) => index);
  const hidden = taken.filter(({ column }) => !isBelow(column)).map(({ column }) => column);
  return { beside, below, hidden };
}

function isBelow({ below = false }: Column): boolean {
  return below !== false;
}

function fittedOf(column: Column, index: number, cells: readonly (readonly CellWidth[])[]): Fitted {
  const all = [cellWidth(column.header), ...cells.map((row) => row[index] ?? { text: 0, word: 0 })];
  const widest = (part: keyof CellWidth): number => all.reduce((most, cell) => Math.max(most, cell[part]), 0);
  const natural = widest('text');
  const wrapped = Math.min(natural, Math.max(WRAPPED_MIN, Math.min(widest('word'), WORD_MAX)));
  const least = column.whole === true ? natural : wrapped;
  return { column, index, natural, least };
}

/** The width of each column: the widest that may be wrapped gives way first. */
export function shrinkColumns(fitted: readonly Fitted[], width: number): number[] {
  const widths = fitted.map(({ natural, least }) => Math.max(least, Math.min(natural, width)));
  while (total(widths) > width) {
    let widest = -1;
    for (const [index, { least }] of fitted.entries()) {
      const current = widths[index] ?? 0;
      if (current > least && current > (widths[widest] ?? 0)) widest = index;
    }
    if (widest === -1) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

function total(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, GAP.length * Math.max(0, widths.length - 1));
}
