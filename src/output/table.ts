/** Lays out rows as a table that fits a width; where it can't, each row becomes a block of its own. */
import { renderDetail, type DetailPair } from './detail.js';
import { escapeText } from './escape.js';
import { PLAIN, type Mark, type Style, type Tone } from './style.js';
import { widthOf, wrap } from './width.js';

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

interface Fitted {
  readonly column: Column;
  readonly index: number;
  /** In columns of the terminal. */
  readonly natural: number;
  readonly least: number;
}

/** Where each column stands; what is in none of the three has nothing in any row. */
interface TableLayout {
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
interface CellWidth {
  readonly text: number;
  readonly word: number;
}

function cellWidth(text: string): CellWidth {
  const words = text.split(' ').map(widthOf);
  return { text: widthOf(text), word: words.reduce((widest, word) => Math.max(widest, word), 0) };
}

/** How the columns stand in a width, or null where even the necessary ones do not fit; `cells` are row by row. */
function layOut(
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
function shrinkColumns(fitted: readonly Fitted[], width: number): number[] {
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
  const safe = isRoomy(wide)
    ? whole
    : whole.map((row) =>
        row.map((cell) => (typeof cell === 'string' ? cell : { ...cell, text: cell.short ?? cell.text })),
      );
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

/** Made safe, and the mark before the text. */
function shownCell(cell: Cell, style: Style): Cell {
  if (typeof cell === 'string') return escapeText(cell);
  const marked = (text: string): string =>
    cell.mark === undefined ? escapeText(text) : `${style.marks[cell.mark]} ${escapeText(text)}`;
  const short = cell.short === undefined ? undefined : marked(cell.short);
  return { text: marked(cell.text), short, tone: toneOf(cell) };
}

interface Piece {
  readonly label: string;
  /** One without is left out. */
  readonly text: string;
  /** The text in its tone. */
  readonly toned: string;
}

/** Lines that end with a newline each; a piece that is wider than a line is wrapped in lines of its own. */
function sharedLines(pieces: readonly Piece[], width: number, style: Style): string {
  const room = Math.max(width - INDENT.length, 1);
  const lines: string[] = [];
  let used = Infinity;
  for (const { label, text, toned } of pieces) {
    if (text === '') continue;
    const needed = widthOf(label) + 1 + widthOf(text);
    const shown = `${style.faint(label)} ${toned}`;
    if (used + GAP.length + needed <= room) {
      lines.push(`${lines.pop() ?? ''}${GAP}${shown}`);
      used += GAP.length + needed;
    } else if (needed <= room) {
      lines.push(shown);
      used = needed;
    } else {
      lines.push(...wrap(`${label} ${text}`, room));
      used = Infinity;
    }
  }
  return lines.map((line) => `${INDENT}${line}\n`).join('');
}
