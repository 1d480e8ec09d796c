import { Failure } from '../../runtime/failure.js';
import { type BodyShape, Body } from './body.js';
import { currencyHintsOf, CurrencyReader, type CurrencyHints } from './currency.js';
import { formatOf, DayClues } from './day.js';
import { meaningOf } from './column-words.js';
import { jsonLayoutOf, layoutOf, type Layout } from './layout.js';
import { JsonCutter } from './json-records.js';
import { type LookAhead, cutterFor, recordsAgain, recordsAhead } from '../../sheet/look-ahead.js';
import { AMOUNT_FIELDS, columnPlaces, KEY_FIELDS } from './plan.js';
import type { PlannedColumn, StatusWords } from './plan.js';
import type { RecordCutter, SheetRecord } from '../../sheet/records.js';
import type { ReadingSettings } from './settings.js';
import { Problems } from '../../runtime/problems.js';
import { readBothMarks, DecimalClues, doubtText } from '../../sheet/amount.js';
import { Statuses } from './statuses.js';

export type ReadingSetup = Readonly<Awaited<ReturnType<typeof setupOf>>>;
export type ReadingPlan = Readonly<ReadingSetup['plan']>;

export async function setupOf(ahead: LookAhead, settings: ReadingSettings, currency: string | null) {
  const { workbook } = ahead;
  const isJson = workbook === null && /^\s*[{[]/.test(ahead.sample);
  const layout = (isJson ? jsonLayoutOf : layoutOf)(ahead, settings);
  const { columns, header, bodyFrom } = layout;
  const { words } = settings;
  const mark = settings.decimal ?? (isJson || workbook !== null ? 'point' : null);
  const ignored = unassignedColumnsOf(layout, settings, isJson);
  const readColumns = [...columns, ...ignored.currency, ...ignored.status];
  const names = readColumns.map(({ name }) => name);
  const cutter = (): RecordCutter =>
    isJson
      ? new JsonCutter(names, mark ?? 'point')
      : cutterFor(layout.delimiter, {
          mark: mark ?? 'point',
          places: readColumns.map(({ index }) => index),
          amounts: columns.filter(({ field }) => AMOUNT_FIELDS.includes(field)).map(({ index }) => index),
          texts: columns.filter(({ field }) => KEY_FIELDS.includes(field)).map(({ index }) => index),
        });
  const hints = currencyHintsOf(layout, currency);
  const setup = { columns, header, isStrict: isJson, bodyFrom, cutter, hints, words, ignored };
  const guesses = await guessesOf(ahead, { ...settings, decimal: mark }, setup);
  const decimal = mark ?? guesses.decimals.mark;
  const orders = settings.order === null ? guesses.days.verdict().orders : [settings.order];
  const [order = null, second] = orders;
  const isDecided = order !== null && second === undefined;
  const isShort = settings.order === null ? guesses.days.isShortYear : settings.isShortYear;
  const textFlags = [
    settings.encoding,
    ...(isJson ? [] : [settings.delimiter]),
    ...(decimal === null ? [] : [settings.decimal]),
  ];
  const plan = {
    format: isJson ? 'ndjson' : workbook === null ? 'csv' : 'workbook',
    sheets: workbook,
    encoding: ahead.encoding,
    delimiter: isJson || workbook !== null ? null : layout.delimiter,
    decimal,
    dateFormat: isDecided ? formatOf(order, isShort) : null,
    columns,
    header,
    headerLine: layout.headerLine,
    above: layout.above.map(({ line }) => line),
    words,
    unpaid: guesses.statuses.unpaid,
    isGuessed:
      settings.map === null ||
      (settings.order === null && isDecided) ||
      (workbook === null && textFlags.includes(null)),
  } as const;
  return { plan, orders, ...setup };
}

function unassignedColumnsOf(
  { header, columns }: Layout,
  { map }: ReadingSettings,
  isJson: boolean,
): RecordSetup['ignored'] {
  const columnsLike = (field: 'currency' | 'status'): PlannedColumn[] => {
    if (map?.some((entry) => entry.field === field) === true) return [];
    return header.flatMap((name, index) => {
      const isUsed = columns.some((column) => (isJson ? column.name === name : column.index === index));
      const isNested = isJson && name.includes('.');
      return isUsed || isNested || meaningOf(name)?.field !== field ? [] : [{ field, name, index }];
    });
  };
  const [currency, status] = [columnsLike('currency'), columnsLike('status')];
  if (!isJson) return { currency, status };
  const placed = [...currency, ...status].map((column, at) => ({ ...column, index: columns.length + at }));
  return { currency: placed.slice(0, currency.length), status: placed.slice(currency.length) };
}

class Guesses {
  readonly decimals = new DecimalClues();
  readonly days = new DayClues();
  readonly #body: Body;
  readonly #bodyFrom: number;
  readonly #amounts: readonly number[];
  readonly #date: number;
  readonly #currencies: CurrencyReader;
  currencyQuestion: string | null = null;
  readonly statuses: Statuses;
  statusQuestion: string | null = null;

  constructor(setup: RecordSetup) {
    const { columns, hints, words, ignored } = setup;
    this.#bodyFrom = setup.bodyFrom;
    this.#body = new Body(setup, new Problems());
    const places = columnPlaces(columns);
    this.#amounts = AMOUNT_FIELDS.map((field) => places[field]).filter((at) => at !== -1);
    this.#date = places.date;
    this.#currencies = new CurrencyReader(columns, hints, ignored.currency);
    this.statuses = new Statuses(columns, words, ignored.status);
  }

  add(record: SheetRecord): void {
    const { line, cells } = record;
    if (line < this.#bodyFrom || !this.#body.checkPayment(record)) return;
    const status = this.statuses.read(cells);
    if (status.kind === 'unknown') this.statusQuestion ??= `line ${line}: ${status.problem}`;
    if (status.kind === 'unpaid') return;
    const amounts = this.#amounts.map((at) => cells[at] ?? '');
    for (const cell of amounts) this.decimals.add(line, cell);
    const filledAmount =
      amounts.find((cell) => /[1-9]/.test(cell)) ?? amounts.find((cell) => cell.trim() !== '');
    const { comma, point } = readBothMarks(filledAmount ?? '');
    const currency = this.#currencies.read(line, cells, (comma ?? point)?.currency ?? null);
    if ('problem' in currency && currency.isDoubt)
      this.currencyQuestion ??= `line ${line}: ${currency.problem}`;
    if (this.#date !== -1) this.days.add(line, cells[this.#date] ?? '');
  }
}

interface RecordSetup extends BodyShape {
  readonly bodyFrom: number;
  readonly cutter: () => RecordCutter;
  readonly hints: CurrencyHints;
  readonly words: StatusWords;
  readonly ignored: Readonly<Record<'currency' | 'status', readonly PlannedColumn[]>>;
}

async function guessesOf(ahead: LookAhead, settings: ReadingSettings, setup: RecordSetup): Promise<Guesses> {
  const { name, isRepeatable } = ahead.source;
  const first = new Guesses(setup);
  for (const record of recordsAhead(ahead, setup.cutter())) first.add(record);
  if (questionsOf(first, settings).length === 0) return first;
  let all = first;
  if (!ahead.isWhole && isRepeatable) {
    all = new Guesses(setup);
    for await (const records of recordsAgain(ahead, setup.cutter()))
      for (const record of records) all.add(record);
  }
  const questions = questionsOf(all, settings);
  if (questions.length === 0) return all;
  const hasOnlyBeginning = !ahead.isWhole && !isRepeatable;
  const advice = 'It is read once, and its beginning does not decide; a file is read through for that.';
  const flags = questions.length > 1 ? 'these flags' : 'this flag';
  const head = `${name} can be read in more than one way. Nothing was reconciled: add ${flags}.`;
  throw new Failure('usage', head, { items: questions, advice: hasOnlyBeginning ? [advice] : [] });
}

function questionsOf(guesses: Guesses, settings: ReadingSettings) {
  const { decimals, days, currencyQuestion, statusQuestion } = guesses;
  const decimal = settings.decimal === null ? decimals.doubt : null;
  const day = settings.order === null ? days.verdict().doubt : null;
  const isShort = day !== null && !/[0-9]{4}/.test(day.text);
  return [
    ...(decimal === null ? [] : [`line ${decimal.line}: ${doubtText(decimal, (way) => `--decimal ${way}`)}`]),
    ...(day === null
      ? []
      : [`line ${day.line}: ${doubtText(day, (way) => `--date-format ${formatOf(way, isShort)}`)}`]),
    ...[currencyQuestion, statusQuestion].filter((question) => question !== null),
  ];
}
