/** How a ledger or a statement is read: what flags said, what was guessed, and what was left out. Types. */
import type { Zone } from '../../runtime/clock.js';
import type { DecimalMark, SheetOptions, SheetColumn, TextEncoding } from '../../sheet/forms.js';
import type { LookAhead } from '../../sheet/look-ahead.js';
import type { LedgerLine } from '../line.js';

/** What a column may be: a member of `--map`, in the order in which one is printed. */
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

/** What was said of the file; null for what has to be found out. Values are as they were typed. */
export interface StatementOptions extends SheetOptions {
  /** `DD/MM/YYYY`. */
  readonly dateFormat: string | null;
}

/** What is outside the file: the zone of the reader, for times that say theirs, and what else was said. */
export interface ReadingWorld {
  readonly zone: Zone;
  /** What lines that name no currency are in, where that is said. */
  readonly currency?: string | null;
}

/** Its name is the dotted path in NDJSON. */
export type PlannedColumn = SheetColumn<LedgerField>;

/** A line that holds no payment, and why it is taken for none. */
export interface SkippedLine {
  readonly line: number;
  /** The beginning of it, as it stands in the file: hostile until it is escaped. */
  readonly text: string;
  readonly why: string;
}

/** What `--map` says that words mean, as they were typed. */
export interface StatusWords {
  readonly paid: readonly string[];
  readonly unpaid: readonly string[];
}

/** What was believed before the first line was read; `flagsOf` says it in flags, `planSentences` in words. */
export interface ReadingPlan {
  readonly format: 'csv' | 'ndjson' | 'workbook';
  readonly encoding: TextEncoding;
  /** The sheets of a workbook: the one that is read, and the others; null for text. */
  readonly sheets: LookAhead['workbook'];
  /** Null in NDJSON and in a workbook. */
  readonly delimiter: string | null;
  /** Null where no amount needs one. */
  readonly decimal: DecimalMark | null;
  /** `DD/MM/YYYY`, `MM/DD/YYYY`, `YYYY-MM-DD` or one of them with two digits for the year; null where there is no date. */
  readonly dateFormat: string | null;
  readonly columns: readonly PlannedColumn[];
  /** All columns of the header, in its order; in NDJSON all members that were seen. */
  readonly header: readonly string[];
  /** Null where the file has none. */
  readonly headerLine: number | null;
  /** The lines above the header that hold anything. */
  readonly above: readonly number[];
  /** What words of a status column mean, as it was said. */
  readonly words: StatusWords;
  /** The words of a status column, as far as was looked ahead, whose lines were not paid. */
  readonly unpaid: readonly string[];
  /** Whether nobody had said some of it. */
  readonly isGuessed: boolean;
}

/** What is known when the last line was read. */
export interface ReadingEnd {
  readonly lines: number;
  /** Totals, opening balances, headers that come again, words at the end, what was not paid: said, never dropped silently. The first of them. */
  readonly skipped: readonly SkippedLine[];
  readonly skippedCount: number;
  readonly hasNegatives: boolean;
}

/** A file whose plan is made; nothing of it is believed until `lines` has ended. */
export interface Statement {
  readonly plan: ReadingPlan;
  /**
   * The lines in their order, once. Ends with what can't be read, all of it, after the last line was looked at: what was handed over
   * before is then worth nothing.
   * @throws Failure `bad_file` with line numbers
   */
  readonly lines: AsyncIterable<LedgerLine>;
  /** Null until `lines` has ended. */
  ending(): ReadingEnd | null;
}

/** The place of each field, from 0; -1 for what no column is. */
export function columnPlaces(columns: readonly PlannedColumn[]): Readonly<Record<LedgerField, number>> {
  const places = Object.fromEntries(LEDGER_FIELDS.map((field) => [field, -1])) as Record<LedgerField, number>;
  for (const { field, index } of columns) places[field] = index;
  return places;
}
