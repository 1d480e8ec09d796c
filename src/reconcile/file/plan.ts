/** The types of a plan to read a ledger or a statement, and of the result of reading it. */
import type { DecimalMark, SheetOptions, SheetColumn, TextEncoding } from '../../sheet/forms.js';
import type { LookAhead } from '../../sheet/look-ahead.js';

export const LEDGER_FIELDS = [
  'id',
  'reference',
  'bank_reference',
  'amount',
  'debit',
  'credit',
  'direction',
  'currency',
  'date',
  'status',
] as const;
export type LedgerField = (typeof LEDGER_FIELDS)[number];
export const KEY_FIELDS: readonly LedgerField[] = ['id', 'reference', 'bank_reference'];
export const AMOUNT_FIELDS: readonly LedgerField[] = ['amount', 'debit', 'credit'];

/** The flags about the file as typed. If a value is null, svc finds it out from the file. */
export interface StatementOptions extends SheetOptions {
  /** The order of dates, such as `DD/MM/YYYY`. */
  readonly dateFormat: string | null;
}

export type PlannedColumn = SheetColumn<LedgerField>;

/** A line that was skipped because it is no payment. */
export interface SkippedLine {
  readonly line: number;
  /** The beginning of the line, from the file: it may be hostile, and must be escaped. */
  readonly text: string;
  readonly why: string;
}

export interface StatusWords {
  readonly paid: readonly string[];
  readonly unpaid: readonly string[];
}

/** The decisions before the first line is read. `flagsOf` writes them as flags, `planSentences` as sentences. */
export interface ReadingPlan {
  readonly format: 'csv' | 'ndjson' | 'workbook';
  readonly encoding: TextEncoding;
  /** The sheets of a workbook; null for a text file. */
  readonly sheets: LookAhead['workbook'];
  /** The delimiter of a text file; null for NDJSON and a workbook. */
  readonly delimiter: string | null;
  /** The decimal mark; null if no amount needs one. */
  readonly decimal: DecimalMark | null;
  /** `DD/MM/YYYY`, `MM/DD/YYYY`, `YYYY-MM-DD` or one of them with `YY`; null if the order is not known or not needed. */
  readonly dateFormat: string | null;
  readonly columns: readonly PlannedColumn[];
  /** All columns of the header, in its order; in NDJSON all members of the first objects. */
  readonly header: readonly string[];
  readonly headerLine: number | null;
  /** The lines above the header that are not empty. */
  readonly above: readonly number[];
  readonly words: StatusWords;
  /** The status words of unpaid lines, from the part of the file that was read ahead. */
  readonly unpaid: readonly string[];
  readonly isGuessed: boolean;
}

/** The result of reading, known after the last line. */
export interface ReadingEnd {
  readonly lines: number;
  /** The first skipped lines: totals, balances, repeated headers, words at the end, unpaid lines. They are reported, never dropped silently. */
  readonly skipped: readonly SkippedLine[];
  readonly skippedCount: number;
  readonly hasNegatives: boolean;
}

/** Returns the column of each field, from 0; -1 for a field without a column. */
export function columnPlaces(columns: readonly PlannedColumn[]): Readonly<Record<LedgerField, number>> {
  const places = Object.fromEntries(LEDGER_FIELDS.map((field) => [field, -1])) as Record<LedgerField, number>;
  for (const { field, index } of columns) places[field] = index;
  return places;
}
