/** Where the header of a file is, and what its columns are: titles may stand above it, and any of four delimiters between its cells. Pure. */
import { columnFinder, formatColumns, type MapEntry } from './column-map.js';
import type { SheetColumn } from './forms.js';
import type { RecordCutter, SheetRecord } from './records.js';
import { cutterFor, sampleOf, type LookAhead } from './look-ahead.js';
import { requireTable } from './foreign.js';
import { Failure } from '../runtime/failure.js';
import type { FileSource } from './file-source.js';
import { commandLine } from '../runtime/shell.js';
import { excerpt } from './words.js';

/** What the names of columns mean, and which of them make a file that can be read. */
export interface ColumnVocabulary<Field extends string> {
  /** What a name means, where no map says it; a rank of 0 is the surest. */
  readonly meaningOf: (name: string) => { readonly field: Field; readonly rank: number } | null;
  /** What is missing among these fields for a file that can be read. */
  readonly lacking: (fields: readonly Field[]) => readonly Field[];
  /** The field that bears the name, where that counts beside a map that says these. */
  readonly ownField?: (name: string, said: readonly Field[]) => Field | undefined;
  /** Judges fields that depend on each other. */
  readonly settle?: (best: Places<Field>) => void;
}

/** The places where a field may be, all equally sure. */
export type Places<Field extends string> = Map<Field, { readonly rank: number; readonly places: number[] }>;

/** How far down a header is looked for. */
export const HEADER_WITHIN_LINES = 50;

export const DELIMITERS = [',', ';', '\t', '|'] as const;

/** A line that may be the header. */
export interface HeaderCandidate<Field extends string = string> {
  readonly delimiter: string;
  readonly line: number;
  readonly header: readonly string[];
  readonly columns: readonly SheetColumn<Field>[];
  /** Fields for which several columns would do equally, with their places. */
  readonly doubtful: readonly { readonly field: Field; readonly places: readonly number[] }[];
  /** Members of the map that name no column. */
  readonly missing: readonly MapEntry<Field>[];
  readonly lacking: readonly Field[];
  readonly isUsable: boolean;
}

/** The line that fits best, of all delimiters; null where there is nothing but empty lines. @param map null where it is to be guessed */
export function findHeader<Field extends string>(
  sample: string,
  delimiters: readonly string[],
  map: readonly MapEntry<Field>[] | null,
  words: ColumnVocabulary<Field>,
): HeaderCandidate<Field> | null {
  const candidates = delimiters.flatMap((delimiter) => {
    const own = firstRecords(sample, delimiter)
      .filter(({ cells }) => cells.some((cell) => /[\p{L}\p{N}]/u.test(cell)))
      .map((record) => candidateOf(record, delimiter, map, words));
    // What stands above the header is left out: it is the first line that can be one.
    return own.find(({ isUsable }) => isUsable) ?? own;
  });
  const [best = null] = candidates.sort((a, b) => {
    return (
      Number(b.isUsable) - Number(a.isUsable) ||
      weightOf(b) - weightOf(a) ||
      filled(b) - filled(a) ||
      a.line - b.line
    );
  });
  return best;
}

/** The records of the first lines that hold anything. */
export function firstRecords(sample: string, delimiter: string): readonly SheetRecord[] {
  const cutter = cutterFor(delimiter);
  const records = [...cutter.push(sample), ...cutter.end()];
  return records.filter(
    ({ line, cells }) => line <= HEADER_WITHIN_LINES && cells.some((cell) => cell.trim() !== ''),
  );
}

function weightOf({ columns, doubtful }: HeaderCandidate): number {
  return columns.length + doubtful.length;
}

function filled({ header }: HeaderCandidate): number {
  return header.filter((cell) => cell !== '').length;
}

/** What a record would be as the header. */
export function candidateOf<Field extends string>(
  record: SheetRecord,
  delimiter: string,
  map: readonly MapEntry<Field>[] | null,
  words: ColumnVocabulary<Field>,
): HeaderCandidate<Field> {
  const header = record.cells.map((cell) => cell.trim());
  while (header.at(-1) === '') header.pop();
  const found = map === null ? guessed(header, words) : mapped(map, header, words);
  const lacking = words.lacking([...found.columns, ...found.doubtful].map(({ field }) => field));
  const isWhole = found.missing.length + found.doubtful.length + lacking.length === 0;
  const isUsable = record.fault === null && isWhole;
  return { delimiter, line: record.line, header, ...found, lacking, isUsable };
}

type Found<Field extends string> = Pick<HeaderCandidate<Field>, 'columns' | 'doubtful' | 'missing'>;

/** Columns that bear the name of a field, where the map names neither. */
export function columnsBeside<Field extends string>(
  header: readonly string[],
  map: readonly SheetColumn<Field>[],
  ownField: ColumnVocabulary<Field>['ownField'],
): SheetColumn<Field>[] {
  const said = map.map(({ field }) => field);
  return header.flatMap((name, index) => {
    const field = ownField?.(name, said);
    const isTaken = map.some((column) => column.index === index) || header.indexOf(name) < index;
    return field === undefined || said.includes(field) || isTaken ? [] : [{ field, name, index }];
  });
}

function mapped<Field extends string>(
  map: readonly MapEntry<Field>[],
  header: readonly string[],
  { ownField }: ColumnVocabulary<Field>,
): Found<Field> {
  const find = columnFinder(header);
  const placesOf = (column: string | number): readonly number[] =>
    typeof column === 'string' ? find(column) : column <= header.length ? [column - 1] : [];
  const places = map.map(({ field, column }) => ({ field, places: placesOf(column) }));
  const columns = places.flatMap(({ field, places: [index, second] }) =>
    index === undefined || second !== undefined ? [] : [columnAt(field, index, header)],
  );
  return {
    columns: [...columns, ...columnsBeside(header, columns, ownField)],
    doubtful: places.filter(({ places: { length } }) => length > 1),
    missing: map.filter((_entry, at) => places[at]?.places.length === 0),
  };
}

function guessed<Field extends string>(
  header: readonly string[],
  { meaningOf, settle }: ColumnVocabulary<Field>,
): Found<Field> {
  const best: Places<Field> = new Map();
  for (const [index, name] of header.entries()) {
    const meaning = meaningOf(name);
    if (meaning === null) continue;
    const { field, rank } = meaning;
    const known = best.get(field);
    if (known === undefined || rank < known.rank) best.set(field, { rank, places: [index] });
    else if (rank === known.rank) known.places.push(index);
  }
  settle?.(best);
  const fields = [...best].map(([field, { places }]) => ({ field, places }));
  return {
    columns: fields.flatMap(({ field, places: [index = 0, second] }) =>
      second === undefined ? [columnAt(field, index, header)] : [],
    ),
    doubtful: fields.filter(({ places }) => places.length > 1),
    missing: [],
  };
}

function columnAt<Field extends string>(
  field: Field,
  index: number,
  header: readonly string[],
): SheetColumn<Field> {
  return { field, name: header[index] ?? '', index };
}

const COLUMNS_SHOWN = 40;

export interface SheetFile {
  readonly source: Pick<FileSource, 'name' | 'undone'>;
  readonly ahead: LookAhead;
}

/** The failure, with the columns that there are, and with a map of all that were found. */
export function unusableHeader(
  found: HeaderCandidate,
  kind: 'usage' | 'bad_file',
  { source, ahead }: SheetFile,
): Failure {
  const { header, line, missing, doubtful, columns, lacking } = found;
  if (ahead.workbook === null) requireTable(sampleOf(ahead), source, true);
  const sure = columns.filter(({ index }) => !doubtful.some(({ places }) => places.includes(index)));
  const map = [
    ...lacking.map((field) => `${field}=COLUMN`),
    ...doubtful.map(({ field, places: [place = 0] }) => `${field}=${place + 1}`),
    ...formatColumns(sure, header),
  ].join(',');
  const numbered = doubtful.map(({ field, places }) => {
    return `${field} may be column ${places.map((place) => place + 1).join(' or ')}`;
  });
  const typed = commandLine(['--map', map]);
  const names = header.slice(0, COLUMNS_SHOWN).map((cell, index) => `${index + 1} ${excerpt(cell)}`);
  const more = header.length - names.length;
  const [why, how] =
    missing.length > 0
      ? [
          `has no column ${missing.map(({ column }) => (typeof column === 'number' ? column : excerpt(column))).join(', ')}`,
          'Name one of them in --map.',
        ]
      : numbered.length > 0
        ? [`can be read in more than one way: ${numbered.join('; ')}`, `Say which by its number: ${typed}`]
        : [`does not say what is the ${lacking.toReversed().join(' and what the ')}`, `Add ${typed}`];
  return new Failure(kind, `${source.name} ${why}. ${source.undone}${otherSheets(ahead)}`, {
    items: [
      `the columns of line ${line}: ${[...names, ...(more > 0 ? [`and ${more} more`] : [])].join(', ')}`,
    ],
    advice: [how],
  });
}

/** Why no line of the file can be a header. */
export function nothingToRead(cutter: RecordCutter, { source, ahead }: SheetFile): Failure {
  const records = [...cutter.push(sampleOf(ahead)), ...cutter.end()];
  const broken = records.find(({ fault }) => fault !== null);
  const why = broken === undefined ? 'is empty' : `can't be read: line ${broken.line}: ${broken.fault ?? ''}`;
  return new Failure('bad_file', `${source.name} ${why}. ${source.undone}${otherSheets(ahead)}`);
}

/** Where rows may stand that are not on the sheet that was read. */
function otherSheets({ workbook }: LookAhead): string {
  const names = (workbook?.others ?? []).map((one) => JSON.stringify(one)).join(', ');
  return names === '' ? '' : ` Its first sheet was read. The others (--sheet): ${names}.`;
}
