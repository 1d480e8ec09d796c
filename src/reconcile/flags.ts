import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import type * as Interfaces from '@oclif/core/interfaces';
import type { GlobalFlags, Run } from '../command/command.js';
import { FORM_HEADING, formFlags, grouped, takes, repeatable } from '../command/line/flags.js';
import { DIRECTIONS } from '../contract/operation.js';
import { AMOUNT_PATTERN } from '../contract/money.js';
import type { Fee, MatchRules, Tolerance } from './rules.js';
import { UTC, type Zone } from '../runtime/clock.js';
import { Failure } from '../runtime/failure.js';

export const ledgerArgs = {
  file: Args.string({
    description: 'CSV or a workbook (.xlsx) with a header line, or NDJSON; - for standard input',
    required: true,
    ignoreStdin: true,
    ...takes('file'),
  }),
};

export const reconcileFlags = {
  ...formFlags('Columns of the fields, or a saved map'),
  ...grouped(FORM_HEADING, {
    'date-format': Flags.string({ summary: 'Form of dates, such as DD/MM/YYYY', helpValue: 'FORMAT' }),
    currency: Flags.string({ summary: 'Currency of lines without one', ...takes('currency') }),
  }),
  ...grouped('WHAT IS COMPARED', {
    from: Flags.string({ summary: 'First day to compare', helpValue: 'DATE' }),
    to: Flags.string({ summary: 'Last day to compare', helpValue: 'DATE' }),
    direction: Flags.string({
      summary: 'Only this direction; lines without a direction count as this',
      options: [...DIRECTIONS],
    }),
    offline: Flags.boolean({ summary: 'Ask the service nothing; use what is known here' }),
  }),
  ...grouped('WHAT MAY DIFFER', {
    tolerance: Flags.string({
      summary: 'Allow amounts to differ by AMOUNT; repeatable',
      helpValue: 'CUR:AMOUNT',
      ...repeatable,
    }),
    fee: Flags.string({
      summary: 'Allow amounts to differ by PERCENT; repeatable',
      helpValue: 'CUR:PERCENT',
      ...repeatable,
    }),
    days: Flags.string({ summary: 'Allow dates to differ by N days', helpValue: 'N' }),
  }),
  ...grouped('OUTPUT', {
    all: Flags.boolean({ summary: 'List the lines that agree too' }),
    report: Flags.string({ summary: 'Write a report for the browser', ...takes('file') }),
  }),
};
export type ReconcileFlags = GlobalFlags & Interfaces.InferredFlags<typeof reconcileFlags>;

export function zoneOf({ ports, flags }: Run<ReconcileFlags>): Zone {
  return flags.utc ? UTC : ports.zone;
}

const DAYS_MAX = 366;

export function readRules(
  flags: Pick<ReconcileFlags, 'from' | 'to' | 'currency' | 'direction' | 'tolerance' | 'fee' | 'days'>,
): MatchRules {
  const { from, to, currency, tolerance, fee, days = '0' } = flags;
  if (!/^[0-9]{1,3}$/.test(days) || Number(days) > DAYS_MAX)
    throw usage(`--days must be a whole number from 0 to ${String(DAYS_MAX)}.`);
  const rules = {
    direction: DIRECTIONS.find((direction) => direction === flags.direction) ?? null,
    currency: currency === undefined ? null : currencyIn(currency, '--currency is a currency such as VES.'),
    tolerances: onceEach(tolerance ?? [], '--tolerance', readTolerance),
    fees: onceEach(fee ?? [], '--fee', readFee),
    days: Number(days),
    from: from === undefined ? null : readDay(from, '--from'),
    to: to === undefined ? null : readDay(to, '--to'),
  };
  if (rules.from !== null && rules.to !== null && rules.from > rules.to)
    throw usage('--from is after --to: nothing is between them.');
  return rules;
}

function readTolerance(text: string): Tolerance {
  const wrong = '--tolerance is a currency and an amount, such as VES:0.01.';
  const [currency = '', amount = '', ...rest] = text.split(':');
  if (rest.length > 0 || !AMOUNT_PATTERN.test(amount)) throw usage(wrong);
  return { currency: currencyIn(currency, wrong), amount };
}

function readFee(text: string): Fee {
  const wrong = '--fee is a currency and a share below 100%, such as VES:0.5%.';
  const [currency = '', share = '', ...rest] = text.split(':');
  const [, percent = ''] = /^([0-9]{1,2}(?:[.][0-9]{1,6})?)%?$/.exec(share) ?? [];
  if (rest.length > 0 || percent === '') throw usage(wrong);
  return { currency: currencyIn(currency, wrong), percent };
}

function onceEach<T extends { readonly currency: string }>(
  texts: readonly string[],
  flag: string,
  read: (text: string) => T,
): T[] {
  const all = texts.map(read);
  const twice = all.find((one, at) => all.findIndex(({ currency }) => currency === one.currency) < at);
  if (twice !== undefined) throw usage(`${flag} names ${twice.currency} twice.`);
  return all;
}

function currencyIn(text: string, wrong: string): string {
  if (!/^[A-Za-z]{3}$/.test(text)) throw usage(wrong);
  return text.toUpperCase();
}

/** `Date.parse` reads 30 February as 2 March, so the result is compared with the text. */
function readDay(text: string, flag: string): string {
  const ms = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(ms) || !new Date(ms).toISOString().startsWith(text))
    throw usage(`${flag} is a day such as 2026-11-21.`);
  return text;
}

function usage(message: string): Failure {
  return new Failure('usage', `${message} Nothing was reconciled.`);
}
