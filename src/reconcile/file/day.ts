import { type Zone, UTC } from '../../runtime/clock.js';
import { plainText, type Doubt, type CellRead } from '../../sheet/amount.js';
import { excerpt } from '../../sheet/words.js';

export const DAY_ORDERS = ['DMY', 'MDY', 'YMD'] as const;
export type DayOrder = (typeof DAY_ORDERS)[number];

type DayParts = NonNullable<ReturnType<typeof partsOf>>;

const MAX_CHARACTERS = 60;
const SEPARATED_DATE = /^([0-9]{1,4})([-/. ])([0-9]{1,2}|\p{L}{3,10}\.?)\2([0-9]{1,4})(?:(?:T|,? +)(.+))?$/u;
const MONTH_FIRST_DATE = /^(\p{L}{3,10})\.? ([0-9]{1,2}),? ([0-9]{4})(?:,? +(.+))?$/u;
const SOLID_DATE = /^([0-9]{8})(?:(?:T|,? +)(.+))?$/;
const TIME =
  /^([0-9]{1,2})[:.h]([0-9]{2})(?:[:.]([0-9]{2})(?:[.,][0-9]{1,9})?)?\s*(?:([ap])\.?\s?m\.?)?\s*(?:(Z|UTC|GMT)|([-+])([0-9]{2}):?([0-9]{2})?)?$/i;
const MONTHS =
  'ene jan, feb fev, mar, abr apr, may mai, jun, jul, ago aug, sep set, oct out, nov, dic dec dez'
    .split(', ')
    .map((names) => names.split(' '));

export function partsOf(cell: string) {
  if (cell.length > MAX_CHARACTERS) return null;
  const text = cell.trim().replace(/ de /gi, ' ');
  const solid = SOLID_DATE.exec(text);
  if (solid !== null) {
    const [, digits = '', time = null] = solid;
    const isYearFirst = isYear(digits.slice(0, 4)) && Number(digits.slice(4, 6)) <= 12;
    const [a, b] = isYearFirst ? [4, 6] : [2, 4];
    return { first: digits.slice(0, a), second: digits.slice(a, b), third: digits.slice(b), time };
  }
  const monthFirst = MONTH_FIRST_DATE.exec(text);
  if (monthFirst !== null) {
    const [, second = '', first = '', third = '', time = null] = monthFirst;
    return { first, second, third, time };
  }
  const [, first = '', , second = '', third = '', time = null] = SEPARATED_DATE.exec(text) ?? [];
  return first === '' ? null : { first, second, third, time };
}

export function dayOf(parts: DayParts, order: DayOrder, zone: Zone): string | null {
  const { first, second, third, time } = parts;
  const isYearFirst = first.length === 4;
  if (!isYearFirst && third.length === 4 && order === 'YMD' && !isMonthName(second)) return null;
  if (isMonthName(second)) {
    const letters = second.slice(0, 3).toLowerCase();
    const month = MONTHS.findIndex((names) => names.includes(letters)) + 1;
    return isYearFirst ? isoDay(first, month, third, time, zone) : isoDay(third, month, first, time, zone);
  }
  if (isYearFirst || order === 'YMD') return isoDay(first, Number(second), third, time, zone);
  const [day, month] = order === 'DMY' ? [first, second] : [second, first];
  return isoDay(third, Number(month), day, time, zone);
}

function daysOf(parts: DayParts, orders: readonly DayOrder[], zone: Zone) {
  return orders.flatMap((order) => {
    const day = dayOf(parts, order, zone);
    return day === null ? [] : [[order, day] as const];
  });
}

function isoDay(yearText: string, month: number, dayText: string, time: string | null, zone: Zone) {
  const year = yearText.length === 2 ? `20${yearText}` : yearText;
  if (!isYear(year) || dayText.length > 2 || month < 1 || month > 12) return null;
  const day = Number(dayText);
  // 2000 is the only multiple of 100 that `isYear` accepts, and it was a leap year.
  const february = Number(year) % 4 === 0 ? 29 : 28;
  const days = month === 2 ? february : [4, 6, 9, 11].includes(month) ? 30 : 31;
  if (day < 1 || day > days) return null;
  const iso = `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
  return time === null ? iso : dayInZone(iso, time, zone);
}

function dayInZone(day: string, time: string, zone: Zone): string | null {
  const match = TIME.exec(time.trim());
  if (match === null) return null;
  const [, hours = '', minutes = '', seconds = '0', half, utc, sign, offsetHours = '0', offsetMinutes = '0'] =
    match;
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (/p/i.test(half) ? 12 : 0);
  if (hour > 24 || Number(minutes) > 59 || Number(seconds) > 60) return null;
  if (utc === undefined && sign === undefined) return day;
  const eastMin = (Number(offsetHours) * 60 + Number(offsetMinutes)) * (sign === '-' ? -1 : 1);
  const atMs = Date.parse(day) + (hour * 60 + Number(minutes) - eastMin) * 60_000 + Number(seconds) * 1000;
  return new Date(atMs + zone.offsetMinutes(atMs) * 60_000).toISOString().slice(0, 10);
}

function isYear(text: string): boolean {
  return /^(?:19[89]|20[0-9])[0-9]$/.test(text);
}

function isMonthName(text: string): boolean {
  return /^\p{L}/u.test(text);
}

const PARTS_MAX = 100;
const YEARS_MAX = 5;

export class DayClues {
  #orders: readonly DayOrder[] = DAY_ORDERS;
  readonly #doubts = new Map<string, Doubt<DayOrder>>();
  #hasDate = false;
  #hasShortYear = false;
  #hasLongYear = false;
  readonly #firsts = new Set<string>();
  readonly #lasts = new Set<string>();

  add(line: number, text: string): void {
    const parts = partsOf(plainText(text));
    const readings = parts === null ? [] : daysOf(parts, DAY_ORDERS, UTC);
    const remainingOrders = this.#orders.filter((order) => readings.some(([one]) => one === order));
    if (parts === null || remainingOrders.length === 0) return;
    this.#orders = remainingOrders;
    this.#hasDate = true;
    this.#noteYear(parts);
    for (const [order, day] of readings)
      for (const [other, otherDay] of readings)
        if (day !== otherDay && !this.#doubts.has(order + other))
          this.#doubts.set(order + other, { line, text, readings });
  }

  get isShortYear(): boolean {
    return this.#hasShortYear && !this.#hasLongYear;
  }

  verdict(): { readonly orders: readonly DayOrder[]; readonly doubt: Doubt<DayOrder> | null } {
    const orders = this.#orders.filter((order) => order !== 'YMD' || !this.#isYearLast());
    const pairs = orders.flatMap((order) => orders.map((other) => order + other));
    const doubt = pairs.map((pair) => this.#doubts.get(pair)).find((one) => one !== undefined);
    if (doubt !== undefined) {
      const readings = doubt.readings.filter(([order]) => orders.includes(order));
      return { orders, doubt: { ...doubt, readings } };
    }
    const isYearFirst = this.#hasDate && orders.includes('YMD');
    return { orders: isYearFirst ? ['YMD'] : orders, doubt: null };
  }

  #noteYear({ first, second, third }: DayParts): void {
    const isShort = first.length < 3 && third.length < 3 && !isMonthName(second);
    this.#hasShortYear ||= isShort;
    this.#hasLongYear ||= !isShort;
    if (!isShort || this.#firsts.size + this.#lasts.size >= PARTS_MAX) return;
    this.#firsts.add(first);
    this.#lasts.add(third);
  }

  #isYearLast(): boolean {
    return this.#lasts.size <= 2 && this.#firsts.size >= YEARS_MAX;
  }
}

/** The cache is small, because each cached cell keeps its whole source text in memory. */
const CACHED_TEXTS_MAX = 100;

export class DayCells {
  readonly #cache = new Map<string, string>();

  constructor(
    private orders: readonly DayOrder[],
    private readonly zone: Zone,
  ) {}

  read(cell: string): CellRead<string> {
    const cached = this.#cache.get(cell);
    if (cached !== undefined) return { value: cached };
    const read = this.#readNew(plainText(cell));
    if ('value' in read) {
      if (this.#cache.size >= CACHED_TEXTS_MAX) this.#cache.clear();
      this.#cache.set(cell, read.value);
    }
    return read;
  }

  #readNew(text: string): CellRead<string> {
    const parts = partsOf(text);
    const days = parts === null ? [] : daysOf(parts, this.orders, this.zone);
    const [first] = days;
    if (first === undefined) {
      const readings = parts === null ? [] : daysOf(parts, DAY_ORDERS, this.zone);
      const [order, second] = this.orders;
      const isDecided = order !== undefined && second === undefined;
      const rule = isDecided ? `: the order is ${formatOf(order)}` : '';
      const hint = readings.length === 0 ? '' : `; it is ${readingsText(readings)}`;
      return { problem: `${excerpt(text)} is not a valid date${rule}${hint}` };
    }
    const [, value] = first;
    if (days.some(([, day]) => day !== value))
      return { problem: `${excerpt(text)} is ${readingsText(days)}` };
    if (days.length < this.orders.length) this.orders = days.map(([order]) => order);
    return { value };
  }
}

function readingsText(readings: readonly (readonly [DayOrder, string])[]): string {
  return readings.map(([order, day]) => `${day} with --date-format ${formatOf(order)}`).join(' and ');
}

export function formatOf(order: DayOrder, isShort = false): string {
  const year = isShort ? 'YY' : 'YYYY';
  return { DMY: `DD/MM/${year}`, MDY: `MM/DD/${year}`, YMD: `${year}-MM-DD` }[order];
}
