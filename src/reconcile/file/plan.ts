import type { SheetOptions, SheetColumn } from '../../sheet/forms.js';
import { MATCH_KEYS } from '../finding.js';

const AMOUNTS = ['amount', 'debit', 'credit'] as const;
export const LEDGER_FIELDS = [...MATCH_KEYS, ...AMOUNTS, 'direction', 'currency', 'date', 'status'] as const;
export type LedgerField = (typeof LEDGER_FIELDS)[number];
export const KEY_FIELDS: readonly LedgerField[] = MATCH_KEYS;
export const AMOUNT_FIELDS: readonly LedgerField[] = AMOUNTS;

export type StatementOptions = SheetOptions & { readonly dateFormat: string | null };

export type PlannedColumn = SheetColumn<LedgerField>;

export type StatusWords = Readonly<Record<'paid' | 'unpaid', readonly string[]>>;

export interface SkippedLine {
  readonly line: number;
  readonly text: string;
  readonly why: string;
}

export interface ReadingEnd {
  readonly lines: number;
  readonly skipped: readonly SkippedLine[];
  readonly skippedCount: number;
  readonly hasNegatives: boolean;
}

export function columnPlaces(columns: readonly PlannedColumn[]): Readonly<Record<LedgerField, number>> {
  const places = Object.fromEntries(LEDGER_FIELDS.map((field) => [field, -1])) as Record<LedgerField, number>;
  for (const { field, index } of columns) places[field] = index;
  return places;
}
