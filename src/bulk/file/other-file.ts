/** A file that is not of the plain form: what was said of it, and for the rest what the file itself says. */
import { createHash } from 'node:crypto';
import { Failure } from '../../runtime/failure.js';
import { Problems } from '../../runtime/problems.js';
import { bothWays } from '../../sheet/amount.js';
import type { FileSource } from '../../sheet/file-source.js';
import {
  DELIMITERS,
  findHeader,
  firstRecords,
  type HeaderCandidate,
  unusableHeader,
} from '../../sheet/header.js';
import { brokenBy, sampleOf, cutterFor, recordsAhead, recordsOf } from '../../sheet/look-ahead.js';
import type { RecordCutter } from '../../sheet/records.js';
import { UNIT } from '../../sheet/workbook/sheet-records.js';
import { BrokenText } from '../../sheet/text.js';
import { rowVocabulary } from './column-words.js';
import { decimalOf } from './decimal-of-rows.js';
import type { FileRow, FileRows } from './file-row.js';
import { OtherRows, type RowShape } from './other-rows.js';
import { RowAmounts } from './row-amounts.js';
import type { Opening, RowFile, RowReading } from './row-file.js';

const FIRST_ROWS = 3;

/** The file by a plan; it closes the source. @throws Failure `bad_file` where no plan can be made, or several can */
export async function otherFile(opening: Opening): Promise<RowFile> {
  const { source, beginning, said } = opening;
  const { ahead, brokenAt } = beginning;
  const found = headerOf(opening);
  const { delimiter, header, columns } = found;
  const shape: RowShape = { headerLine: found.line, header, columns };
  const use = {
    mark: 'point',
    places: columns.map(({ index }) => index),
    amounts: columns.filter(({ field }) => field === 'amount').map(({ index }) => index),
  } as const;
  const cutter = (): RecordCutter => cutterFor(delimiter, use);
  const hash = createHash('sha256');
  for await (const piece of source.bytes()) hash.update(piece);
  const decimal = await decimalOf(opening, shape, cutter);
  const amounts = new RowAmounts(decimal, said.decimal !== null);
  const ignored = header.filter((name, at) => name !== '' && !columns.some(({ index }) => index === at));
  const isExact = ignored.length === 0 && columns.every(({ name, field }) => name === field);
  const guesses = {
    delimiter: said.delimiter === null && delimiter !== ',' && ahead.workbook === null,
    decimal: said.decimal === null && decimal === 'comma',
    encoding:
      said.encoding === null && (brokenAt !== null || (ahead.encoding === 'utf16' && !ahead.isMarked)),
    map: said.map === null && !isExact,
  };
  const reading: RowReading = {
    sheets: ahead.workbook,
    encoding: ahead.encoding,
    ...{ delimiter, decimal, headerLine: found.line, header, columns, ignored },
    above: firstRecords(sampleOf(ahead), delimiter).flatMap(({ line }) => (line < found.line ? [line] : [])),
    guessed: (Object.keys(guesses) as (keyof typeof guesses)[]).filter((name) => guesses[name]),
    brokenAt,
    first: firstRows(opening, new OtherRows(shape, amounts, new Problems()), cutter()),
  };
  return {
    reading,
    rows: (problems) => rowsOf(opening, new OtherRows(shape, amounts, problems), cutter(), problems),
    hash: () => hash.copy().digest('hex'),
    requireUnchanged: () => source.requireUnchanged(),
    close: () => source.close(),
  };
}

/** @throws Failure `bad_file` where nothing says what is the amount and what the reference, or that is no header */
function headerOf(opening: Opening): HeaderCandidate {
  const { source, said, direction, catalog } = opening;
  const { name, undone } = source;
  const { ahead } = opening.beginning;
  const sample = sampleOf(ahead);
  const isWorkbook = ahead.workbook !== null;
  if (!isWorkbook && /^\s*</.test(sample)) throw refused(source, 'is HTML or XML. Save it as CSV.');
  if (!isWorkbook && /^\s*[{[]/.test(sample))
    throw refused(source, 'is JSON, and is read as it is: leave out what says how it is read.');
  const delimiters = isWorkbook ? [UNIT] : said.delimiter === null ? DELIMITERS : [said.delimiter];
  const found = findHeader(sample, delimiters, said.map, rowVocabulary(direction, catalog));
  if (found === null) throw refused(source, 'is empty.');
  const map = said.map === null ? '--map reference=COLUMN,amount=COLUMN,...' : '--map';
  if (!found.isUsable) throw unusableHeader(found, { kind: 'bad_file', name, undone, map });
  requireHeader(found, opening);
  return found;
}

/** A line with an amount in it is a payment: taken for the header it would be lost. */
function requireHeader({ columns, header, line }: HeaderCandidate, { source }: Opening): void {
  const amountAt = columns.find(({ field }) => field === 'amount')?.index ?? -1;
  const { comma, point } = bothWays(header[amountAt] ?? '');
  if (comma !== null || point !== null)
    throw refused(
      source,
      `has no header: line ${line} holds an amount. Put the names of the columns above it.`,
    );
  for (const { field, index } of columns) {
    const other = columns.find((column) => column.index === index && column.field !== field);
    if (other !== undefined)
      throw refused(source, `has one column for ${field} and ${other.field}: --map names it twice.`);
  }
}

function refused({ name, undone }: FileSource, why: string): Failure {
  return new Failure('bad_file', `${name} ${why} ${undone}`);
}

function firstRows(
  { beginning: { ahead } }: Opening,
  rows: OtherRows,
  cutter: RecordCutter,
): readonly FileRow[] {
  const first: FileRow[] = [];
  for (const record of recordsAhead(ahead, cutter)) {
    const row = rows.read(record);
    if (row !== null && first.push(row) === FIRST_ROWS) break;
  }
  return first;
}

async function* rowsOf(
  { beginning: { ahead } }: Opening,
  rows: OtherRows,
  cutter: RecordCutter,
  problems: Problems,
): FileRows {
  try {
    for await (const records of recordsOf(ahead.all(), cutter))
      for (const record of records) {
        const row = rows.read(record);
        if (row !== null) yield row;
      }
  } catch (error) {
    if (!(error instanceof BrokenText)) throw error;
    problems.add(cutter.line(), null, brokenBy(ahead.encoding));
    problems.leaveOpen();
  }
}
