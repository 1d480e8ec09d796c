/** Finds the payments among the records below a header. Totals and words above and below them are listed; between them they are problems. */
import type { Problems } from '../../runtime/problems.js';
import { columnPlaces, type LedgerField, type PlannedColumn, type SkippedLine } from './plan.js';
import { isParty } from './column-words.js';
import { errorText, isTotalAlone, isTotalWord } from '../../sheet/words.js';
import type { SheetRecord } from '../../sheet/records.js';
import { partsOf } from './day.js';

/** How many records may follow the last payment. */
const BELOW_MAX = 20;
const SKIPPED_KEPT = 20;
const TEXT_SHOWN = 80;

/** How wide the records are, and of what kind. */
export interface BodyShape {
  readonly columns: readonly PlannedColumn[];
  readonly header: readonly string[];
  /** Every line of it is a payment: nobody writes totals into NDJSON. */
  readonly isStrict: boolean;
}

export class Body {
  readonly #shape: BodyShape;
  readonly #problems: Problems;
  readonly #places: Places;
  readonly #headerText: string;
  #hasPayments = false;
  #last: { readonly record: SheetRecord; readonly why: string | null; readonly isShort: boolean } | null =
    null;
  /** How many cells a payment has, that of a text file at least. */
  #width: number;
  /** What may stand below the last payment. */
  #below: { readonly record: SheetRecord; readonly why: string }[] = [];
  readonly #skipped: SkippedLine[] = [];
  #skippedCount = 0;

  constructor(shape: BodyShape, problems: Problems) {
    this.#shape = shape;
    this.#problems = problems;
    this.#headerText = shape.header.join('\0');
    this.#width = shape.isStrict ? 0 : shape.header.length;
    const parties = shape.isStrict ? [] : shape.header.flatMap((name, at) => (isParty(name) ? [at] : []));
    this.#places = { ...columnPlaces(shape.columns), parties };
  }

  get skipped(): readonly SkippedLine[] {
    return this.#skipped;
  }

  get skippedCount(): number {
    return this.#skippedCount;
  }

  /** Whether it is a payment; everything else is kept in mind. */
  isPayment(record: SheetRecord): boolean {
    if (record.fault !== null) {
      this.#problems.add(record.line, null, record.fault);
      return false;
    }
    const { cells } = record;
    if (cells.every(isEmpty)) return false;
    if (this.#isHeader(cells)) {
      this.leaveOut(record, 'the header again');
      return false;
    }
    const why = noPayment(cells, this.#places, this.#shape.isStrict);
    this.#last = { record, why, isShort: cells.length < this.#width };
    if (why === NOTHING) this.leaveOut(record, why);
    else if (why !== null) this.#setAside(record, why);
    if (why !== null) return false;
    this.#spoilBelow();
    this.#hasPayments = true;
    this.#width = Math.min(this.#width, cells.length);
    // "#N/D" would be a debit, and "#¡NULO!" not paid.
    const error = this.#shape.columns.find(({ index }) => errorText(cells[index] ?? '') !== null);
    if (error === undefined) return this.#fits(record);
    const problem = errorText(cells[error.index] ?? '') ?? '';
    this.#problems.add(record.line, error.name || `column ${error.index + 1}`, problem);
    return false;
  }

  /** Notes that it holds no payment, and why. */
  leaveOut({ line, cells }: SheetRecord, why: string): void {
    this.#skippedCount += 1;
    if (this.#skipped.length >= SKIPPED_KEPT) return;
    const text = cells
      .map((cell) => cell.trim())
      .filter((cell) => cell !== '')
      .join(' ');
    const shown = text.length > TEXT_SHOWN ? `${text.slice(0, TEXT_SHOWN)}...` : text;
    this.#skipped.push({ line, text: shown, why });
  }

  /** At the end: the records that were set aside are below the payments. Words may end a file, and a line that is cut off may not. */
  end(): void {
    const { record: last, why: reason, isShort } = this.#last ?? { isShort: false };
    const isWords = reason === TOTAL || reason === NOTHING || (reason === WORDS && last?.isUnended !== true);
    if (last !== undefined && isShort && last.kinds === undefined && !isWords) {
      this.#problems.add(last.line, null, 'has fewer cells than the lines above: the file may be cut off');
      this.#below = [];
    }
    for (const { record, why } of this.#below)
      // Money that nothing names, and no word says that it is a sum, may be a payment wherever it stands.
      if (why === UNNAMED) this.#problems.add(record.line, null, why);
      else this.leaveOut(record, why);
    this.#below = [];
  }

  #isHeader(cells: readonly string[]): boolean {
    const { header } = this.#shape;
    if (header.length === 0 || cells[0]?.trim() !== header[0]) return false;
    return (
      cells
        .slice(0, header.length)
        .map((cell) => cell.trim())
        .join('\0') === this.#headerText
    );
  }

  #setAside(record: SheetRecord, why: string): void {
    if (this.#shape.isStrict) this.#problems.add(record.line, null, why);
    else if (!this.#hasPayments && this.#skippedCount < BELOW_MAX && isSurely(why))
      this.leaveOut(record, why);
    else if (!this.#hasPayments) this.#problems.add(record.line, null, why);
    else this.#below.push({ record, why });
    if (this.#below.length > BELOW_MAX) this.#spoilBelow();
  }

  /** A payment follows, or too many records: those that were set aside are in the middle, and their meaning is unknown. */
  #spoilBelow(): void {
    if (this.#below.length === 0) return;
    for (const { record, why } of this.#below)
      this.#problems.add(record.line, null, `${why}, and stands between payments`);
    this.#below = [];
  }

  /** Cells beyond the header mean that others are not where they belong. */
  #fits({ line, cells }: SheetRecord): boolean {
    const { header } = this.#shape;
    if (this.#shape.isStrict || cells.length <= header.length || cells.slice(header.length).every(isEmpty))
      return true;
    this.#problems.add(line, null, `${cells.length} cells, and the header has ${header.length} columns`);
    return false;
  }
}

const KEYS = ['id', 'reference', 'bank_reference'] as const;
const AMOUNTS = ['amount', 'debit', 'credit'] as const;
const TOTAL = 'looks like a total';
const WORDS = 'is one cell alone';
const UNNAMED = 'has no reference';
const NOTHING = 'is a balance, and its amount is 0';

/** Which cell is what, and in which ones it says with whom a payment was made. */
type Places = Readonly<Record<LedgerField, number>> & { readonly parties: readonly number[] };

/** Why it is taken for none; null where it is one, as far as that shows. @param isStrict nobody writes words into NDJSON */
function noPayment(cells: readonly string[], places: Places, isStrict: boolean): string | null {
  const has = (field: LedgerField): boolean => places[field] !== -1 && !isEmpty(cells[places[field]] ?? '');
  const filled = cells.filter((cell) => !isEmpty(cell));
  const [first = ''] = filled;
  const keyed = KEYS.filter(has);
  const keys = keyed.map((key) => cells[places[key]] ?? '');
  const hasAmount = AMOUNTS.some(has);
  const isDated = places.date !== -1;
  const isZero = (): boolean =>
    AMOUNTS.filter(has).every((field) => !/[1-9]/.test(cells[places[field]] ?? ''));
  const isUnnamed = (): boolean => keys.every((key) => !/[1-9\p{L}]/u.test(key) || isTotalAlone(key));
  if (hasAmount && isZero() && isUnnamed() && filled.some(isTotalWord)) return NOTHING;
  // A payment may begin with such a word where a reference of its own stands beside it, or more behind it than sums are called.
  const isBeside = (): boolean => (has('date') || hasAmount) && keys.some((key) => key !== first);
  const isNamed = (): boolean => hasAmount && keyed.length > 0 && !isTotalAlone(first);
  // Money with a name and a day, or with somebody, is paid, whatever it is called; a sum has neither.
  // The word of a sum stands in any column, and is nobody.
  const hasParty = (): boolean =>
    places.parties.some((at) => {
      const cell = cells[at] ?? '';
      return !isEmpty(cell) && !(cell === first && isTotalAlone(cell));
    });
  const isPaid = (): boolean => hasAmount && ((keyed.length > 0 && has('date')) || hasParty());
  const isSum = (): boolean => keyed.length === 0 && !has('date') && filled.some(isTotalAlone);
  if ((isTotalWord(first) || isSum()) && !isBeside() && !isNamed() && !isPaid()) return TOTAL;
  if (keyed.length === 0 && !hasAmount && filled.some(isTotalWord)) return TOTAL;
  if (isStrict) return null;
  // Words stand in the first column, whatever that is; a date there, or one word of a reference, is a line that was cut off.
  const isSentence = partsOf(first) === null && (keyed.length === 0 || /\S\s+\S/.test(first));
  if (filled.length === 1 && !hasAmount && isSentence) return WORDS;
  if (isDated && has('date')) return null;
  if (keyed.length === 0)
    return isDated
      ? 'has no reference and no date'
      : hasAmount
        ? UNNAMED
        : 'has neither reference nor amount';
  return isDated && !hasAmount ? 'has no amount and no date' : null;
}

/** Whether the record says that it is no payment, at any place in the file. */
function isSurely(why: string): boolean {
  return why === TOTAL || why === WORDS;
}

function isEmpty(cell: string): boolean {
  return cell === '' || cell.trim() === '';
}
