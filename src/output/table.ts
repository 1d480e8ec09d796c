/** Lays out rows as a table that fits a width; where it can't, each row becomes a block of its own. */
import { type Piece, sharedLines } from './beneath.js';
import { renderDetail, type DetailPair } from './detail.js';
import { escapeText } from './escape.js';
import {
  cellWidth,
  type CellWidth,
  type Column,
  type Fitted,
  GAP,
  INDENT,
  layOut,
  shrinkColumns,
  type TableLayout,
} from './columns.js';
import { PLAIN, type Mark, type Style, type Tone } from './style.js';
import { widthOf, wrap } from './width.js';

/** What text beneath a row needs beside its name; with less it stands alone. */
const BENEATH_MIN = 24;

/** Text, or text with a tone, or how something stands: then a mark says it before the tone does. */
export type Cell =
  | string
  | {
      readonly text: string;
      /** In its place where the width does not suffice for all columns. */
      readonly short?: string | undefined;
      readonly tone?: Tone | undefined;
      readonly mark?: Mark | undefined;
    };

/** The table as text that ends with a newline. Cells may hold anything: what could drive the terminal is made visible. */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  width: number,
  style: Style = PLAIN,
): string {
  const whole = rows.map((row) => columns.map((_, index) => shownCell(row[index] ?? '', style)));
  const isRoomy = (layout: TableLayout | null): boolean =>
    layout?.below.length === 0 && layout.hidden.length === 0;
  const wide = layOut(columns, widthsOf(whole), width);
  const safe = isRoomy(wide) ? whole : whole.map((row) => row.map(shortened));
  const layout = safe === whole ? wide : layOut(columns, widthsOf(safe), width);
  if (layout === null) return renderBlocks(columns, whole, width, style);
  const { beside, below, hidden } = layout;
  const widths = shrinkColumns(beside, width);
  const header = beside.map(({ column }): Cell => ({ text: column.header, tone: 'strong' }));
  const lines = safe.map((row) => {
    const cells = beside.map(({ index }) => row[index] ?? '');
    const alone = below.filter((index) => columns[index]?.below === true);
    const beneath = alone.map((index) =>
      beneathRow(labelled(columns, alone, index), row[index] ?? '', width, style),
    );
    const shared = below.filter((index) => !alone.includes(index));
    const pieces = shared.map((index): Piece => {
      const cell = row[index] ?? '';
      return {
        label: columns[index]?.header ?? '',
        text: textOf(cell),
        toned: tone(cell, textOf(cell), style),
      };
    });
    return renderRow(cells, beside, widths, style) + sharedLines(pieces, width, style) + beneath.join('');
  });
  return [renderRow(header, beside, widths, style), ...lines, hiddenNote(hidden, width, style)].join('');
}

interface Labelled {
  readonly label: string;
  readonly whole: boolean;
}

/** The name of a column as wide as all of them that stand beneath a row. */
function labelled(columns: readonly Column[], below: readonly number[], index: number): Labelled {
  const names = below.map((at) => columns[at]?.header ?? '');
  const { header = '', whole = false } = columns[index] ?? {};
  const widest = Math.max(...names.map(widthOf));
  return { label: header + ' '.repeat(widest - widthOf(header)) + GAP, whole };
}

/** With the name of its column where there is room for both. */
function beneathRow({ label, whole }: Labelled, cell: Cell, width: number, style: Style): string {
  const text = textOf(cell);
  if (text === '') return '';
  const room = width - INDENT.length - widthOf(label);
  const isNamed = room >= Math.min(whole ? widthOf(text) : BENEATH_MIN, widthOf(text));
  const lines = whole ? [text] : wrap(text, isNamed ? room : Math.max(width - INDENT.length, 1));
  const indent = INDENT + (isNamed ? ' '.repeat(widthOf(label)) : '');
  const first = INDENT + (isNamed ? style.faint(label) : '');
  return lines.map((line, at) => `${at === 0 ? first : indent}${tone(cell, line, style)}\n`).join('');
}

function hiddenNote(hidden: readonly Column[], width: number, style: Style): string {
  if (hidden.length === 0) return '';
  const names = hidden.map(({ header }) => header).join(', ');
  const what = hidden.length === 1 ? 'Hidden column' : 'Hidden columns';
  return wrap(`${what}: ${names} (widen the terminal or use --json)`, width)
    .map((line) => `${style.faint(line)}\n`)
    .join('');
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
      const toned = tone(cell, part, style);
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
    const pairs = columns.map((column, index): DetailPair => {
      const cell = row[index] ?? '';
      const whole = column.whole === true || column.below === true;
      const tone = toneOf(cell) ?? (index === 0 ? 'strong' : undefined);
      return { label: column.header, value: textOf(cell), whole, tone };
    });
    return renderDetail(pairs, width, style);
  });
  return blocks.join('\n');
}

function widthsOf(rows: readonly (readonly Cell[])[]): CellWidth[][] {
  return rows.map((row) => row.map((cell) => cellWidth(textOf(cell))));
}

function textOf(cell: Cell): string {
  return typeof cell === 'string' ? cell : cell.text;
}

function toneOf(cell: Cell): Tone | undefined {
  return typeof cell === 'string' ? undefined : (cell.mark ?? cell.tone);
}

function tone(cell: Cell, part: string, style: Style): string {
  const its = toneOf(cell);
  return its === undefined ? part : style[its](part);
}

function shortened(cell: Cell): Cell {
  return typeof cell === 'string' ? cell : { ...cell, text: cell.short ?? cell.text };
}

/** Made safe, and the mark before the text. */
function shownCell(cell: Cell, style: Style): Cell {
  if (typeof cell === 'string') return escapeText(cell);
  const marked = (text: string): string =>
    cell.mark === undefined ? escapeText(text) : `${style.marks[cell.mark]} ${escapeText(text)}`;
  const short = cell.short === undefined ? undefined : marked(cell.short);
  return { text: marked(cell.text), short, tone: toneOf(cell) };
}
