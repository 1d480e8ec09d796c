/** What the lines of a file say about decimals and dates, where nobody said it. */
import { Failure } from '../../runtime/failure.js';
import { Problems } from '../../runtime/problems.js';
import { bothWays } from '../../sheet/amount.js';
import { Body, type BodyShape } from './body.js';
import { formatOf } from './cell-reading.js';
import { columnPlaces } from './column-places.js';
import { CurrencyNamed, type CurrencyHints } from './currency-named.js';
import { recordsAgain, recordsAhead } from '../../sheet/cutting.js';
import type { DayOrder } from './day.js';
import { DecimalEvidence, type Doubt, doubtText } from '../../sheet/decimal-evidence.js';
import { DayEvidence } from './evidence.js';
import type { LookAhead } from '../../sheet/look-ahead.js';
import type { FileSource } from '../../sheet/file-source.js';
import type { PlannedColumn } from './plan.js';
import type { StatusWords } from './status-words.js';
import { Statuses } from './statuses.js';
import type { RecordCutter, SheetRecord } from '../../sheet/records.js';
import type { ReadingSettings } from './settings.js';

class Guesses {
  readonly decimals = new DecimalEvidence();
  readonly days = new DayEvidence();
  readonly #body: Body;
  readonly #bodyFrom: number;
  readonly #amounts: readonly number[];
  readonly #date: number;
  readonly #currencies: CurrencyNamed;
  /** The first line of which it is not known what it is in. */
  currency: string | null = null;
  readonly statuses: Statuses;
  /** The first line of which it is not known whether it was paid. */
  status: string | null = null;

  constructor({ shape, bodyFrom, hints, words, leftOut }: RecordPlan) {
    this.#bodyFrom = bodyFrom;
    // What is wrong with a line is said when the lines are read.
    this.#body = new Body(shape, new Problems());
    const { amount, debit, credit, date } = columnPlaces(shape.columns);
    this.#amounts = [amount, debit, credit].filter((at) => at !== -1);
    this.#date = date;
    this.#currencies = new CurrencyNamed(shape.columns, hints, leftOut.currency);
    this.statuses = new Statuses(shape.columns, words, leftOut.status);
  }

  add(record: SheetRecord): void {
    const { line, cells } = record;
    if (line < this.#bodyFrom || !this.#body.isPayment(record) || !this.#isPaid(record)) return;
    for (const at of this.#amounts) this.decimals.add(line, cells[at] ?? '');
    this.#addCurrency(record);
    if (this.#date !== -1) this.days.add(line, cells[this.#date] ?? '');
  }

  #isPaid({ line, cells }: SheetRecord): boolean {
    const read = this.statuses.read(cells);
    if (read.kind === 'unknown') this.status ??= `line ${line}: ${read.problem}`;
    return read.kind !== 'unpaid';
  }

  #addCurrency({ line, cells }: SheetRecord): void {
    const mark = markIn(this.#amounts.map((at) => cells[at] ?? ''));
    const read = this.#currencies.read(line, cells, mark);
    if ('problem' in read && read.isDoubt) this.currency ??= `line ${line}: ${read.problem}`;
  }
}

/** What stands beside the amount of a line, which is in the cell that is more than nothing. */
function markIn(cells: readonly string[]): string | null {
  const filled = cells.find((cell) => /[1-9]/.test(cell)) ?? cells.find((cell) => cell.trim() !== '') ?? '';
  const { comma, point } = bothWays(filled);
  return (comma ?? point)?.mark ?? null;
}

/** What is asked for because the file does not say it. @param note what may help beside the flags; empty for nothing */
function undecided(name: string, asked: readonly string[], note: string): Failure {
  const flags = asked.length > 1 ? 'these flags' : 'this flag';
  return new Failure(
    'usage',
    `${name} can be read in more than one way. Nothing was reconciled: add ${flags}.`,
    {
      items: asked,
      advice: note === '' ? [] : [note],
    },
  );
}

function dayQuestion(doubt: Doubt<DayOrder>): string {
  const isShort = !/[0-9]{4}/.test(doubt.text);
  return `line ${doubt.line}: ${doubtText(doubt, (way) => `--date-format ${formatOf(way, isShort)}`)}`;
}

/** Columns that are not looked at, and that change what a line means. */
export interface LeftOut {
  readonly currency: readonly PlannedColumn[];
  readonly status: readonly PlannedColumn[];
}

/** How records are taken out of a text. */
export interface RecordPlan {
  readonly shape: BodyShape;
  /** The first line below the header. */
  readonly bodyFrom: number;
  readonly cutter: () => RecordCutter;
  readonly hints: CurrencyHints;
  readonly words: StatusWords;
  readonly leftOut: LeftOut;
}

/** What the beginning of a file says, or all of it. @throws Failure `usage` for what it leaves in doubt */
export async function guessesOf(
  ahead: LookAhead,
  settings: ReadingSettings,
  source: FileSource,
  read: RecordPlan,
): Promise<Guesses> {
  const first = new Guesses(read);
  for (const record of recordsAhead(ahead, read.cutter())) first.add(record);
  if (questionsOf(first, settings).length === 0) return first;
  const all = ahead.isWhole || !source.isRepeatable ? first : await throughout(ahead, read);
  const questions = questionsOf(all, settings);
  const isCut = !ahead.isWhole && !source.isRepeatable;
  const note = isCut
    ? 'It is read once, and its beginning does not decide; a file is read through for that.'
    : '';
  if (questions.length > 0) throw undecided(source.name, questions, note);
  return all;
}

/** The whole file, read for this alone. */
async function throughout(ahead: LookAhead, read: RecordPlan): Promise<Guesses> {
  const guesses = new Guesses(read);
  for await (const records of recordsAgain(ahead, read.cutter()))
    for (const record of records) guesses.add(record);
  return guesses;
}

function questionsOf(
  { decimals, days, currency, status }: Guesses,
  settings: ReadingSettings,
): readonly string[] {
  const decimal = settings.decimal === null ? decimals.verdict().doubt : null;
  const day = settings.order === null ? days.verdict().doubt : null;
  return [
    ...(decimal === null ? [] : [`line ${decimal.line}: ${doubtText(decimal, (way) => `--decimal ${way}`)}`]),
    ...(day === null ? [] : [dayQuestion(day)]),
    ...(currency === null ? [] : [currency]),
    ...(status === null ? [] : [status]),
  ];
}
