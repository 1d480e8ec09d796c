/** Which cell of a record is what. Pure. */
import { LEDGER_FIELDS, type LedgerField, type PlannedColumn } from './plan.js';

/** The place of each field, from 0; -1 for what no column is. */
export function columnPlaces(columns: readonly PlannedColumn[]): Readonly<Record<LedgerField, number>> {
  const places = Object.fromEntries(LEDGER_FIELDS.map((field) => [field, -1])) as Record<LedgerField, number>;
  for (const { field, index } of columns) places[field] = index;
  return places;
}
