import { type ClassSum, FINDING_CLASSES, MATCH_KEYS, type NamedEntries } from './finding.js';
import type { ShownFinding, shownSummary } from './findings-shown.js';
import { arrayOf, type JsonSchema, everyOf, nullOr } from '../contract/openapi/json-schema.js';
import type { OwnShapeName } from '../command/shape-names.js';
import { count, describe, direction, flag, oneOf } from '../contract/openapi/words.js';
import { oneOfOrNull, text, textOrNull } from '../contract/openapi/words.js';

const LEDGER_LINE: Readonly<Record<keyof ShownFinding['here'][number], JsonSchema>> = {
  line: describe('In the file, from 1', count),
  ...{ id: textOrNull, reference: textOrNull, bank_reference: textOrNull },
  direction: oneOfOrNull(['payin', 'payout']),
  ...{ currency: textOrNull, amount: text, date: textOrNull },
};
const COMPARED_OPERATION: Readonly<Record<keyof ShownFinding['there'][number], JsonSchema>> = {
  ...{ id: text, direction, status: text, reference: textOrNull, bank_reference: textOrNull },
  ...{ currency: textOrNull, amount: textOrNull, date: textOrNull },
};
const namedEntries = nullOr(everyOf<NamedEntries>({ lines: arrayOf(count), operations: arrayOf(text) }));
const side = everyOf({ count, amount: text });

export const RECONCILE_SHAPES = {
  ReconciliationFinding: everyOf<ShownFinding>({
    class: oneOf(FINDING_CLASSES),
    by: oneOfOrNull(MATCH_KEYS),
    detail: text,
    here: arrayOf(everyOf(LEDGER_LINE)),
    there: arrayOf(everyOf(COMPARED_OPERATION)),
    beside: namedEntries,
    tolerances: arrayOf(text),
    suggestion: namedEntries,
    next_command: textOrNull,
  }),
  ReconciliationSummary: describe(
    'The last line',
    everyOf<ReturnType<typeof shownSummary>>({
      ...{ agrees: flag, lines: count, operations: count },
      outside: everyOf({ lines: count, operations: count }),
      ...{ skipped: count, failed: count, within_tolerance: count },
      ...{ from: textOrNull, to: textOrNull, known_until: textOrNull },
      sums: arrayOf(
        everyOf<ClassSum>({ class: oneOf(FINDING_CLASSES), currency: textOrNull, here: side, there: side }),
      ),
      totals: arrayOf(
        everyOf<ReturnType<typeof shownSummary>['totals'][number]>({
          ...{ currency: textOrNull, here: side },
          there: describe('Confirmed', side),
          ...{ pending: side, failed: side },
        }),
      ),
    }),
  ),
} satisfies Partial<Readonly<Record<OwnShapeName, JsonSchema>>>;
