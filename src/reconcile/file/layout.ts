/** The layout of a file: delimiter, header, and the meaning of each column or member, from a map or guessed from the header. */
import { Failure } from '../../runtime/failure.js';
import { readBothMarks, plainText } from '../../sheet/amount.js';
import { columnPlaces, LEDGER_FIELDS, type LedgerField, type PlannedColumn } from './plan.js';
import { directionWord, meaningOf } from './column-words.js';
import { partsOf } from './day.js';
import {
  DELIMITERS,
  findHeader,
  firstRecords,
  HEADER_WITHIN_LINES,
  candidateOf,
  type ColumnVocabulary,
  unusableHeader,
  unmappedColumns,
  noHeaderFailure,
  type SheetFile,
} from '../../sheet/header.js';
import type { MapEntry } from '../../sheet/column-map.js';
import type { SheetRecord } from '../../sheet/records.js';
import { unaccented } from '../../sheet/words.js';
import { type ReadingSettings, hasKey } from './settings.js';
import { cutterFor } from '../../sheet/look-ahead.js';
import { JsonCutter, pathsIn } from './json-records.js';

export interface Layout {
  readonly delimiter: string;
  readonly headerLine: number | null;
  /** The first line of what is below the header. */
  readonly bodyFrom: number;
  readonly header: readonly string[];
  readonly columns: readonly PlannedColumn[];
  /** What stands above the header. */
  readonly above: readonly SheetRecord[];
}

/** @throws Failure `usage` where the map names no column, or no header says what is which; `bad_file` where there is nothing */
export function layoutOf(sample: string, { map, delimiter }: ReadingSettings, file: SheetFile): Layout {
  const { name } = file.source;
  const delimiters = delimiter === null ? DELIMITERS : [delimiter];
  const byNumber = map?.every(({ column }) => typeof column === 'number') === true;
  if (byNumber) return numberedLayout(sample, delimiters, map, name);
  const found = findHeader(sample, delimiters, map, LEDGER_VOCABULARY);
  if (found === null) throw noHeaderFailure(cutterFor(delimiters[0]), file);
  if (!found.isUsable) throw unusableHeader(found, 'usage', file);
  const records = firstRecords(sample, found.delimiter);
  const below = records.filter(({ line }) => line > found.line);
  return {
    delimiter: found.delimiter,
    headerLine: found.line,
    bodyFrom: found.line + 1,
    header: found.header,
    columns: believed(found.columns, map, below),
    above: records.filter(({ line }) => line < found.line),
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
  const isAmount = (cell = ''): boolean => Object.values(readBothMarks(cell)).some(Boolean);
  const isDay = (cell = ''): boolean => partsOf(plainText(cell)) !== null;
  const isData = ({ cells }: SheetRecord): boolean =>
    [amount, debit, credit].some((at) => isAmount(cells[at])) || isDay(cells[date]);
  const [best] = delimiters
    .map((delimiter) => ({ delimiter, records: firstRecords(sample, delimiter) }))
    .map((one) => ({ ...one, count: one.records.filter(isData).length }))
    // A comma is a decimal mark too.
    .sort((a, b) => b.count - a.count || Number(a.delimiter === ',') - Number(b.delimiter === ','));
  const first = best?.records.findIndex(isData) ?? -1;
  const record = best?.records[first];
  if (best === undefined || record === undefined) {
    const where = `the first ${HEADER_WITHIN_LINES} lines of ${name}`;
    throw new Failure('usage', `No amount stands in ${where} where --map says. Nothing was reconciled.`);
  }
  const above = best.records[first - 1];
  const isHeader = above !== undefined && above.cells.length >= record.cells.length;
  const top = isHeader ? above : record;
  const header = top.cells.map((cell) => (isHeader ? cell.trim() : ''));
  const { ownField } = LEDGER_VOCABULARY;
  const beside = believed(unmappedColumns(header, columns, ownField), map, best.records.slice(first));
  if (!hasKey([...columns, ...beside].map(({ field }) => field)))
    throw refused('usage', '--map names no reference: nothing identifies a line.');
  return {
    delimiter: best.delimiter,
    headerLine: isHeader ? top.line : null,
    bodyFrom: record.line,
    header,
    columns: [...columns.map((column) => ({ ...column, name: header[column.index] ?? '' })), ...beside],
    above: best.records.filter(({ line }) => line < top.line),
  };
}

/**
 * A word for kinds of things may be one for a direction, if anything that stands below it says one: what then says none is refused, and not
 * taken for either. A currency is never overlooked: dollars would pass as what the service has.
 */
function believed(
  columns: readonly PlannedColumn[],
  map: readonly MapEntry[] | null,
  below: readonly SheetRecord[],
): readonly PlannedColumn[] {
  const isSaid = (field: LedgerField): boolean => map?.some((entry) => entry.field === field) === true;
  const isWord = (cell = ''): boolean => directionWord(cell.trim()) !== null;
  return columns.filter(
    ({ field, index }) =>
      field !== 'direction' || isSaid(field) || below.some(({ cells }) => isWord(cells[index])),
  );
}

const DEPTH_RANK = 1000;

/** The columns are the members of the map, in its order. @throws Failure `usage`, `bad_file` where the beginning is no NDJSON */
export function jsonLayoutOf(sample: string, { map, delimiter }: ReadingSettings, file: SheetFile): Layout {
  const { name } = file.source;
  if (delimiter !== null) throw refused('usage', `${name} is NDJSON: it has no --delimiter.`);
  if (sample.trimStart().startsWith('['))
    throw refused('bad_file', `${name} is one JSON array: make NDJSON of it, for example by jq -c '.[]'.`);
  const numbered = map?.find(({ column }) => typeof column === 'number');
  if (numbered !== undefined)
    throw refused(
      'usage',
      `${name} is NDJSON: --map names its members, as in ${numbered.field}=data.${numbered.field}.`,
    );
  const header = pathsIn(sample);
  if (header.length === 0) throw noHeaderFailure(new JsonCutter([], 'point'), file);
  const found = candidateOf({ line: 1, cells: header, fault: null }, '', map, {
    ...LEDGER_VOCABULARY,
    meaningOf: (path) => {
      const parts = path.split('.');
      const meaning = meaningOf((parts.at(-1) ?? '').replace(/([a-z])([A-Z])/g, '$1 $2'));
      return meaning === null ? null : { ...meaning, rank: meaning.rank + DEPTH_RANK * parts.length };
    },
  });
  if (!found.isUsable) throw unusableHeader(found, 'usage', file);
  const named = found.columns.map((column, index) => ({ ...column, index }));
  const first = new JsonCutter(
    named.map((column) => column.name),
    'point',
  ).push(sample);
  const columns = believed(named, map, first).map((column, index) => ({ ...column, index }));
  return { delimiter: '', headerLine: null, bodyFrom: 1, header, columns, above: [] };
}

function refused(kind: 'usage' | 'bad_file', why: string): Failure {
  return new Failure(kind, `${why} Nothing was reconciled.`);
}

const SIDES = ['debit', 'credit'] as const;
const AMOUNTS: readonly LedgerField[] = ['amount', ...SIDES];

const LEDGER_VOCABULARY: ColumnVocabulary<LedgerField> = {
  meaningOf,
  lacking: (fields) => [
    ...(hasKey(fields) ? [] : ['reference' as const]),
    ...(fields.some((field) => AMOUNTS.includes(field)) ? [] : ['amount' as const]),
  ],
  ownField: (name, said) => {
    const own = LEDGER_FIELDS.find((one) => one === unaccented(name).replaceAll(' ', '_'));
    const isAmount = (field: LedgerField): boolean => AMOUNTS.includes(field);
    return own !== undefined && isAmount(own) && said.some(isAmount) ? undefined : own;
  },
  /** One side alone is not what both are; with an amount beside both it is not known which of them is meant. */
  settle: (best) => {
    const isWhole = SIDES.every((side) => best.has(side));
    if (!isWhole) for (const side of SIDES) best.delete(side);
    else best.get('amount')?.places.push(...SIDES.flatMap((side) => best.get(side)?.places ?? []));
  },
};
