/** Lays out rows as a table that fits a width; where it can't, each row becomes a block of its own. */
import { renderDetail, type Pair } from './detail.js';
import { escapeText } from './escape.js';
import { cellWidth, fitColumns, GAP, shrinkColumns, type Column, type Fitted } from './columns.js';
import { PLAIN, type Style, type Tone } from './style.js';
import { widthOf, wrap } from './width.js';

export type Cell = string | { readonly text: string; readonly tone: Tone };

/** The table as text that ends with a newline. Cells may hold anything: what could drive the terminal is made visible. */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  width: number,
  style: Style = PLAIN,
): string {
  const safe = rows.map((row) => columns.map((_, index) => escapeCell(row[index] ?? '')));
  const cells = safe.map((row) => row.map((cell) => cellWidth(textOf(cell))));
  const fitted = fitColumns(columns, cells, width);
  if (fitted === null) return renderBlocks(columns, safe, width, style);
  const widths = shrinkColumns(fitted, width);
  const header = fitted.map(({ column }): Cell => ({ text: column.header, tone: 'strong' }));
  const body = safe.map((row) => fitted.map(({ index }) => row[index] ?? ''));
  return [header, ...body].map((cells) => renderRow(cells, fitted, widths, style)).join('');
}

function renderRow(
  cells: readonly Cell[],
  fitted: readonly Fitted[],
  widths: readonly number[],
  style: Style,
): string {
  const wrapped = cells.map((cell, at) =>
    fitted[at]?.column.whole === true ? [textOf(cell)] : wrap(textOf(cell), widths[at] ?? 0),
  );
  const height = wrapped.reduce((most, lines) => Math.max(most, lines.length), 1);
  let text = '';
  for (let line = 0; line < height; line += 1) {
    const parts = cells.map((cell, at) => {
      const part = wrapped[at]?.[line] ?? '';
      const space = ' '.repeat(Math.max(0, (widths[at] ?? 0) - widthOf(part)));
      const toned = typeof cell === 'string' ? part : style[cell.tone](part);
      if (fitted[at]?.column.align === 'right') return space + toned;
      return at === cells.length - 1 ? toned : toned + space;
    });
    text += `${parts.join(GAP).trimEnd()}\n`;
  }
  return text;
}

function renderBlocks(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  width: number,
  style: Style,
): string {
  const blocks = rows.map((row) => {
    const pairs = columns.map((column, index): Pair => {
      const cell = row[index] ?? '';
      const tone = typeof cell === 'string' ? {} : { tone: cell.tone };
      return { label: column.header, value: textOf(cell), whole: column.whole === true, ...tone };
    });
    return renderDetail(pairs, width, style);
  });
  return blocks.join('\n');
}

function textOf(cell: Cell): string {
  return typeof cell === 'string' ? cell : cell.text;
}

function escapeCell(cell: Cell): Cell {
  return typeof cell === 'string' ? escapeText(cell) : { ...cell, text: escapeText(cell.text) };
}
