import { Failure } from '../../runtime/failure.js';
import { readBothMarks, plainText } from '../../sheet/amount.js';
import { AMOUNT_FIELDS, columnPlaces, KEY_FIELDS, LEDGER_FIELDS } from './plan.js';
import type { LedgerField, PlannedColumn } from './plan.js';
import { directionWord, meaningOf } from './column-words.js';
import { partsOf } from './day.js';
import { candidateOf, type ColumnVocabulary, delimitersFor, findHeader } from '../../sheet/header.js';
import { firstRecords, HEADER_WITHIN_LINES, noHeaderFailure } from '../../sheet/header.js';
import { unmappedColumns, unusableHeader } from '../../sheet/header.js';
import type { MapEntry } from '../../sheet/column-map.js';
import type { SheetRecord } from '../../sheet/records.js';
import { unaccented } from '../../sheet/words.js';
import type { ReadingSettings } from './settings.js';
import type { LookAhead } from '../../sheet/look-ahead.js';
import { JsonCutter, pathsIn } from './json-records.js';

export interface Layout {
  readonly delimiter: string;
  readonly headerLine: number | null;
  readonly bodyFrom: number;
  readonly header: readonly string[];
  readonly columns: readonly PlannedColumn[];
  readonly above: readonly SheetRecord[];
}

export function layoutOf(ahead: LookAhead, settings: ReadingSettings): Layout {
  const { map } = settings;
  const hasOnlyNumbers = map?.every(({ column }) => typeof column === 'number') === true;
  if (hasOnlyNumbers) return numberedLayout(ahead, delimitersFor(ahead, settings.delimiter), map);
  const table = findHeader(ahead, settings, LEDGER_VOCABULARY, 'usage');
  const below = table.records.filter(({ line }) => line > table.line);
  return {
    delimiter: table.delimiter,
    headerLine: table.line,
    bodyFrom: table.line + 1,
    header: table.header,
    columns: credibleColumns(table.columns, map, below),
    above: table.records.filter(({ line }) => line < table.line),
  };
}

function numberedLayout(
  ahead: LookAhead,
  delimiters: readonly string[],
  map: readonly MapEntry<LedgerField>[],
): Layout {
  const columns = map.map(({ field, column }) => ({ field, name: '', index: Number(column) - 1 }));
  const { amount, debit, credit, date } = columnPlaces(columns);
  const isAmount = (cell = ''): boolean => Object.values(readBothMarks(cell)).some(Boolean);
  const isDay = (cell = ''): boolean => partsOf(plainText(cell)) !== null;
  const isData = ({ cells }: SheetRecord): boolean =>
    [amount, debit, credit].some((at) => isAmount(cells[at])) || isDay(cells[date]);
  const [best] = delimiters
    .map((delimiter) => ({ delimiter, records: firstRecords(ahead, delimiter) }))
    .map((one) => ({ ...one, count: one.records.filter(isData).length }))
    .sort((a, b) => b.count - a.count || Number(a.delimiter === ',') - Number(b.delimiter === ','));
  const firstAt = best?.records.findIndex(isData) ?? -1;
  const record = best?.records[firstAt];
  if (best === undefined || record === undefined) {
    const where = `the first ${HEADER_WITHIN_LINES} lines of ${ahead.source.name}`;
    throw new Failure('usage', `No amount stands in ${where} where --map says. Nothing was reconciled.`);
  }
  const recordAbove = best.records[firstAt - 1];
  const isHeader = recordAbove !== undefined && recordAbove.cells.length >= record.cells.length;
  const headerOrFirst = isHeader ? recordAbove : record;
  const header = headerOrFirst.cells.map((cell) => (isHeader ? cell.trim() : ''));
  const { ownField } = LEDGER_VOCABULARY;
  const others = credibleColumns(
    unmappedColumns(header, columns, ownField),
    map,
    best.records.slice(firstAt),
  );
  if (!hasKey([...columns, ...others].map(({ field }) => field)))
    throw refusal('usage', '--map names no reference: nothing identifies a line.');
  return {
    delimiter: best.delimiter,
    headerLine: isHeader ? headerOrFirst.line : null,
    bodyFrom: record.line,
    header,
    columns: [...columns.map((column) => ({ ...column, name: header[column.index] ?? '' })), ...others],
    above: best.records.filter(({ line }) => line < headerOrFirst.line),
  };
}

/** Drops a guessed direction column without any direction word, because a name such as `tipo` may mean something else. */
function credibleColumns(
  columns: readonly PlannedColumn[],
  map: readonly MapEntry[] | null,
  below: readonly SheetRecord[],
): readonly PlannedColumn[] {
  const isMapped = (field: LedgerField): boolean => map?.some((entry) => entry.field === field) === true;
  const isWord = (cell = ''): boolean => directionWord(cell.trim()) !== null;
  return columns.filter(
    ({ field, index }) =>
      field !== 'direction' || isMapped(field) || below.some(({ cells }) => isWord(cells[index])),
  );
}

const RANK_PER_LEVEL = 1000;

export function jsonLayoutOf(ahead: LookAhead, { map, delimiter }: ReadingSettings): Layout {
  const { sample } = ahead;
  const { name } = ahead.source;
  if (delimiter !== null) throw refusal('usage', `${name} is NDJSON: it has no --delimiter.`);
  if (sample.trimStart().startsWith('['))
    throw refusal('bad_file', `${name} is one JSON array: make NDJSON of it, for example by jq -c '.[]'.`);
  const field = map?.find(({ column }) => typeof column === 'number')?.field;
  if (field !== undefined)
    throw refusal('usage', `${name} is NDJSON: --map names its members, as in ${field}=data.${field}.`);
  const header = pathsIn(sample);
  if (header.length === 0) throw noHeaderFailure(new JsonCutter([], 'point'), ahead);
  const candidate = candidateOf({ line: 1, cells: header, fault: null }, '', map, {
    ...LEDGER_VOCABULARY,
    meaningOf: (path) => {
      const parts = path.split('.');
      const meaning = meaningOf((parts.at(-1) ?? '').replace(/([a-z])([A-Z])/g, '$1 $2'));
      return meaning === null ? null : { ...meaning, rank: meaning.rank + RANK_PER_LEVEL * parts.length };
    },
  });
  if (!candidate.isUsable) throw unusableHeader(candidate, 'usage', ahead);
  const allColumns = candidate.columns.map((column, index) => ({ ...column, index }));
  const names = allColumns.map((column) => column.name);
  const records = new JsonCutter(names, 'point').push(sample);
  const columns = credibleColumns(allColumns, map, records).map((column, index) => ({ ...column, index }));
  return { delimiter: '', headerLine: null, bodyFrom: 1, header, columns, above: [] };
}

function refusal(kind: 'usage' | 'bad_file', why: string): Failure {
  return new Failure(kind, `${why} Nothing was reconciled.`);
}

const SIDES = ['debit', 'credit'] as const;
const isAmountField = (field: LedgerField): boolean => AMOUNT_FIELDS.includes(field);
const hasKey = (fields: readonly LedgerField[]): boolean =>
  fields.some((field) => KEY_FIELDS.includes(field));

const LEDGER_VOCABULARY: ColumnVocabulary<LedgerField> = {
  meaningOf,
  missingFields: (fields) => [
    ...(hasKey(fields) ? [] : ['reference' as const]),
    ...(fields.some(isAmountField) ? [] : ['amount' as const]),
  ],
  ownField: (name, mapped) => {
    const exact = LEDGER_FIELDS.find((one) => one === unaccented(name).replaceAll(' ', '_'));
    return exact !== undefined && isAmountField(exact) && mapped.some(isAmountField) ? undefined : exact;
  },
  adjust: (best) => {
    const hasBothSides = SIDES.every((side) => best.has(side));
    if (!hasBothSides) for (const side of SIDES) best.delete(side);
    else best.get('amount')?.indexes.push(...SIDES.flatMap((side) => best.get(side)?.indexes ?? []));
  },
};
