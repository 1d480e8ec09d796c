/** Rows of a CSV file (RFC 4180), one at a time: strict where a spreadsheet or an editor may have done damage. */
import { CsvError, parse } from 'csv-parse';
import { pipeline, Readable } from 'node:stream';
import type { Capabilities } from '../../contract/catalog.js';
import type { Direction } from '../../contract/operation.js';
import { readHeader, type FileColumn } from './columns.js';
import { bodyOfCells } from './cells.js';
import type { FileRow, FileRows } from './file-row.js';
import type { Problems } from '../../runtime/problems.js';

/** What no row needs; more than that is an unclosed quote. */
const RECORD_MAX_CHARACTERS = 128 * 1024;

/** The rows of the text; what is wrong with one is noted, and the row is left out. */
export async function* readCsv(
  text: AsyncIterable<string>,
  direction: Direction,
  catalog: Capabilities,
  problems: Problems,
): FileRows {
  // Noted while the text is parsed: what went wrong stands behind the last record, however many wait to be read.
  let lastLine = 0;
  const parser = parse({
    relax_column_count: true,
    max_record_size: RECORD_MAX_CHARACTERS,
    // The line where a record begins comes with it, as a cell before its own.
    on_record: (record: string[], { lines }) => {
      const line = lastLine + 1;
      lastLine = lines;
      return [String(line), ...record];
    },
  });
  // What goes wrong with the text ends the parser, which is read below.
  const records = pipeline(Readable.from(text, { highWaterMark: 1 }), parser, () => undefined);
  let header: FileColumn[] | null = null;
  let width = 0;
  let blankAt: number | null = null;
  try {
    for await (const [first, ...record] of records as AsyncIterable<string[]>) {
      const line = Number(first);
      const isBlank = record.length === 1 && record[0] === '';
      if (header === null) {
        header = readHeader(record, direction, catalog, problems);
        width = record.length;
      } else if (isBlank && width > 1) {
        blankAt ??= line;
      } else {
        if (blankAt !== null) problems.add(blankAt, null, 'a blank line in the middle');
        blankAt = null;
        const row = rowOf(record, line, { width, columns: header }, problems);
        if (row !== null) yield row;
      }
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    problems.add(lastLine + 1, null, brokenText(error.code));
  }
  if (header === null && problems.count === 0) problems.add(1, null, 'the file is empty');
}

function rowOf(
  record: readonly string[],
  line: number,
  { width, columns }: { readonly width: number; readonly columns: readonly FileColumn[] },
  problems: Problems,
): FileRow | null {
  if (record.length !== width) {
    problems.add(line, null, `${record.length} cells, and the header has ${width} columns`);
    return null;
  }
  const before = problems.count;
  const body = bodyOfCells(record, line, columns, problems);
  return problems.count === before ? { line, body, text: null } : null;
}

function brokenText(code: string): string {
  if (code === 'CSV_QUOTE_NOT_CLOSED' || code === 'CSV_MAX_RECORD_SIZE') {
    return 'a quote is opened in this row and never closed';
  }
  if (code === 'INVALID_OPENING_QUOTE' || code === 'CSV_INVALID_CLOSING_QUOTE') {
    return 'a quote stands inside a cell: a cell with quotes is quoted as a whole, and its quotes are doubled';
  }
  return `no CSV (${code})`;
}
