/** The rows of a file that is not of the plain form, out of its records: what is not as the header says is noted, never mended. */
import type { Problems } from '../../runtime/problems.js';
import { plainText } from '../../sheet/amount.js';
import type { SheetColumn } from '../../sheet/forms.js';
import type { SheetRecord } from '../../sheet/records.js';
import { KINDS } from '../../sheet/workbook/sheet-records.js';
import { bodyOfCells } from './cells.js';
import { columnAt, type FileColumn, inBody } from './columns.js';
import type { FileRow } from './file-row.js';
import type { RowAmounts } from './row-amounts.js';

/** Where rows stand, and what their columns are. */
export interface RowShape {
  readonly headerLine: number;
  readonly header: readonly string[];
  readonly columns: readonly SheetColumn[];
}

export class OtherRows {
  readonly #shape: RowShape;
  readonly #columns: readonly FileColumn[];
  readonly #amounts: RowAmounts;
  readonly #problems: Problems;
  #blankAt: number | null = null;

  constructor(shape: RowShape, amounts: RowAmounts, problems: Problems) {
    this.#shape = shape;
    this.#columns = shape.columns.map(({ field, index }) => columnAt(field, index)).sort(inBody);
    this.#amounts = amounts;
    this.#problems = problems;
  }

  /** Null where it is no row, or one with problems, which are noted. */
  read(record: SheetRecord): FileRow | null {
    const { line, cells, fault } = record;
    if (line <= this.#shape.headerLine) return null;
    if (fault !== null) return this.#note(line, null, fault);
    if (cells.every((cell) => cell.trim() === '')) {
      this.#blankAt ??= line;
      return null;
    }
    if (this.#blankAt !== null) this.#note(this.#blankAt, null, 'a blank line in the middle');
    this.#blankAt = null;
    if (!this.#fits(record)) {
      const width = this.#shape.header.length;
      return this.#note(line, null, `${cells.length} cells, and the header has ${width} columns`);
    }
    const before = this.#problems.count;
    const clean = [...cells];
    for (const column of this.#columns) clean[column.index] = this.#cell(column, record);
    const body = bodyOfCells(clean, line, this.#columns, this.#problems);
    return this.#problems.count === before ? { line, body, text: null } : null;
  }

  /** Cells beyond the header mean that others are not where they belong. */
  #fits({ cells, kinds }: SheetRecord): boolean {
    const { length } = this.#shape.header;
    // A workbook leaves out what is empty at the end of a row.
    return (
      (cells.length >= length || kinds !== undefined) &&
      cells.slice(length).every((cell) => cell.trim() === '')
    );
  }

  /** A text is what stands in the cell, without what spreadsheets put around it to mark it as one. */
  #cell({ name, index }: FileColumn, { line, cells, kinds }: SheetRecord): string {
    const cell = cells[index] ?? '';
    // Not a text: nothing in it is to be read in one way or another.
    if (kinds?.[index] === KINDS.number) return cell;
    const isFree = name.endsWith('.name') || name.startsWith('metadata.');
    // A name may begin with an apostrophe.
    if (isFree) return cell.trim();
    if (name !== 'amount' || cell.trim() === '') return plainText(cell);
    const read = this.#amounts.read(cell);
    if ('value' in read) return read.value;
    this.#note(line, name, read.problem);
    return '';
  }

  #note(line: number, field: string | null, message: string): null {
    this.#problems.add(line, field, message);
    return null;
  }
}
