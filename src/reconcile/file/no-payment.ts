/** Which records below a header are no payments: totals, balances, words; by what they have and what they lack. Pure. */
import { isTotalAlone, isTotalWord } from './column-words.js';
import { partsOf } from './day.js';
import type { LedgerField } from './plan.js';

const KEYS = ['id', 'reference', 'bank_reference'] as const;
const AMOUNTS = ['amount', 'debit', 'credit'] as const;
const TOTAL = 'looks like a total';
const WORDS = 'is one cell alone';
const UNNAMED = 'has no reference';

/** Which cell is what, and in which ones it says with whom a payment was made. */
type Places = Readonly<Record<LedgerField, number>> & { readonly parties: readonly number[] };

/** Why it is taken for none; null where it is one, as far as that shows. @param isStrict nobody writes words into NDJSON */
export function noPayment(cells: readonly string[], places: Places, isStrict: boolean): string | null {
  const has = (field: LedgerField): boolean => places[field] !== -1 && !isEmpty(cells[places[field]] ?? '');
  const filled = cells.filter((cell) => !isEmpty(cell));
  const [first = ''] = filled;
  const keyed = KEYS.filter(has);
  const hasAmount = AMOUNTS.some(has);
  const isDated = places.date !== -1;
  // A payment may begin with such a word where a reference of its own stands beside it, or more behind it than sums are called.
  const isBeside = (has('date') || hasAmount) && keyed.some((key) => cells[places[key]] !== first);
  const isNamed = hasAmount && keyed.length > 0 && !isTotalAlone(first);
  // Money with a name and a day, or with somebody, is paid, whatever it is called; a sum has neither.
  const hasParty = places.parties.some((at) => isSomebody(cells[at] ?? '', first));
  const isPaid = hasAmount && ((keyed.length > 0 && has('date')) || hasParty);
  if (isTotalWord(first) && !isBeside && !isNamed && !isPaid) return TOTAL;
  if (keyed.length === 0 && !hasAmount && filled.some(isTotalWord)) return TOTAL;
  if (isStrict) return null;
  if (filled.length === 1 && !hasAmount && isSentence(first, keyed.length > 0)) return WORDS;
  if (isDated && has('date')) return null;
  if (keyed.length === 0)
    return isDated
      ? 'has no reference and no date'
      : hasAmount
        ? UNNAMED
        : 'has neither reference nor amount';
  return isDated && !hasAmount ? 'has no amount and no date' : null;
}

/** Somebody: not the word of a sum, which stands in any column. */
function isSomebody(cell: string, first: string): boolean {
  return !isEmpty(cell) && !(cell === first && isTotalAlone(cell));
}

/** Whether that says by itself that it is none, wherever it stands. */
export function isSurely(why: string): boolean {
  return why === TOTAL || why === WORDS;
}

/** Whether it may be a payment wherever it stands: money that nothing names, and no word says that it is a sum. */
export function isMaybePayment(why: string): boolean {
  return why === UNNAMED;
}

/** Words stand in the first column, whatever that is; a date there, or one word of a reference, is a line that was cut off. */
function isSentence(cell: string, isKey: boolean): boolean {
  return partsOf(cell) === null && (!isKey || /\S\s+\S/.test(cell));
}

export function isEmpty(cell: string): boolean {
  return cell === '' || cell.trim() === '';
}
