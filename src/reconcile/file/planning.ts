/** Makes the plan by which a file is read: what was said, and for the rest what the file itself says. */
import { Failure } from '../../runtime/failure.js';
import type { BodyShape } from './body.js';
import { currencyHintsOf } from './currency-hints.js';
import { formatOf } from './cell-reading.js';
import type { DayOrder } from './day.js';
import { meaningOf } from './column-words.js';
import { guessesOf, type LeftOut, type RecordPlan } from './guesses.js';
import { jsonLayoutOf } from './json-layout.js';
import { JsonCutter } from './json-records.js';
import { layoutOf, type Layout } from './layout.js';
import { type LookAhead, sampleOf } from '../../sheet/look-ahead.js';
import type { FileSource } from '../../sheet/file-source.js';
import type { DecimalMark } from '../../sheet/forms.js';
import type { LedgerField, PlannedColumn, ReadingPlan, StatementOptions } from './plan.js';
import { cutterFor } from '../../sheet/cutting.js';
import type { RecordCutter } from '../../sheet/records.js';
import { UNIT } from '../../sheet/workbook/separators.js';
import type { ReadingSettings } from './settings.js';

const AMOUNTS: ReadonlySet<LedgerField> = new Set(['amount', 'debit', 'credit']);

/** A plan, and what the reading of lines needs of it. */
export interface Planned extends RecordPlan {
  readonly plan: ReadingPlan;
  /** The orders that a date may have. */
  readonly orders: readonly DayOrder[];
}

/** @param currency `--currency` @throws Failure `usage` where what was not said can't be found out, `bad_file` where there is nothing to read */
export async function planOf(
  ahead: LookAhead,
  settings: ReadingSettings,
  source: FileSource,
  currency: string | null,
): Promise<Planned> {
  const sample = sampleOf(ahead);
  if (ahead.workbook === null && /^\s*</.test(sample))
    throw new Failure('bad_file', `${source.name} is HTML or XML. Nothing was reconciled: save it as CSV.`);
  const { workbook } = ahead;
  const isJson = workbook === null && /^\s*[{[]/.test(sample);
  const laid = workbook === null ? settings : { ...settings, delimiter: UNIT };
  const layout = (isJson ? jsonLayoutOf : layoutOf)(sample, laid, source.name);
  const { columns, header, bodyFrom } = layout;
  const shape: BodyShape = { columns, header, isStrict: isJson };
  const given =
    isJson || workbook !== null ? { ...settings, decimal: settings.decimal ?? 'point' } : settings;
  const cutter = (): RecordCutter =>
    isJson
      ? new JsonCutter(
          [...columns, ...leftOut.currency, ...leftOut.status].map((column) => column.name),
          given.decimal ?? 'point',
        )
      : cutterFor(layout.delimiter, {
          mark: given.decimal ?? 'point',
          places: [...columns, ...leftOut.currency, ...leftOut.status].map(({ index }) => index),
          amounts: columns.filter(({ field }) => AMOUNTS.has(field)).map(({ index }) => index),
        });
  const hints = currencyHintsOf(layout, currency);
  const leftOut = leftOutOf(layout, settings, isJson);
  const read: RecordPlan = { shape, bodyFrom, cutter, hints, words: settings.words, leftOut };
  const guesses = await guessesOf(ahead, given, source, read);
  const decimal = given.decimal ?? guesses.decimals.verdict().way;
  const orders = given.order === null ? guesses.days.verdict().possible : [given.order];
  const [order = null, second] = orders;
  const isDecided = order !== null && second === undefined;
  const isShort = given.order === null ? guesses.days.isShort : given.isShortYear;
  const plan: ReadingPlan = {
    format: isJson ? 'ndjson' : workbook === null ? 'csv' : 'workbook',
    sheets: workbook,
    encoding: ahead.encoding,
    delimiter: isJson || workbook !== null ? null : layout.delimiter,
    decimal,
    dateFormat: isDecided ? formatOf(order, isShort) : null,
    columns,
    header,
    headerLine: layout.headerLine,
    titles: layout.titles,
    words: settings.words,
    unpaid: guesses.statuses.unpaid,
    guessed: guessedOf(settings, layout, { decimal, isDecided, isWorkbook: workbook !== null }),
  };
  return { plan, orders, ...read };
}

/**
 * Columns that are not looked at though their names say that they change what a line means: where one says so, that is asked about. What
 * `--map` says itself is what counts.
 */
function leftOutOf({ header, columns }: Layout, { map }: ReadingSettings, isJson: boolean): LeftOut {
  const all = (field: 'currency' | 'status'): PlannedColumn[] =>
    map?.some((entry) => entry.field === field) === true
      ? []
      : header.flatMap((name, index) => {
          const isIn = columns.some((column) => (isJson ? column.name === name : column.index === index));
          const meaning = meaningOf(isJson ? (name.split('.').at(-1) ?? '') : name);
          return meaning?.field === field && !isIn && !(isJson && name.includes('.'))
            ? [{ field, name, index }]
            : [];
        });
  const [currency, status] = [all('currency'), all('status')];
  if (!isJson) return { currency, status };
  // Of NDJSON a record holds what is looked for, in its order.
  const placed = [...currency, ...status].map((column, at) => ({ ...column, index: columns.length + at }));
  return { currency: placed.slice(0, currency.length), status: placed.slice(currency.length) };
}

function guessedOf(
  settings: ReadingSettings,
  { delimiter }: Layout,
  {
    decimal,
    isDecided,
    isWorkbook,
  }: {
    readonly decimal: DecimalMark | null;
    readonly isDecided: boolean;
    readonly isWorkbook: boolean;
  },
): readonly (keyof StatementOptions)[] {
  const found = {
    map: settings.map === null,
    delimiter: settings.delimiter === null && delimiter !== '' && !isWorkbook,
    decimal: settings.decimal === null && decimal !== null && !isWorkbook,
    encoding: settings.encoding === null && !isWorkbook,
    sheet: false,
    dateFormat: settings.order === null && isDecided,
  };
  return (Object.keys(found) as (keyof StatementOptions)[]).filter((name) => found[name]);
}
