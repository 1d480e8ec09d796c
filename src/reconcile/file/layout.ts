/** How a file is laid out: its delimiter, its header, what is which column; said by a map, or guessed from the words of the header. */
import { Failure } from '../../runtime/failure.js';
import { bothWays, plainText } from './amount.js';
import { shownText } from './body.js';
import { columnPlaces } from './column-places.js';
import { directionWord } from './column-words.js';
import { partsOf } from './day.js';
import { DELIMITERS, findHeader, firstRecords, HEADER_WITHIN_LINES, type HeaderCandidate } from './header.js';
import type { MapEntry } from './column-map.js';
import type { PlannedColumn, SkippedLine } from './plan.js';
import type { StatementRecord } from './records.js';
import type { ReadingSettings } from './settings.js';

const COLUMNS_SHOWN = 40;
const NAME_SHOWN = 40;

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
  const found = findHeader(sample, delimiters, map);
  if (found === null) throw new Failure('bad_file', `${name} is empty. Nothing was reconciled.`);
  if (!found.isUsable) throw unusableHeader(found, map, name);
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
  map: readonly MapEntry[],
  name: string,
): Layout {
  const columns = map.map(({ field, column }) => ({ field, name: '', index: Number(column) - 1 }));
  const { amount, debit, credit, date } = columnPlaces(columns);
  const isAmount = (cell = ''): boolean => Object.values(bothWays(cell)).some(Boolean);
  const isDay = (cell = ''): boolean => partsOf(plainText(cell)) !== null;
  const isData = ({ cells }: StatementRecord): boolean =>
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

function titlesOf(records: readonly StatementRecord[], before: number): readonly SkippedLine[] {
  return records
    .filter(({ line }) => line < before)
    .map(({ line, cells }) => ({ line, text: shownText(cells), why: 'above the header' }));
}

function cellsAbove(records: readonly StatementRecord[], before: number): readonly (readonly string[])[] {
  return records.filter(({ line }) => line < before).map(({ cells }) => cells);
}

/**
 * A word for kinds of things may be one for a direction, if anything that stands below it says one: what then says none is refused, and not
 * taken for either. A currency is never overlooked: dollars would pass as what the service has.
 */
export function isBelieved({ field, index }: PlannedColumn, below: readonly StatementRecord[]): boolean {
  if (field !== 'direction') return true;
  const cells = below.map((record) => (record.cells[index] ?? '').trim()).filter((cell) => cell !== '');
  return cells.some((cell) => directionWord(cell) !== null);
}

/** Why a header can't be used, and what stands in it. */
export function unusableHeader(
  found: HeaderCandidate,
  map: readonly MapEntry[] | null,
  name: string,
): Failure {
  const { header, line, missing, doubtful } = found;
  const names = header.slice(0, COLUMNS_SHOWN).map((cell, index) => `${index + 1} ${shortened(cell)}`);
  const more = header.length - names.length;
  const shown = [...names, ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
  const numbered = doubtful.map(({ field, places }) => {
    return `${field} may be column ${places.map((place) => place + 1).join(' or ')}`;
  });
  const [why, how] =
    missing.length > 0
      ? [
          `${name} has no column ${missing.map(({ column }) => (typeof column === 'number' ? column : shortened(column))).join(', ')}`,
          'name one of them',
        ]
      : numbered.length > 0
        ? [`${name}: ${numbered.join('; ')}`, 'say which by its number']
        : [`The header of ${name} does not say what is the amount and what the reference`, 'say it'];
  const words =
    map === null || map.length === 0 ? '--map reference=COLUMN,amount=COLUMN,date=COLUMN' : '--map';
  return new Failure('usage', `${why}. Nothing was reconciled.`, {
    items: [`the columns of line ${line}: ${shown}`],
    advice: [`In ${words} ${how}.`],
  });
}

function shortened(name: string): string {
  return JSON.stringify(name.length > NAME_SHOWN ? `${name.slice(0, NAME_SHOWN)}...` : name);
}
