import type { Capabilities } from '../../contract/catalog.js';
import { type Direction, partyOf } from '../../contract/operation.js';
import { Failure } from '../../runtime/failure.js';
import { cutterFor, recordsAhead, lookAhead } from '../../sheet/look-ahead.js';
import { DecimalClues } from '../../sheet/amount.js';
import { type FileSource, openFileSource } from '../../sheet/file-source.js';
import { type SheetOptions, readSheetOptions } from '../../sheet/forms.js';
import { RECORD_MAX_CHARACTERS, TOO_LONG } from '../../sheet/records.js';
import { BrokenText } from '../../sheet/text.js';
import { isMetadata, knownColumns, readHeader, type FileColumn, bodyOfCells } from './columns.js';
import { isTotalRow, TOTAL_ROW } from '../../sheet/words.js';
import {
  type FileHead,
  type RowFile,
  type RowFlags,
  type FileRows,
  type FileRow,
  damageOfBody,
} from './row-file.js';
import { fileTextOf } from './source.js';
import { type MapEntry, type MapRule, membersOf, refusedMap } from '../../sheet/column-map.js';
import { CsvError, parse } from 'csv-parse';
import { pipeline, Readable } from 'node:stream';
import type { Problems } from '../../runtime/problems.js';
import { jsonIn, repeatedPath } from '../../contract/json.js';
import { isObject } from '../../contract/shape.js';

export async function openRowFile(
  path: string,
  options: SheetOptions,
  direction: Direction,
  catalog: Capabilities,
): Promise<RowFile> {
  const fields = knownColumns(direction, catalog);
  const flags = rowFlags(options, direction, fields);
  const hasFlags = Object.values(flags).some((value) => value !== null);
  const source = await openFileSource(path, UNDONE, 'a regular file');
  try {
    const head = await headOfFile(source, flags);
    if (!hasFlags && isPlain(head, fields))
      return plainFile(source, (chunks, problems) => rowsOf(chunks, direction, catalog, problems));
    const { openMappedFile } = await import('./open-mapped.js');
    return await openMappedFile(head, flags, direction, catalog);
  } catch (error) {
    await source.close();
    throw error;
  }
}

async function headOfFile(source: FileSource, flags: RowFlags): Promise<FileHead> {
  try {
    return { ahead: await lookAhead(source, flags), brokenAt: null };
  } catch (error) {
    const isBroken = error instanceof Failure && error.facts.cause instanceof BrokenText;
    if (!isBroken || flags.encoding !== null) throw error;
    const brokenAt = error.facts.details?.[0]?.field ?? '';
    return { ahead: await lookAhead(source, { ...flags, encoding: 'latin1' }), brokenAt };
  }
}

function isPlain({ ahead, brokenAt }: FileHead, fields: ReadonlySet<string>): boolean {
  if (ahead.workbook !== null || ahead.encoding !== 'utf8' || brokenAt !== null) return false;
  const [start = ''] = ahead.pieces;
  if (start.trim() === '' || /^\s*\{(?!1:)/.test(start)) return true;
  const clues = new DecimalClues();
  let amountAt: number | null = null;
  for (const { line, cells } of recordsAhead(ahead, cutterFor(','))) {
    if (amountAt !== null) clues.add(line, cells[amountAt] ?? '');
    else {
      const exactCells = cells.filter((cell) => fields.has(cell) || isMetadata(cell));
      const hasPath = exactCells.some((cell) => cell.includes('.'));
      const isMostlyExact = hasPath && exactCells.length * 2 >= cells.length;
      if (exactCells.length < cells.length && !isMostlyExact) return false;
      amountAt = cells.indexOf('amount');
    }
    if (clues.mark !== null) return clues.mark === 'point';
  }
  return true;
}

const UNDONE = 'Nothing was sent.';

export function rowFlags(options: SheetOptions, direction: Direction, fields: Iterable<string>): RowFlags {
  const { map } = options;
  const rule = {
    undone: UNDONE,
    members: [...fields],
    freePrefix: 'metadata.',
    example: `reference=Ref,amount=Importe,${partyOf(direction)}.bank_code=Banco`,
  } as const;
  return { map: map === null ? null : entriesOf(map, rule), ...readSheetOptions(options, UNDONE) };
}

function entriesOf(map: string, rule: MapRule): readonly MapEntry[] {
  const entries = membersOf(map, rule);
  const columns = entries.map(({ column }) => column);
  const repeatedColumn = columns.find((column, at) => columns.indexOf(column) !== at);
  if (repeatedColumn !== undefined)
    throw refusedMap(rule, `The column ${JSON.stringify(repeatedColumn)} is there twice.`);
  for (const field of ['reference', 'amount'])
    if (!entries.some((entry) => entry.field === field))
      throw refusedMap(rule, `It names no ${field}: add ${field}=COLUMN.`);
  return entries;
}

function plainFile(
  source: FileSource,
  rowsIn: (chunks: AsyncGenerator<string, void, void>, problems: Problems) => FileRows,
): RowFile {
  const text = fileTextOf(source);
  return {
    reading: null,
    rows: (problems) => rowsIn(text.chunks(problems), problems),
    hash: () => text.hash(),
    requireUnchanged: () => source.requireUnchanged(),
    close: () => source.close(),
  };
}

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

async function* readCsv(
  text: AsyncIterable<string>,
  direction: Direction,
  catalog: Capabilities,
  problems: Problems,
): FileRows {
  // Counts lines in `on_record`, because the parser may be several records ahead of its reader.
  let lastLine = 0;
  const parser = parse({
    relax_column_count: true,
    max_record_size: RECORD_MAX_CHARACTERS,
    on_record: (record: string[], { lines }) => {
      const line = lastLine + 1;
      lastLine = lines;
      return [String(line), ...record];
    },
  });
  const records = pipeline(Readable.from(text, { highWaterMark: 1 }), parser, () => undefined);
  let header: FileColumn[] | null = null;
  let width = 0;
  let blankAt: number | null = null;
  try {
    for await (const [lineText, ...record] of records as AsyncIterable<string[]>) {
      const line = Number(lineText);
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
  if (record.length !== width || isTotalRow(record)) {
    const why = `${record.length} cells, and the header has ${width} columns`;
    problems.add(line, null, isTotalRow(record) ? TOTAL_ROW : why);
    return null;
  }
  const countBefore = problems.count;
  const body = bodyOfCells(record, line, columns, problems);
  return problems.count === countBefore ? { line, body, text: null } : null;
}

function brokenText(code: string): string {
  if (code === 'CSV_QUOTE_NOT_CLOSED') return 'a quote is opened in this row and never closed';
  if (code === 'CSV_MAX_RECORD_SIZE') return `${TOO_LONG}, or a quote in it is never closed`;
  if (code === 'INVALID_OPENING_QUOTE' || code === 'CSV_INVALID_CLOSING_QUOTE')
    return 'a quote stands inside a cell: a cell with quotes is quoted as a whole, and its quotes are doubled';
  return `no CSV (${code})`;
}

async function* readNdjson(text: AsyncIterable<string>, problems: Problems): FileRows {
  let line = 0;
  let blankAt: number | null = null;
  for await (const raw of textLines(text)) {
    line += 1;
    const json = raw.trim();
    if (json === '') {
      blankAt ??= line;
      continue;
    }
    if (blankAt !== null) problems.add(blankAt, null, 'a blank line in the middle');
    blankAt = null;
    const body = bodyOf(json, line, problems);
    if (body !== null) yield { line, body, text: json };
  }
}

function bodyOf(json: string, line: number, problems: Problems): Record<string, unknown> | null {
  if (json.length > RECORD_MAX_CHARACTERS) {
    problems.add(line, null, TOO_LONG);
    return null;
  }
  const body = jsonIn(json);
  if (!isObject(body)) {
    problems.add(line, null, 'is not one JSON object');
    return null;
  }
  const repeatedMember = repeatedPath(json);
  if (repeatedMember !== null) problems.add(line, repeatedMember, 'the name is there twice');
  const damage = damageOfBody(body);
  if (damage !== null) problems.add(line, damage.field, damage.message);
  return repeatedMember === null && damage === null ? body : null;
}

export async function openPlanFile(path: string, digest: string): Promise<RowFile> {
  const source = await openFileSource(path, UNDONE, 'a regular file');
  const file = plainFile(source, planRows);
  return {
    ...file,
    requireUnchanged: async () => {
      await source.requireUnchanged();
      if (file.hash() === digest) return;
      const why = 'The plan changed while it was read. Nothing was sent.';
      throw new Failure('bad_file', why, { code: 'plan_damaged' });
    },
  };
}

async function* planRows(text: AsyncIterable<string>, problems: Problems): FileRows {
  let line = 0;
  for await (const json of textLines(text)) {
    line += 1;
    if (line === 1) continue;
    const body = jsonIn(json);
    if (isObject(body)) yield { line, body, text: json };
    else problems.add(line, null, 'is not one JSON object');
  }
}

async function* textLines(text: AsyncIterable<string>): AsyncGenerator<string, void, void> {
  let rest = '';
  for await (const chunk of text) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
    if (rest.length > 2 * RECORD_MAX_CHARACTERS) rest = rest.slice(0, RECORD_MAX_CHARACTERS + 1);
  }
  if (rest !== '') yield rest;
}
