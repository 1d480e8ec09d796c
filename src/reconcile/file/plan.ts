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

/** svc finds a null value out from the file. */
export interface StatementOptions extends SheetOptions {
  /** Such as `DD/MM/YYYY`. */
  readonly dateFormat: string | null;
}

export type PlannedColumn = SheetColumn<LedgerField>;

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

export interface ReadingPlan {
  readonly format: 'csv' | 'ndjson' | 'workbook';
  readonly encoding: TextEncoding;
  /** Null: a text file. */
  readonly sheets: LookAhead['workbook'];
  /** Null: NDJSON or a workbook. */
  readonly delimiter: string | null;
  /** Null: no amount needs one. */
  readonly decimal: DecimalMark | null;
  /** `DD/MM/YYYY`, `MM/DD/YYYY`, `YYYY-MM-DD` or one of them with `YY`. Null: not known, or not needed. */
  readonly dateFormat: string | null;
  readonly columns: readonly PlannedColumn[];
  /** In NDJSON all members of the first objects. */
  readonly header: readonly string[];
  readonly headerLine: number | null;
  /** The lines above the header that are not empty. */
  readonly above: readonly number[];
  readonly words: StatusWords;
  /** Status words of unpaid lines, from the part of the file that was read ahead. */
  readonly unpaid: readonly string[];
  readonly isGuessed: boolean;
}

export interface ReadingEnd {
  readonly lines: number;
  /** Only the first ones: totals, balances, repeated headers, words at the end, unpaid lines. */
  readonly skipped: readonly SkippedLine[];
  readonly skippedCount: number;
  readonly hasNegatives: boolean;
}

/** Places count from 0. -1: the field has no column. */
export function columnPlaces(columns: readonly PlannedColumn[]): Readonly<Record<LedgerField, number>> {
  const places = Object.fromEntries(LEDGER_FIELDS.map((field) => [field, -1])) as Record<LedgerField, number>;
  for (const { field, index } of columns) places[field] = index;
  return places;
}
