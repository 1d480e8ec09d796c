import { renderDetail, type DetailPair } from './detail.js';
import { escapeText } from './escape.js';
import { PLAIN, type Mark, type Style, type Tone } from './style.js';
import { widthOf, wrap } from './width.js';

export interface Column {
  readonly header: string;
  readonly align?: 'right';
  /** True for a column whose values are never wrapped, such as ids and money. */
  readonly whole?: boolean;
  readonly below?: boolean | 'together';
  /** The column may be hidden in a narrow table, so it must not be money or a status. */
  readonly optional?: boolean;
}

interface MeasuredColumn {
  readonly column: Column;
  readonly index: number;
  readonly fullWidth: number;
  readonly minWidth: number;
}

export const GAP = '  ';
export const INDENT = '  ';
const WRAPPED_WIDTH_MIN = 12;
const WORD_WIDTH_MAX = 24;

type CellWidth = Readonly<Record<'text' | 'word', number>>;

function cellWidth(text: string): CellWidth {
  const words = text.split(' ').map(widthOf);
  return { text: widthOf(text), word: words.reduce((widest, word) => Math.max(widest, word), 0) };
}

function layOut(columns: readonly Column[], cells: readonly (readonly CellWidth[])[], width: number) {
  const isUsed = (index: number): boolean => index === 0 || cells.some((row) => (row[index]?.text ?? 0) > 0);
  const beside = columns
    .map((column, index) => measureColumn(column, index, cells))
    .filter(({ index }) => isUsed(index));
  const isTooWide = (): boolean => sumOf(beside.map(({ minWidth }) => minWidth)) > width;
  const movedColumns: MeasuredColumn[] = [];
  while (isTooWide()) {
    const lastIndex = beside.findLastIndex(
      ({ column, index }) => index > 0 && (isBelow(column) || column.optional === true),
    );
    if (lastIndex === -1) return null;
    movedColumns.unshift(...beside.splice(lastIndex, 1));
  }
  const below = movedColumns.filter(({ column }) => isBelow(column));
  const hidden = movedColumns.filter(({ column }) => !isBelow(column)).map(({ column }) => column);
  return { beside, below, hidden };
}

function isBelow({ below = false }: Column): boolean {
  return below !== false;
}

function measureColumn(
  column: Column,
  index: number,
  cells: readonly (readonly CellWidth[])[],
): MeasuredColumn {
  const columnCells = [cellWidth(column.header), ...cells.map((row) => row[index] ?? { text: 0, word: 0 })];
  const widest = (part: keyof CellWidth): number =>
    columnCells.reduce((most, cell) => Math.max(most, cell[part]), 0);
  const fullWidth = widest('text');
  const wrappedWidth = Math.min(
    fullWidth,
    Math.max(WRAPPED_WIDTH_MIN, Math.min(widest('word'), WORD_WIDTH_MAX)),
  );
  const minWidth = column.whole === true ? fullWidth : wrappedWidth;
  return { column, index, fullWidth, minWidth };
}

function shrinkColumns(columns: readonly MeasuredColumn[], width: number): number[] {
  const widths = columns.map(({ fullWidth, minWidth }) => Math.max(minWidth, Math.min(fullWidth, width)));
  while (sumOf(widths) > width) {
    let widest = -1;
    for (const [index, { minWidth }] of columns.entries()) {
      const currentWidth = widths[index] ?? 0;
      if (currentWidth > minWidth && currentWidth > (widths[widest] ?? 0)) widest = index;
    }
    if (widest === -1) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

function sumOf(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, GAP.length * Math.max(0, widths.length - 1));
}

const BELOW_WIDTH_MIN = 24;

export type Cell =
  | string
  | {
      readonly text: string;
      readonly short?: string | undefined;
      readonly tone?: Tone | undefined;
      readonly mark?: Mark | undefined;
    };

export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  width: number,
  style: Style = PLAIN,
): string {
  const fullRows = rows.map((row) => columns.map((_, index) => escapeCell(row[index] ?? '', style)));
  const fullLayout = layOut(columns, widthsOf(fullRows), width);
  const isComplete = fullLayout?.below.length === 0 && fullLayout.hidden.length === 0;
  const shownRows = isComplete
    ? fullRows
    : fullRows.map((row) =>
        row.map((cell) => (typeof cell === 'string' ? cell : { ...cell, text: cell.short ?? cell.text })),
      );
  const layout = isComplete ? fullLayout : layOut(columns, widthsOf(shownRows), width);
  if (layout === null) return renderBlocks(columns, fullRows, width, style);
  const { beside, below, hidden } = layout;
  const widths = shrinkColumns(beside, width);
  const header = beside.map(({ column }): Cell => ({ text: column.header, tone: 'strong' }));
  const ownLineColumns = below.filter(({ column }) => column.below === true);
  const sharedColumns = below.filter(({ column }) => column.below !== true);
  const labelWidth = Math.max(...ownLineColumns.map(({ column }) => widthOf(column.header)));
  const rowTexts = shownRows.map((row) => {
    const cells = beside.map(({ index }) => row[index] ?? '');
    const ownLines = ownLineColumns.map(({ column, index }) =>
      renderBelow(column, labelWidth, row[index] ?? '', width, style),
    );
    const belowText = sharedLines(sharedColumns, row, width, style) + ownLines.join('');
    return renderRow(cells, beside, widths, style) + belowText;
  });
  return [renderRow(header, beside, widths, style), ...rowTexts, hiddenNote(hidden, width, style)].join('');
}

function renderBelow(
  { header, whole = false }: Column,
  labelWidth: number,
  cell: Cell,
  width: number,
  style: Style,
): string {
  const text = textOf(cell);
  if (text === '') return '';
  const label = header + ' '.repeat(labelWidth - widthOf(header)) + GAP;
  const room = width - INDENT.length - widthOf(label);
  const isBesideLabel = room >= Math.min(whole ? widthOf(text) : BELOW_WIDTH_MIN, widthOf(text));
  const lines = whole ? [text] : wrap(text, isBesideLabel ? room : Math.max(width - INDENT.length, 1));
  const indent = INDENT + (isBesideLabel ? ' '.repeat(widthOf(label)) : '');
  const lead = INDENT + (isBesideLabel ? style.faint(label) : '');
  return lines.map((line, at) => `${at === 0 ? lead : indent}${applyTone(cell, line, style)}\n`).join('');
}

function hiddenNote(hidden: readonly Column[], width: number, style: Style): string {
  if (hidden.length === 0) return '';
  const names = hidden.map(({ header }) => header).join(', ');
  const noun = hidden.length === 1 ? 'Hidden column' : 'Hidden columns';
  const lines = wrap(`${noun}: ${names} (widen the terminal or use --json)`, width);
  return lines.map((line) => `${style.faint(line)}\n`).join('');
}

function renderRow(
  cells: readonly Cell[],
  columns: readonly MeasuredColumn[],
  widths: readonly number[],
  style: Style,
): string {
  const wrappedCells = cells.map((cell, at) =>
    columns[at]?.column.whole === true ? [textOf(cell)] : wrap(textOf(cell), widths[at] ?? 0),
  );
  const height = wrappedCells.reduce((most, lines) => Math.max(most, lines.length), 1);
  let text = '';
  for (let line = 0; line < height; line += 1) {
    const cellTexts = cells.map((cell, at) => {
      const part = wrappedCells[at]?.[line] ?? '';
      const padding = ' '.repeat(Math.max(0, (widths[at] ?? 0) - widthOf(part)));
      const tonedPart = applyTone(cell, part, style);
      if (columns[at]?.column.align === 'right') return padding + tonedPart;
      return at === cells.length - 1 ? tonedPart : tonedPart + padding;
    });
    text += `${cellTexts.join(GAP).trimEnd()}\n`;
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

function applyTone(cell: Cell, part: string, style: Style): string {
  const cellTone = toneOf(cell);
  return cellTone === undefined ? part : style[cellTone](part);
}

function escapeCell(cell: Cell, style: Style): Cell {
  if (typeof cell === 'string') return escapeText(cell);
  const withMark = (text: string): string =>
    cell.mark === undefined ? escapeText(text) : `${style.marks[cell.mark]} ${escapeText(text)}`;
  const short = cell.short === undefined ? undefined : withMark(cell.short);
  return { text: withMark(cell.text), short, tone: toneOf(cell) };
}

function sharedLines(
  columns: readonly MeasuredColumn[],
  row: readonly Cell[],
  width: number,
  style: Style,
): string {
  const room = Math.max(width - INDENT.length, 1);
  const lines: string[] = [];
  let usedWidth = Infinity;
  for (const { column, index } of columns) {
    const { header: label } = column;
    const cell = row[index] ?? '';
    const text = textOf(cell);
    if (text === '') continue;
    const neededWidth = widthOf(label) + 1 + widthOf(text);
    const shownPiece = `${style.faint(label)} ${applyTone(cell, text, style)}`;
    if (usedWidth + GAP.length + neededWidth <= room) {
      lines.push(`${lines.pop() ?? ''}${GAP}${shownPiece}`);
      usedWidth += GAP.length + neededWidth;
    } else if (neededWidth <= room) {
      lines.push(shownPiece);
      usedWidth = neededWidth;
    } else {
      lines.push(...wrap(`${label} ${text}`, room));
      usedWidth = Infinity;
    }
  }
  return lines.map((line) => `${INDENT}${line}\n`).join('');
}
