/** Where the header of a file is, and what its columns are: titles may stand above it, and any of four delimiters between its cells. Pure. */
import { meaningOf } from './column-words.js';
import { columnFinder, hasKey, type MapEntry } from './column-map.js';
import type { LedgerField, PlannedColumn } from './plan.js';
import { CsvCutter, type StatementRecord } from './records.js';

/** How far down a header is looked for. */
export const HEADER_WITHIN_LINES = 50;

export const DELIMITERS = [',', ';', '\t', '|'] as const;

/** A line that may be the header. */
export interface HeaderCandidate {
  readonly delimiter: string;
  readonly line: number;
  readonly header: readonly string[];
  readonly columns: readonly PlannedColumn[];
  /** Fields for which several columns would do equally, with their places. */
  readonly doubtful: readonly { readonly field: LedgerField; readonly places: readonly number[] }[];
  /** Members of the map that name no column. */
  readonly missing: readonly MapEntry[];
  readonly isUsable: boolean;
}

/** The line that fits best, of all delimiters; null where there is nothing but empty lines. @param map null where it is to be guessed */
export function findHeader(
  sample: string,
  delimiters: readonly string[],
  map: readonly MapEntry[] | null,
): HeaderCandidate | null {
  const candidates = delimiters.flatMap((delimiter) => {
    const own = firstRecords(sample, delimiter)
      .filter(({ cells }) => cells.some((cell) => /[\p{L}\p{N}]/u.test(cell)))
      .map((record) => candidateOf(record, delimiter, map));
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
export function firstRecords(sample: string, delimiter: string): readonly StatementRecord[] {
  const cutter = new CsvCutter(delimiter);
  const records = [...cutter.push(sample), ...cutter.end()];
  return records.filter(
    ({ line, cells }) => line <= HEADER_WITHIN_LINES && cells.some((cell) => cell.trim() !== ''),
  );
}

/** How much of what is looked for it has. */
function weightOf({ columns, doubtful }: HeaderCandidate): number {
  return columns.length + doubtful.length;
}

function filled({ header }: HeaderCandidate): number {
  return header.filter((cell) => cell !== '').length;
}

/** What a record would be as the header. @param meaning what a name means, where no map says it */
export function candidateOf(
  record: StatementRecord,
  delimiter: string,
  map: readonly MapEntry[] | null,
  meaning = meaningOf,
): HeaderCandidate {
  const header = record.cells.map((cell) => cell.trim());
  while (header.at(-1) === '') header.pop();
  const found = map === null ? guessed(header, meaning) : mapped(map, header);
  const fields = found.columns.map(({ field }) => field);
  const hasAmount = fields.some((field) => field === 'amount' || field === 'debit' || field === 'credit');
  const isWhole = found.missing.length === 0 && found.doubtful.length === 0;
  const isUsable = record.fault === null && isWhole && hasAmount && hasKey(fields);
  return { delimiter, line: record.line, header, ...found, isUsable };
}

type Found = Pick<HeaderCandidate, 'columns' | 'doubtful' | 'missing'>;

function mapped(map: readonly MapEntry[], header: readonly string[]): Found {
  const find = columnFinder(header);
  const placesOf = (column: string | number): readonly number[] =>
    typeof column === 'string' ? find(column) : column <= header.length ? [column - 1] : [];
  const places = map.map(({ field, column }) => ({ field, places: placesOf(column) }));
  return {
    columns: places.flatMap(({ field, places: [index, second] }) =>
      index === undefined || second !== undefined ? [] : [columnAt(field, index, header)],
    ),
    doubtful: places.filter(({ places: { length } }) => length > 1),
    missing: map.filter((_entry, at) => places[at]?.places.length === 0),
  };
}

function guessed(header: readonly string[], meaningOfName: typeof meaningOf): Found {
  const best = new Map<LedgerField, { rank: number; places: number[] }>();
  for (const [index, name] of header.entries()) {
    const meaning = meaningOfName(name);
    if (meaning === null) continue;
    const { field, rank } = meaning;
    const known = best.get(field);
    if (known === undefined || rank < known.rank) best.set(field, { rank, places: [index] });
    else if (rank === known.rank) known.places.push(index);
  }
  const sides = ['debit', 'credit'] as const;
  const isWhole = sides.every((side) => best.has(side));
  // One side alone is not what both are; with an amount beside both it is not known which of them is meant.
  if (!isWhole) for (const side of sides) best.delete(side);
  else best.get('amount')?.places.push(...sides.flatMap((side) => best.get(side)?.places ?? []));
  const fields = [...best].map(([field, { places }]) => ({ field, places }));
  return {
    columns: fields.flatMap(({ field, places: [index = 0, second] }) =>
      second === undefined ? [columnAt(field, index, header)] : [],
    ),
    doubtful: fields.filter(({ places }) => places.length > 1),
    missing: [],
  };
}

function columnAt(field: LedgerField, index: number, header: readonly string[]): PlannedColumn {
  return { field, name: header[index] ?? '', index };
}
