/** What the columns of a ledger or a statement may be called, and which of them it needs. Pure. */
import type { Places, ColumnVocabulary } from '../../sheet/header.js';
import { hasKey } from './column-map.js';
import { meaningOf } from './column-words.js';
import type { LedgerField } from './plan.js';

const SIDES = ['debit', 'credit'] as const;

export const LEDGER_VOCABULARY: ColumnVocabulary<LedgerField> = {
  meaningOf,
  isEnough: (fields) =>
    hasKey(fields) && fields.some((field) => field === 'amount' || field === 'debit' || field === 'credit'),
  settle: settleSides,
};

/** One side alone is not what both are; with an amount beside both it is not known which of them is meant. */
function settleSides(best: Places<LedgerField>): void {
  const isWhole = SIDES.every((side) => best.has(side));
  if (!isWhole) for (const side of SIDES) best.delete(side);
  else best.get('amount')?.places.push(...SIDES.flatMap((side) => best.get(side)?.places ?? []));
}
