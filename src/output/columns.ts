/** Decides which columns of a table stand side by side in a width, and how wide each is. Pure arithmetic. */
import { widthOf } from './width.js';

export interface Column {
  readonly header: string;
  /** Default left; money stands right. */
  readonly align?: 'right';
  /** Never wrapped: ids and money stay in one piece. */
  readonly whole?: boolean;
  /** Left out, the last first, where the width does not suffice. Blocks and JSON have it. */
  readonly optional?: boolean;
}

export interface Fitted {
  readonly column: Column;
  readonly index: number;
  /** In columns of the terminal. */
  readonly natural: number;
  readonly least: number;
}

export const GAP = '  ';
/** A wrapped column is not made narrower than this. */
const WRAPPED_MIN = 12;

/** The columns that stand side by side, or null where even the necessary ones do not; `cells` holds the width of each cell, row by row. */
export function fitColumns(
  columns: readonly Column[],
  cells: readonly (readonly number[])[],
  width: number,
): Fitted[] | null {
  const fitted = columns.map((column, index): Fitted => {
    const natural = cells.reduce((widest, row) => Math.max(widest, row[index] ?? 0), widthOf(column.header));
    const least = column.whole === true ? natural : Math.min(natural, WRAPPED_MIN);
    return { column, index, natural, least };
  });
  while (total(fitted.map(({ least }) => least)) > width) {
    const last = fitted.findLastIndex(({ column }) => column.optional === true);
    if (last === -1) return null;
    fitted.splice(last, 1);
  }
  return fitted;
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
