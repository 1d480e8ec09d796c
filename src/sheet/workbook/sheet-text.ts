/**
 * The rows of a sheet as text, cells and rows apart by what no cell holds: so whatever reads text piece by piece reads a workbook too.
 */
import type { Archive, WorkbookRefusal } from './archive.js';
import { type Book, type BookSheet, withCharacters } from './book.js';
import { valueOf } from './cell-value.js';
import { MERGED, RECORD, UNIT } from './separators.js';
import { listen, type XmlListener } from './xml.js';

const ROWS_MAX = 250_000;
const COLUMNS_MAX = 512;

/** The text in pieces, once. @throws Failure `bad_file` where it can't be read to its end */
export async function* sheetText(
  archive: Archive,
  book: Book,
  { part }: BookSheet,
  refused: WorkbookRefusal,
): AsyncGenerator<string, void, void> {
  const rows = new Rows(book, refused);
  for await (const _piece of listen(archive.part(part), rows, refused)) {
    const text = rows.take();
    if (text !== '') yield text;
  }
}

class Rows implements XmlListener {
  readonly #book: Book;
  readonly #refused: WorkbookRefusal;
  #text = '';
  #count = 0;
  #row = 0;
  #isHidden = false;
  /** The last row that holds anything. */
  #last = 0;
  #cells: string[] = [];
  #cell: { column: number; type: string; style: number; value: string | null; isFormula: boolean } | null =
    null;
  #hears: 'value' | 'text' | null = null;
  #isSpoken = false;

  constructor(book: Book, refused: WorkbookRefusal) {
    this.#book = book;
    this.#refused = refused;
  }

  /** What is whole by now. */
  take(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === 'row') {
      const row = attributes['r'] === undefined ? this.#row + 1 : Number(attributes['r']);
      if (!(row > this.#row)) throw this.#refused('is a damaged workbook: its rows are not in their order');
      this.#row = row;
      this.#isHidden = ['1', 'true'].includes(attributes['hidden'] ?? '');
      this.#cells = [];
    } else if (name === 'c') {
      const { r, t = 'n', s = '0' } = attributes;
      const column = r === undefined ? this.#cells.length : columnOf(r);
      this.#cell = { column, type: t, style: Number(s), value: null, isFormula: false };
    } else if (name === 'mergeCell') this.#merged(attributes['ref'] ?? '');
    else if (this.#cell === null) return;
    else if (name === 'f') this.#cell.isFormula = true;
    else if (name === 'v') {
      this.#hears = 'value';
      this.#cell.value ??= '';
    } else if (name === 'rPh') this.#isSpoken = true;
    else if (name === 't' && !this.#isSpoken) {
      this.#hears = 'text';
      this.#cell.value ??= '';
    }
  }

  text(piece: string): void {
    if (this.#hears !== null && this.#cell?.value !== null && this.#cell !== null) this.#cell.value += piece;
  }

  close(name: string): void {
    if (name === 'v' || name === 't') this.#hears = null;
    else if (name === 'rPh') this.#isSpoken = false;
    else if (name === 'c') this.#endCell();
    else if (name === 'row') this.#endRow();
  }

  #endCell(): void {
    const cell = this.#cell;
    this.#cell = null;
    if (cell === null) return;
    const { is1904, texts, isDate } = this.#book;
    const value = cell.type === 's' ? (texts[Number(cell.value)] ?? null) : cell.value;
    const text = cell.type === 'inlineStr' || cell.type === 'str' ? withCharacters(value ?? '') : value;
    const read = valueOf({ ...cell, value: text }, { is1904, isDate: isDate(cell.style) });
    if (read === '') return;
    if (cell.column >= COLUMNS_MAX) throw this.#refused(`has more than ${COLUMNS_MAX} columns`);
    while (this.#cells.length < cell.column) this.#cells.push('');
    this.#cells[cell.column] = read;
  }

  #endRow(): void {
    if (this.#cells.length === 0) return;
    // A filter hides rows: whoever looks at the sheet means the others.
    if (this.#isHidden)
      throw this.#refused(`hides row ${this.#row}: show every row, or delete the ones that do not count`);
    this.#count += 1;
    if (this.#count > ROWS_MAX)
      throw this.#refused(
        `has more than ${ROWS_MAX} rows, and a CSV file may have any number: save it as one`,
      );
    // Of rows that hold nothing one stands for all.
    if (this.#row > this.#last + 1) this.#text += `${this.#last + 1}${UNIT}${RECORD}`;
    this.#last = this.#row;
    this.#text += `${this.#row}${UNIT}${this.#cells.join(UNIT)}${RECORD}`;
  }

  #merged(range: string): void {
    const [first = '', last = first] = range.split(':');
    const row = Number(/[0-9]+$/.exec(last)?.[0] ?? 0);
    this.#text += `${MERGED}${row}${UNIT}${range}${UNIT}${columnOf(first)}${UNIT}${columnOf(last)}${RECORD}`;
  }
}

/** `AB12` is column 27, from 0. */
function columnOf(reference: string): number {
  let column = 0;
  for (const letter of /^[A-Z]{1,4}/.exec(reference)?.[0] ?? 'A')
    column = column * 26 + letter.charCodeAt(0) - 0x40;
  return column - 1;
}
