/** How a file is laid out: its delimiter, its header, what is which column; said by a map, or guessed from the words of the header. */
import { Failure } from '../../runtime/failure.js';
import { bothWays, plainText } from '../../sheet/amount.js';
import { shownText } from './body.js';
import { columnPlaces } from './column-places.js';
import { directionWord } from './column-words.js';
import { partsOf } from './day.js';
import {
  DELIMITERS,
  findHeader,
  firstRecords,
  HEADER_WITHIN_LINES,
  type HeaderCandidate,
} from '../../sheet/header.js';
import type { MapEntry } from '../../sheet/column-map.js';
import { unusableHeader } from '../../sheet/unusable-header.js';
import type { LedgerField, PlannedColumn, SkippedLine } from './plan.js';
import { LEDGER_VOCABULARY } from './vocabulary.js';
import type { SheetRecord } from '../../sheet/records.js';
import type { ReadingSettings } from './settings.js';

export interface Layout {
  readonly delimiter: string;
  readonly headerLine: number | null;
  /** The first line of what is below the header. */
  readonly bodyFrom: number;
  readonly header: readonly string[];
  readonly columns: readonly PlannedColumn[];
  readonly titles: readonly SkippedLine[];
  /** The cells of what stands above the header. */
  readonly above: readonly (readonly string[])[];
}

/** @throws Failure `usage` where the map names no column, or no header says what is which; `bad_file` where there is nothing */
export function layoutOf(sample: string, { map, delimiter }: ReadingSettings, name: string): Layout {
  const delimiters = delimiter === null ? DELIMITERS : [delimiter];
  const byNumber = map?.every(({ column }) => typeof column === 'number') === true;
  if (byNumber) return numberedLayout(sample, delimiters, map, name);
  const found = findHeader(sample, delimiters, map, LEDGER_VOCABULARY);
  if (found === null) throw new Failure('bad_file', `${name} is empty. Nothing was reconciled.`);
  if (!found.isUsable) throw unusableLedger(found, map, name);
  const records = firstRecords(sample, found.delimiter);
  const below = records.filter(({ line }) => line > found.line);
  return {
    delimiter: found.delimiter,
    headerLine: found.line,
    bodyFrom: found.line + 1,
    header: found.header,
    columns: map === null ? found.columns.filter((column) => isBelieved(column, below)) : found.columns,
    titles: titlesOf(records, found.line),
    above: cellsAbove(records, found.line),
  };
}

/** Without a name the payments begin where there are amounts; the line above them is the header, if it is as wide. */
function numberedLayout(
  sample: string,
  delimiters: readonly string[],
  map: readonly MapEntry<LedgerField>[],
  name: string,
): Layout {
  const columns = map.map(({ field, column }) => ({ field, name: '', index: Number(column) - 1 }));
  const { amount, debit, credit, date } = columnPlaces(columns);
  const isAmount = (cell = ''): boolean => Object.values(bothWays(cell)).some(Boolean);
  const isDay = (cell = ''): boolean => partsOf(plainText(cell)) !== null;
  const isData = ({ cells }: SheetRecord): boolean =>
    [amount, debit, credit].some((at) => isAmount(cells[at])) || isDay(cells[date]);
  const [best] = delimiters
    .map((delimiter) => ({ delimiter, records: firstRecords(sample, delimiter) }))
    .map((one) => ({ ...one, count: one.records.filter(isData).length }))
    .sort((a, b) => b.count - a.count);
  const first = best?.records.findIndex(isData) ?? -1;
  const record = best?.records[first];
  if (best === undefined || record === undefined) {
    const where = `the first ${HEADER_WITHIN_LINES} lines of ${name}`;
    throw new Failure('usage', `No amount stands in ${where} where --map says. Nothing was reconciled.`);
  }
  const above = best.records[first - 1];
  const isHeader = above !== undefined && above.cells.length >= record.cells.length;
  const header = (isHeader ? above : record).cells.map((cell) => (isHeader ? cell.trim() : ''));
  return {
    delimiter: best.delimiter,
    headerLine: isHeader ? above.line : null,
    bodyFrom: record.line,
    header,
    columns: columns.map((column) => ({ ...column, name: header[column.index] ?? '' })),
    titles: titlesOf(best.records, isHeader ? above.line : record.line),
    above: cellsAbove(best.records, isHeader ? above.line : record.line),
  };
}

function titlesOf(records: readonly SheetRecord[], before: number): readonly SkippedLine[] {
  return records
    .filter(({ line }) => line < before)
    .map(({ line, cells }) => ({ line, text: shownText(cells), why: 'above the header' }));
}

function cellsAbove(records: readonly SheetRecord[], before: number): readonly (readonly string[])[] {
  return records.filter(({ line }) => line < before).map(({ cells }) => cells);
}

/**
 * A word for kinds of things may be one for a direction, if anything that stands below it says one: what then says none is refused, and not
 * taken for either. A currency is never overlooked: dollars would pass as what the service has.
 */
export function isBelieved({ field, index }: PlannedColumn, below: readonly SheetRecord[]): boolean {
  if (field !== 'direction') return true;
  const cells = below.map((record) => (record.cells[index] ?? '').trim()).filter((cell) => cell !== '');
  return cells.some((cell) => directionWord(cell) !== null);
}

/** Why the header of a ledger can't be used, and what stands in it. */
export function unusableLedger(
  found: HeaderCandidate,
  map: readonly MapEntry[] | null,
  name: string,
): Failure {
  return unusableHeader(found, {
    ...{ kind: 'usage', name, undone: 'Nothing was reconciled.' },
    map: map === null || map.length === 0 ? '--map reference=COLUMN,amount=COLUMN,date=COLUMN' : '--map',
  });
}
