/** What of the records below a header are payments: totals and words stand above and below them and are said; between them they are problems. */
import type { Problems } from '../../runtime/problems.js';
import { columnPlaces } from './column-places.js';
import { isParty } from './column-words.js';
import { isEmpty, isMaybePayment, isSurely, noPayment } from './no-payment.js';
import type { LedgerField, PlannedColumn, SkippedLine } from './plan.js';
import type { SheetRecord } from '../../sheet/records.js';

/** How long what stands below the last payment may be. */
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
  readonly #places: Readonly<Record<LedgerField, number>>;
  readonly #headerText: string;
  /** The places of what says with whom a payment was made. */
  readonly #parties: readonly number[];
  #hasPayments = false;
  /** What may stand below the last payment. */
  #below: { readonly record: SheetRecord; readonly why: string }[] = [];
  readonly #skipped: SkippedLine[] = [];
  #skippedCount = 0;

  constructor(shape: BodyShape, problems: Problems) {
    this.#shape = shape;
    this.#problems = problems;
    this.#places = columnPlaces(shape.columns);
    this.#headerText = shape.header.join('\0');
    this.#parties = shape.isStrict ? [] : shape.header.flatMap((name, at) => (isParty(name) ? [at] : []));
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
    const why = noPayment(cells, { ...this.#places, parties: this.#parties }, this.#shape.isStrict);
    if (why !== null) {
      this.#setAside(record, why);
      return false;
    }
    this.#spoilBelow();
    this.#hasPayments = true;
    return this.#fits(record);
  }

  /** Notes that it holds no payment, and why. */
  leaveOut({ line, cells }: SheetRecord, why: string): void {
    this.#skippedCount += 1;
    if (this.#skipped.length < SKIPPED_KEPT) this.#skipped.push({ line, text: shownText(cells), why });
  }

  /** Nothing more comes: what was set aside stands below the payments. */
  end(): void {
    for (const { record, why } of this.#below)
      if (isMaybePayment(why)) this.#problems.add(record.line, null, why);
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

  /** A payment follows, or too much: what was set aside stands in the middle, and nobody knows what it is. */
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

/** The beginning of a record, for people. */
export function shownText(cells: readonly string[]): string {
  const text = cells
    .map((cell) => cell.trim())
    .filter((cell) => cell !== '')
    .join(' ');
  return text.length > TEXT_SHOWN ? `${text.slice(0, TEXT_SHOWN)}...` : text;
}
