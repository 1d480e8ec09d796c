/** Converts a sheet to text, so that the same code reads text files and workbooks. */
import type { SourceName } from '../file-source.js';
import { Failure } from '../../runtime/failure.js';
import { openArchive, type WorkbookRefusal } from './archive.js';
import { readBook, type Book, withCharacters } from './book.js';
import { parseFormat, type Format } from './number-format.js';
import {
  CELL_KINDS,
  MERGED_RANGE_PREFIX,
  columnLetters,
  PART_SEPARATOR,
  ROW_END,
  CELL_SEPARATOR,
} from './sheet-records.js';
import { listen, type XmlListener } from './xml.js';
import { excerpt } from '../words.js';

export type Workbook = Awaited<ReturnType<typeof openWorkbook>>;

export async function openWorkbook({ name, undone }: SourceName, fd: number, sheetName: string | null) {
  const refusal = (why: string, cause?: unknown): Failure =>
    new Failure('bad_file', `${name} ${why}. ${undone} Save it as XLSX or CSV, without a password.`, {
      cause,
    });
  const archive = await openArchive(fd, refusal);
  const book = await readBook(archive);
  const sheet = sheetName === null ? book.sheets[0] : book.sheets.find((one) => one.name === sheetName);
  const names = book.sheets.map((one) => one.name);
  if (sheet === undefined)
    throw new Failure('usage', `${name} has no sheet ${JSON.stringify(sheetName)}. ${undone}`, {
      advice: [`Its sheets: ${names.map((one) => JSON.stringify(one)).join(', ')}.`],
    });
  return {
    sheet: sheet.name,
    others: names.filter((one) => one !== sheet.name),
    async *text(): AsyncGenerator<string, void, void> {
      const rows = new RowTexts(book, refusal);
      for await (const _piece of listen(archive, sheet.part, rows)) {
        const text = rows.take();
        if (text !== '') yield text;
      }
    },
  };
}

const ROWS_MAX = 250_000;
const TOO_MANY_ROWS = `has more than ${ROWS_MAX} rows, and a CSV file may have any number: save it as one`;
const COLUMNS_MAX = 512;

const DATA = 'worksheet/sheetData';
const ROW = `${DATA}/row`;
const CELL = `${ROW}/c`;
const [FORMULA, VALUE, INLINE] = [`${CELL}/f`, `${CELL}/v`, `${CELL}/is`];
const INLINE_TEXTS: ReadonlySet<string> = new Set([`${INLINE}/t`, `${INLINE}/r/t`]);
const MISPLACED_PATH = /[/?]sheetData$|^worksheet\/sheetData(?:\/row(?:\/c)?)?\/(?!extLst$)[^/]+$/;

function isTrue(text = '0'): boolean {
  return !['0', 'false'].includes(text.trim());
}

function isInvisibleHeight(height = '15'): boolean {
  return !(Number(height) >= 1);
}

class RowTexts implements XmlListener {
  #text = '';
  #rowCount = 0;
  #row = 0;
  #rowText = '';
  #hasData = false;
  #hidesRows = false;
  #isHidden = false;
  #lastRow = 0;
  #cells: string[] = [];
  #column = -1;
  #cell: { column: number; type: string; style: number; value: string | null; isFormula: boolean } | null =
    null;
  #isInValue = false;

  constructor(
    private readonly book: Book,
    private readonly refusal: WorkbookRefusal,
  ) {}

  take(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }

  open(path: string, attributes: Readonly<Record<string, string>>): void {
    if (this.#isInValue) throw this.#damaged(`a cell of row ${this.#row} holds more than a value`);
    if (path === ROW) this.#openRow(attributes);
    else if (path === CELL) this.#openCell(attributes);
    else if (path === FORMULA && this.#cell?.isFormula === false) this.#cell.isFormula = true;
    else if ((path === VALUE || path === INLINE) && this.#cell?.value === null) {
      this.#cell.value = '';
      this.#isInValue = path === VALUE;
    } else if (INLINE_TEXTS.has(path)) this.#isInValue = true;
    else if (path === 'worksheet/mergeCells/mergeCell') this.#addMerged(attributes['ref'] ?? '');
    else if (path === 'worksheet/sheetFormatPr') {
      const { zeroHeight, defaultRowHeight } = attributes;
      this.#hidesRows = isTrue(zeroHeight) || isInvisibleHeight(defaultRowHeight);
      if (this.#hidesRows && this.#row > 0) throw this.#damaged(`${path} stands behind its rows`);
    } else if (path === DATA && !this.#hasData) this.#hasData = true;
    else if (MISPLACED_PATH.test(path))
      throw this.#damaged(`${excerpt(path)} is there twice, or where no workbook has it`);
  }

  #damaged(why: string): Failure {
    return this.refusal(`is a damaged workbook: ${why}`);
  }

  #openRow({ r, hidden, ht }: Readonly<Record<string, string>>): void {
    const row = r === undefined ? this.#row + 1 : Number(r);
    if (!(row > this.#row)) throw this.#damaged('its rows are not in their order');
    this.#row = row;
    this.#rowText = String(row);
    this.#isHidden = this.#hidesRows || isTrue(hidden) || isInvisibleHeight(ht);
    this.#cells = [];
    this.#column = -1;
  }

  #openCell({ r, t = 'n', s = '0' }: Readonly<Record<string, string>>): void {
    const column = r === undefined ? this.#column + 1 : columnOf(r);
    if (column <= this.#column || (r !== undefined && r !== columnLetters(column) + this.#rowText))
      throw this.#damaged(`the cells of row ${this.#row} are not in their order`);
    this.#column = column;
    this.#cell = { column, type: t, style: Number(s), value: null, isFormula: false };
  }

  text(piece: string): void {
    if (this.#isInValue && this.#cell !== null) this.#cell.value = (this.#cell.value ?? '') + piece;
  }

  close(path: string): void {
    if (path === VALUE || INLINE_TEXTS.has(path)) this.#isInValue = false;
    else if (path === CELL) this.#endCell();
    else if (path === ROW) this.#endRow();
  }

  #endCell(): void {
    const cell = this.#cell;
    this.#cell = null;
    if (cell === null) return;
    const { is1904, texts, formats } = this.book;
    const format = formats[cell.style] ?? parseFormat('General');
    const value = cell.type === 's' ? (texts[Number(cell.value)] ?? null) : cell.value;
    const text = cell.type === 'inlineStr' || cell.type === 'str' ? withCharacters(value ?? '') : value;
    const unit = unitOf(cell.type, text, cell.isFormula, format, is1904);
    if (unit === '') return;
    if (cell.column >= COLUMNS_MAX) throw this.refusal(`has more than ${COLUMNS_MAX} columns`);
    while (this.#cells.length < cell.column) this.#cells.push('');
    this.#cells[cell.column] = unit;
  }

  #endRow(): void {
    if (this.#cells.length === 0) return;
    if (this.#isHidden)
      throw this.refusal(`hides row ${this.#row}: show every row, or delete the ones that do not count`);
    this.#rowCount += 1;
    if (this.#rowCount > ROWS_MAX) throw this.refusal(TOO_MANY_ROWS);
    if (this.#row > this.#lastRow + 1) this.#text += `${this.#lastRow + 1}${CELL_SEPARATOR}${ROW_END}`;
    this.#lastRow = this.#row;
    this.#text += `${this.#row}${CELL_SEPARATOR}${this.#cells.join(CELL_SEPARATOR)}${ROW_END}`;
  }

  #addMerged(range: string): void {
    const [first = '', last = first] = range.split(':');
    const row = Number(/[0-9]+$/.exec(last)?.[0] ?? 0);
    this.#text += `${MERGED_RANGE_PREFIX}${row}${CELL_SEPARATOR}${range}${CELL_SEPARATOR}${columnOf(first)}${CELL_SEPARATOR}${columnOf(last)}${ROW_END}`;
  }
}

function columnOf(reference: string): number {
  let column = 0;
  for (let at = 0; at < 3; at += 1) {
    const letter = reference.charCodeAt(at) - 0x40;
    if (!(letter >= 1 && letter <= 26)) break;
    column = column * 26 + letter;
  }
  return Math.max(0, column - 1);
}

function unitOf(type: string, value: string | null, isFormula: boolean, format: Format, is1904: boolean) {
  if (value === null || (value === '' && type !== 'str'))
    return isFormula
      ? `${CELL_KINDS.problem}holds a formula without a value: open the file in a spreadsheet program and save it`
      : '';
  if (type === 'e') return `${CELL_KINDS.problem}holds the error ${value}`;
  if (type === 'b') return CELL_KINDS.answer + (value === '1' ? 'TRUE' : 'FALSE');
  if (type === 'd') return CELL_KINDS.date + value.replace(/T00:00:00(?:\.0+)?Z?$/, '');
  if (type !== 'n' && value !== '' && !format.showsText)
    return `${CELL_KINDS.problem}holds a text that its format (${excerpt(format.code)}) hides or changes: format it as text`;
  if (type !== 'n') return value === '' ? '' : CELL_KINDS.text + value;
  const number = Number(value);
  if (value.trim() === '' || !Number.isFinite(number))
    return `${CELL_KINDS.problem}holds a number that can't be read`;
  if (format.isDate) {
    const iso = isoOf(number, is1904);
    return iso === null ? `${CELL_KINDS.problem}holds a date that is none` : CELL_KINDS.date + iso;
  }
  // An exponent in the file may mean that digits were lost.
  const written = /e\+?[0-9]/i.test(value) ? value.trim() : '';
  return CELL_KINDS.number + [String(number), written, format.code].join(PART_SEPARATOR);
}

const DAY_MS = 86_400_000;
/** Spreadsheets count 29 February 1900, a day that never existed, as day 60. */
const FIRST_OF_MARCH_1900 = 61;
const LAST_DAY = 2_958_465;

function isoOf(days: number, is1904: boolean): string | null {
  const first = is1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30);
  if (!(days >= (is1904 ? 1 : FIRST_OF_MARCH_1900)) || days > LAST_DAY) return null;
  const iso = new Date(first + Math.round((days * DAY_MS) / 1000) * 1000).toISOString();
  return iso.endsWith('T00:00:00.000Z') ? iso.slice(0, 10) : iso.slice(0, 19);
}
