import { columnFinder, formatColumns, type MapEntry } from './column-map.js';
import type { SheetColumn } from './forms.js';
import type { RecordCutter, SheetRecord } from './records.js';
import { cutterFor, type LookAhead, requireTable } from './look-ahead.js';
import { Failure } from '../runtime/failure.js';
import { commandLine } from '../runtime/shell.js';
import { excerpt } from './words.js';
import { CELL_SEPARATOR } from './workbook/sheet-records.js';

export interface ColumnVocabulary<Field extends string> {
  readonly meaningOf: (name: string) => { readonly field: Field; readonly rank: number } | null;
  readonly missingFields: (fields: readonly Field[]) => readonly Field[];
  readonly ownField?: (name: string, mapped: readonly Field[]) => Field | undefined;
  readonly adjust?: (best: ColumnGuesses<Field>) => void;
}

export type ColumnGuesses<Field extends string> = Map<
  Field,
  { readonly rank: number; readonly indexes: number[] }
>;

export const HEADER_WITHIN_LINES = 50;

export interface HeaderCandidate<Field extends string = string> {
  readonly delimiter: string;
  readonly line: number;
  readonly header: readonly string[];
  readonly columns: readonly SheetColumn<Field>[];
  readonly doubtful: readonly { readonly field: Field; readonly indexes: readonly number[] }[];
  readonly missing: readonly MapEntry<Field>[];
  readonly missingFields: readonly Field[];
  readonly isUsable: boolean;
}

export function findHeader<Field extends string>(
  ahead: LookAhead,
  { map, delimiter }: { map: readonly MapEntry<Field>[] | null; delimiter: string | null },
  words: ColumnVocabulary<Field>,
  kind: 'usage' | 'bad_file',
) {
  const delimiters = delimitersFor(ahead, delimiter);
  const candidates = delimiters.flatMap((delimiter) => {
    const headers = firstRecords(ahead, delimiter)
      .filter(({ cells }) => cells.some((cell) => /[\p{L}\p{N}]/u.test(cell)))
      .map((record) => candidateOf(record, delimiter, map, words));
    return headers.find(({ isUsable }) => isUsable) ?? headers;
  });
  const fieldsOf = ({ columns, doubtful }: HeaderCandidate): number => columns.length + doubtful.length;
  const cellsOf = ({ header }: HeaderCandidate): number => header.filter((cell) => cell !== '').length;
  const [best] = candidates.sort((a, b) => {
    const difference = Number(b.isUsable) - Number(a.isUsable) || fieldsOf(b) - fieldsOf(a);
    return difference || cellsOf(b) - cellsOf(a) || a.line - b.line;
  });
  if (best === undefined) throw noHeaderFailure(cutterFor(delimiters[0] ?? ','), ahead);
  if (!best.isUsable) throw unusableHeader(best, kind, ahead);
  return { ...best, records: firstRecords(ahead, best.delimiter) };
}

export function delimitersFor({ workbook }: LookAhead, given: string | null): readonly string[] {
  if (workbook !== null) return [CELL_SEPARATOR];
  return given === null ? [',', ';', '\t', '|'] : [given];
}

export function firstRecords({ sample }: LookAhead, delimiter: string): readonly SheetRecord[] {
  const cutter = cutterFor(delimiter);
  const records = [...cutter.push(sample), ...cutter.end()];
  return records.filter(
    ({ line, cells }) => line <= HEADER_WITHIN_LINES && cells.some((cell) => cell.trim() !== ''),
  );
}

export function candidateOf<Field extends string>(
  record: SheetRecord,
  delimiter: string,
  map: readonly MapEntry<Field>[] | null,
  words: ColumnVocabulary<Field>,
): HeaderCandidate<Field> {
  const header = record.cells.map((cell) => cell.trim());
  while (header.at(-1) === '') header.pop();
  const match = map === null ? columnsByName(header, words) : columnsByMap(map, header, words);
  const missingFields = words.missingFields([...match.columns, ...match.doubtful].map(({ field }) => field));
  const isWhole = match.missing.length + match.doubtful.length + missingFields.length === 0;
  const isUsable = record.fault === null && isWhole;
  return { delimiter, line: record.line, header, ...match, missingFields, isUsable };
}

type HeaderColumns<Field extends string> = Pick<HeaderCandidate<Field>, 'columns' | 'doubtful' | 'missing'>;

export function unmappedColumns<Field extends string>(
  header: readonly string[],
  map: readonly SheetColumn<Field>[],
  ownField: ColumnVocabulary<Field>['ownField'],
): SheetColumn<Field>[] {
  const mapped = map.map(({ field }) => field);
  return header.flatMap((name, index) => {
    const field = ownField?.(name, mapped);
    const isTaken = map.some((column) => column.index === index) || header.indexOf(name) < index;
    return field === undefined || mapped.includes(field) || isTaken ? [] : [{ field, name, index }];
  });
}

function columnsByMap<Field extends string>(
  map: readonly MapEntry<Field>[],
  header: readonly string[],
  { ownField }: ColumnVocabulary<Field>,
): HeaderColumns<Field> {
  const find = columnFinder(header);
  const indexesOf = (column: string | number): readonly number[] =>
    typeof column === 'string' ? find(column) : column <= header.length ? [column - 1] : [];
  const indexes = map.map(({ field, column }) => ({ field, indexes: indexesOf(column) }));
  const columns = indexes.flatMap(({ field, indexes: [index, second] }) =>
    index === undefined || second !== undefined ? [] : [{ field, name: header[index] ?? '', index }],
  );
  return {
    columns: [...columns, ...unmappedColumns(header, columns, ownField)],
    doubtful: indexes.filter(({ indexes: { length } }) => length > 1),
    missing: map.filter((_entry, at) => indexes[at]?.indexes.length === 0),
  };
}

function columnsByName<Field extends string>(
  header: readonly string[],
  { meaningOf, adjust }: ColumnVocabulary<Field>,
): HeaderColumns<Field> {
  const best: ColumnGuesses<Field> = new Map();
  for (const [index, name] of header.entries()) {
    const meaning = meaningOf(name);
    if (meaning === null) continue;
    const { field, rank } = meaning;
    const earlier = best.get(field);
    if (earlier === undefined || rank < earlier.rank) best.set(field, { rank, indexes: [index] });
    else if (rank === earlier.rank) earlier.indexes.push(index);
  }
  adjust?.(best);
  const fields = [...best].map(([field, { indexes }]) => ({ field, indexes }));
  return {
    columns: fields.flatMap(({ field, indexes: [index = 0, second] }) =>
      second === undefined ? [{ field, name: header[index] ?? '', index }] : [],
    ),
    doubtful: fields.filter(({ indexes }) => indexes.length > 1),
    missing: [],
  };
}

const COLUMNS_SHOWN = 40;

export function unusableHeader(
  candidate: HeaderCandidate,
  kind: 'usage' | 'bad_file',
  { source, sample, workbook }: LookAhead,
): Failure {
  const { header, line, missing, doubtful, columns, missingFields } = candidate;
  if (workbook === null) requireTable(sample, source, true);
  const sureColumns = columns.filter(({ index }) => !doubtful.some(({ indexes }) => indexes.includes(index)));
  const map = [
    ...missingFields.map((field) => `${field}=COLUMN`),
    ...doubtful.map(({ field, indexes: [index = 0] }) => `${field}=${index + 1}`),
    ...formatColumns(sureColumns, header),
  ].join(',');
  const doubts = doubtful.map(({ field, indexes }) => {
    return `${field} may be column ${indexes.map((index) => index + 1).join(' or ')}`;
  });
  const mapFlag = commandLine(['--map', map]);
  const names = header.slice(0, COLUMNS_SHOWN).map((cell, index) => `${index + 1} ${excerpt(cell)}`);
  const hiddenCount = header.length - names.length;
  const columnList = [...names, ...(hiddenCount > 0 ? [`and ${hiddenCount} more`] : [])].join(', ');
  const [why, how] =
    missing.length > 0
      ? [
          `has no column ${missing.map(({ column }) => (typeof column === 'number' ? column : excerpt(column))).join(', ')}`,
          'Name one of them in --map.',
        ]
      : doubts.length > 0
        ? [`can be read in more than one way: ${doubts.join('; ')}`, `Say which by its number: ${mapFlag}`]
        : [`does not say what is the ${missingFields.toReversed().join(' and what the ')}`, `Add ${mapFlag}`];
  return new Failure(kind, `${source.name} ${why}. ${source.undone}${otherSheets(workbook)}`, {
    items: [`the columns of line ${line}: ${columnList}`],
    advice: [how],
  });
}

export function noHeaderFailure(cutter: RecordCutter, { source, sample, workbook }: LookAhead): Failure {
  const records = [...cutter.push(sample), ...cutter.end()];
  const broken = records.find(({ fault }) => fault !== null);
  const why = broken === undefined ? 'is empty' : `can't be read: line ${broken.line}: ${broken.fault ?? ''}`;
  return new Failure('bad_file', `${source.name} ${why}. ${source.undone}${otherSheets(workbook)}`);
}

function otherSheets(workbook: LookAhead['workbook']): string {
  const names = (workbook?.others ?? []).map((one) => JSON.stringify(one)).join(', ');
  return names === '' ? '' : ` Its first sheet was read. The others (--sheet): ${names}.`;
}
