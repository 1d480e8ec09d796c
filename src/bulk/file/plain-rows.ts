/** The rows of a file of the plain form: CSV with commas (RFC 4180) or NDJSON, in UTF-8; strict where a spreadsheet or an editor may have done damage. */
import { CsvError, parse } from 'csv-parse';
import { pipeline, Readable } from 'node:stream';
import type { Capabilities } from '../../contract/catalog.js';
import type { Direction } from '../../contract/operation.js';
import type { Problems } from '../../runtime/problems.js';
import { type FileRows, type FileRow, spoiledBody, type RowFile } from './row-file.js';
import type { FileText } from './source.js';
import { readHeader, type FileColumn, bodyOfCells } from './columns.js';
import { jsonIn } from '../../contract/json.js';
import { repeatedName } from '../../contract/json-bytes.js';

export function plainFile(text: FileText, direction: Direction, catalog: Capabilities): RowFile {
  return {
    reading: null,
    rows: (problems) => rowsOf(text.chunks(problems), direction, catalog, problems),
    hash: () => text.hash(),
    requireUnchanged: () => text.requireUnchanged(),
    close: () => text.close(),
  };
}

/** A body begins with a brace, and no column does. */
async function* rowsOf(
  chunks: AsyncGenerator<string, void, void>,
  direction: Direction,
  catalog: Capabilities,
  problems: Problems,
): FileRows {
  let start = '';
  let isOver = false;
  while (start.trim() === '' && !isOver) {
    const { done, value } = await chunks.next();
    isOver = done === true;
    start += value ?? '';
  }
  const text = (async function* () {
    yield start;
    yield* chunks;
  })();
  if (start.trimStart().startsWith('{')) yield* readNdjson(text, problems);
  else yield* readCsv(text, direction, catalog, problems);
}

/** What no row needs; more than that is an unclosed quote. */
const RECORD_MAX_CHARACTERS = 128 * 1024;

/** The rows of the text; what is wrong with one is noted, and the row is left out. */
async function* readCsv(
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

const LINE_MAX_CHARACTERS = 128 * 1024;

/** The rows of the text; what is wrong with one is noted, and the row is left out. */
async function* readNdjson(text: AsyncIterable<string>, problems: Problems): FileRows {
  let number = 0;
  let blankAt: number | null = null;
  for await (const raw of linesOf(text)) {
    number += 1;
    const line = raw.trim();
    if (line === '') {
      blankAt ??= number;
      continue;
    }
    if (blankAt !== null) problems.add(blankAt, null, 'a blank line in the middle');
    blankAt = null;
    const body = bodyOf(line, number, problems);
    if (body !== null) yield { line: number, body, text: line };
  }
}

function bodyOf(line: string, number: number, problems: Problems): Record<string, unknown> | null {
  if (line.length > LINE_MAX_CHARACTERS) {
    problems.add(number, null, 'the line is too long for a request');
    return null;
  }
  const body = jsonIn(line);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    problems.add(number, null, 'is not one JSON object');
    return null;
  }
  const repeated = repeatedName(line);
  if (repeated !== null) problems.add(number, repeated, 'the name is there twice');
  const spoiled = spoiledBody(body);
  if (spoiled !== null) problems.add(number, spoiled.field, spoiled.message);
  return repeated === null && spoiled === null ? (body as Record<string, unknown>) : null;
}

async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<string, void, void> {
  let rest = '';
  for await (const chunk of text) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
    // A line without an end is cut off where nothing in it can be right any more.
    if (rest.length > 2 * LINE_MAX_CHARACTERS) rest = rest.slice(0, LINE_MAX_CHARACTERS + 1);
  }
  if (rest !== '') yield rest;
}
