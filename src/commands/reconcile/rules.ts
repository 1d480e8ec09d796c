/** What the flags say that a reconciliation may overlook, and what of both sides it looks at. Pure. */
import { AMOUNT_PATTERN } from '../../contract/money.js';
import type { Fee, MatchRules, Tolerance } from '../../reconcile/rules.js';
import { Failure } from '../../runtime/failure.js';
import { directionIn, type ReconcileFlags } from './flags.js';

type RuleFlags = Pick<
  ReconcileFlags,
  'from' | 'to' | 'currency' | 'direction' | 'tolerance' | 'fee' | 'days'
>;

const DAYS_MAX = 366;

/** @throws Failure `usage` */
export function readRules(flags: RuleFlags): MatchRules {
  const { from, to, currency, tolerance, fee, days = '0' } = flags;
  if (!/^[0-9]{1,3}$/.test(days) || Number(days) > DAYS_MAX)
    throw usage(`--days must be a whole number from 0 to ${String(DAYS_MAX)}.`);
  const rules = {
    direction: directionIn(flags),
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

/** A day that there is: 30 February is none. */
function readDay(text: string, flag: string): string {
  const ms = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(ms) || !new Date(ms).toISOString().startsWith(text))
    throw usage(`${flag} is a day such as 2026-11-21.`);
  return text;
}

function usage(message: string): Failure {
  return new Failure('usage', `${message} Nothing was reconciled.`);
}
