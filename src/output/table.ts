/** Lays out rows as a table that fits a width; where it can't, each row becomes a block of its own. */
import { renderDetail, type DetailPair } from './detail.js';
import { escapeText } from './escape.js';
import { cellWidth, GAP, INDENT, layOut, shrinkColumns, type Column, type Fitted } from './columns.js';
import { PLAIN, type Mark, type Style, type Tone } from './style.js';
import { widthOf, wrap } from './width.js';

/** What text beneath a row needs beside its name; with less it stands alone. */
const BENEATH_MIN = 24;

/** Text, or text with a tone, or how something stands: then a mark says it before the tone does. */
export type Cell =
  string | { readonly text: string; readonly tone: Tone } | { readonly text: string; readonly mark: Mark };

/** The table as text that ends with a newline. Cells may hold anything: what could drive the terminal is made visible. */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  width: number,
  style: Style = PLAIN,
): string {
  const safe = rows.map((row) => columns.map((_, index) => shownCell(row[index] ?? '', style)));
  const cells = safe.map((row) => row.map((cell) => cellWidth(textOf(cell))));
  const layout = layOut(columns, cells, width);
  if (layout === null) return renderBlocks(columns, safe, width, style);
  const { beside, below, hidden } = layout;
  const widths = shrinkColumns(beside, width);
  const header = beside.map(({ column }): Cell => ({ text: column.header, tone: 'strong' }));
  const lines = safe.map((row) => {
    const cells = beside.map(({ index }) => row[index] ?? '');
    const beneath = below.map((index) =>
      beneathRow(labelled(columns, below, index), row[index] ?? '', width, style),
    );
    return renderRow(cells, beside, widths, style) + beneath.join('');
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
  return wrap(`Not shown in this width: ${names}. A wider terminal and --json have it.`, width)
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
      const toned = typeof cell === 'string' ? (index === 0 ? STRONG : {}) : { tone: toneOf(cell) };
      return { label: column.header, value: textOf(cell), whole, ...toned };
    });
    return renderDetail(pairs, width, style);
  });
  return blocks.join('\n');
}

const STRONG = { tone: 'strong' } as const;

function textOf(cell: Cell): string {
  return typeof cell === 'string' ? cell : cell.text;
}

function toneOf(cell: Exclude<Cell, string>): Tone {
  return 'mark' in cell ? cell.mark : cell.tone;
}

function tone(cell: Cell, part: string, style: Style): string {
  return typeof cell === 'string' ? part : style[toneOf(cell)](part);
}

/** Made safe, and the mark before the text. */
function shownCell(cell: Cell, style: Style): Cell {
  if (typeof cell === 'string') return escapeText(cell);
  const text = escapeText(cell.text);
  return { text: 'mark' in cell ? `${style.marks[cell.mark]} ${text}` : text, tone: toneOf(cell) };
}
