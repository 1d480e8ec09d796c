import type { Problems } from '../../runtime/problems.js';
import { AMOUNT_FIELDS, columnPlaces, KEY_FIELDS } from './plan.js';
import type { LedgerField, PlannedColumn, SkippedLine } from './plan.js';
import { isParty } from './column-words.js';
import { errorText, isTotalAlone, beginsWithTotal } from '../../sheet/words.js';
import type { SheetRecord } from '../../sheet/records.js';
import { partsOf } from './day.js';

const MARGIN_MAX = 20;
const LISTED_SKIPS_MAX = 20;
const TEXT_MAX = 80;

export interface BodyShape {
  readonly columns: readonly PlannedColumn[];
  readonly header: readonly string[];
  readonly isStrict: boolean;
}

export class Body {
  readonly #places: Places;
  readonly #headerText: string;
  #hasPayments = false;
  #last: { readonly record: SheetRecord; readonly why: string | null; readonly isShort: boolean } | null =
    null;
  #width: number;
  #below: { readonly record: SheetRecord; readonly why: string }[] = [];
  readonly skipped: SkippedLine[] = [];
  skippedCount = 0;

  constructor(
    private readonly shape: BodyShape,
    private readonly problems: Problems,
  ) {
    this.#headerText = shape.header.join('\0');
    this.#width = shape.isStrict ? 0 : shape.header.length;
    const parties = shape.isStrict ? [] : shape.header.flatMap((name, at) => (isParty(name) ? [at] : []));
    this.#places = { ...columnPlaces(shape.columns), parties };
  }

  checkPayment(record: SheetRecord): boolean {
    if (record.fault !== null) {
      this.problems.add(record.line, null, record.fault);
      return false;
    }
    const { cells } = record;
    if (cells.every(isEmpty)) return false;
    if (this.#isHeader(cells)) {
      this.noteSkipped(record, 'the header again');
      return false;
    }
    const why = reasonNotPayment(cells, this.#places, this.shape.isStrict);
    this.#last = { record, why, isShort: cells.length < this.#width };
    if (why === ZERO_SUM) this.noteSkipped(record, why);
    else if (why !== null) this.#setAside(record, why);
    if (why !== null) return false;
    this.#rejectBelow();
    this.#hasPayments = true;
    this.#width = Math.min(this.#width, cells.length);
    const errorColumn = this.shape.columns.find(({ index }) => errorText(cells[index] ?? '') !== null);
    if (errorColumn === undefined) return this.#checkWidth(record);
    const problem = errorText(cells[errorColumn.index] ?? '') ?? '';
    this.problems.add(record.line, errorColumn.name || `column ${errorColumn.index + 1}`, problem);
    return false;
  }

  noteSkipped({ line, cells }: SheetRecord, why: string): void {
    this.skippedCount += 1;
    if (this.skipped.length >= LISTED_SKIPS_MAX) return;
    const text = cells.flatMap((cell) => cell.trim() || []).join(' ');
    const excerpt = text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}...` : text;
    this.skipped.push({ line, text: excerpt, why });
  }

  end(): void {
    const { record: last, why: reason, isShort } = this.#last ?? { isShort: false };
    const isClosing =
      reason === TOTAL || reason === ZERO_SUM || (reason === LONE_CELL && last?.isUnended !== true);
    if (last !== undefined && isShort && last.kinds === undefined && !isClosing) {
      this.problems.add(last.line, null, 'has fewer cells than the lines above: the file may be cut off');
      this.#below = [];
    }
    for (const { record, why } of this.#below)
      // An amount without a reference may be a payment, even at the end of a file.
      if (why === NO_REFERENCE) this.problems.add(record.line, null, why);
      else this.noteSkipped(record, why);
    this.#below = [];
  }

  #isHeader(cells: readonly string[]): boolean {
    const { header } = this.shape;
    if (header.length === 0 || cells[0]?.trim() !== header[0]) return false;
    const names = cells.slice(0, header.length).map((cell) => cell.trim());
    return names.join('\0') === this.#headerText;
  }

  #setAside(record: SheetRecord, why: string): void {
    if (this.shape.isStrict) this.problems.add(record.line, null, why);
    else if (!this.#hasPayments && this.skippedCount < MARGIN_MAX && (why === TOTAL || why === LONE_CELL))
      this.noteSkipped(record, why);
    else if (!this.#hasPayments) this.problems.add(record.line, null, why);
    else this.#below.push({ record, why });
    if (this.#below.length > MARGIN_MAX) this.#rejectBelow();
  }

  #rejectBelow(): void {
    if (this.#below.length === 0) return;
    for (const { record, why } of this.#below)
      this.problems.add(record.line, null, `${why}, and stands between payments`);
    this.#below = [];
  }

  #checkWidth({ line, cells }: SheetRecord): boolean {
    const { header } = this.shape;
    if (this.shape.isStrict || cells.length <= header.length || cells.slice(header.length).every(isEmpty))
      return true;
    this.problems.add(line, null, `${cells.length} cells, and the header has ${header.length} columns`);
    return false;
  }
}

const TOTAL = 'looks like a total';
const LONE_CELL = 'is one cell alone';
const NO_REFERENCE = 'has no reference';
const ZERO_SUM = 'is a balance, and its amount is 0';

type Places = Readonly<Record<LedgerField, number>> & { readonly parties: readonly number[] };

function reasonNotPayment(cells: readonly string[], places: Places, isStrict: boolean): string | null {
  const has = (field: LedgerField): boolean => places[field] !== -1 && !isEmpty(cells[places[field]] ?? '');
  const filledCells = cells.filter((cell) => !isEmpty(cell));
  const [first = ''] = filledCells;
  const filledKeys = KEY_FIELDS.filter(has);
  const keys = filledKeys.map((key) => cells[places[key]] ?? '');
  const hasAmount = AMOUNT_FIELDS.some(has);
  const isDated = places.date !== -1;
  const isZero = (): boolean =>
    AMOUNT_FIELDS.filter(has).every((field) => !/[1-9]/.test(cells[places[field]] ?? ''));
  const isUnnamed = (): boolean => keys.every((key) => !/[1-9\p{L}]/u.test(key) || isTotalAlone(key));
  if (hasAmount && isZero() && isUnnamed() && filledCells.some(beginsWithTotal)) return ZERO_SUM;
  const hasOtherPaymentKey = (): boolean => (has('date') || hasAmount) && keys.some((key) => key !== first);
  const hasNamedAmount = (): boolean => hasAmount && filledKeys.length > 0 && !isTotalAlone(first);
  const hasParty = (): boolean =>
    places.parties.some((at) => {
      const cell = cells[at] ?? '';
      return !isEmpty(cell) && !(cell === first && isTotalAlone(cell));
    });
  const isLikelyPayment = (): boolean => hasAmount && ((filledKeys.length > 0 && has('date')) || hasParty());
  const isSum = (): boolean => filledKeys.length === 0 && !has('date') && filledCells.some(isTotalAlone);
  if ((beginsWithTotal(first) || isSum()) && !hasOtherPaymentKey() && !hasNamedAmount() && !isLikelyPayment())
    return TOTAL;
  if (filledKeys.length === 0 && !hasAmount && filledCells.some(beginsWithTotal)) return TOTAL;
  if (isStrict) return null;
  // A lone date, or a lone reference of one word, may be a payment that was cut off.
  const isSentence = partsOf(first) === null && (filledKeys.length === 0 || /\S\s+\S/.test(first));
  if (filledCells.length === 1 && !hasAmount && isSentence) return LONE_CELL;
  if (isDated && has('date')) return null;
  if (filledKeys.length === 0 && isDated) return 'has no reference and no date';
  if (filledKeys.length === 0) return hasAmount ? NO_REFERENCE : 'has neither reference nor amount';
  return isDated && !hasAmount ? 'has no amount and no date' : null;
}

function isEmpty(cell: string): boolean {
  return cell === '' || cell.trim() === '';
}
