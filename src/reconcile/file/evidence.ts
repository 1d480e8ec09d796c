/** What the cells of a file say about its decimal mark and the order of its dates: only what all of them agree on counts. Pure. */
import { UTC } from '../../runtime/clock.js';
import { bothWays } from './amount.js';
import { DAY_ORDERS, dayOf, hasShortYear, partsOf, type DayOrder } from './day.js';
import type { DecimalMark } from './plan.js';

/** A cell that can be read in more than one way, and what it is in each of them. */
export interface Doubt<Way extends string> {
  readonly line: number;
  readonly text: string;
  readonly ways: readonly (readonly [way: Way, value: string])[];
}

/** What was found: a way, a doubt about it, or neither where it makes no difference so far. */
export interface Verdict<Way extends string> {
  readonly way: Way | null;
  readonly doubt: Doubt<Way> | null;
}

export class DecimalEvidence {
  #way: DecimalMark | null = null;
  #doubt: Doubt<DecimalMark> | null = null;

  /** The first cell that can be read in one way only decides; one that contradicts it later can't be read. */
  add(line: number, text: string): void {
    if (this.#way !== null) return;
    const { comma, point } = bothWays(text);
    if (comma !== null && point !== null) {
      if (comma.amount === point.amount) return;
      this.#doubt ??= {
        line,
        text,
        ways: [
          ['comma', comma.amount],
          ['point', point.amount],
        ],
      };
    } else if (comma !== null) this.#way = 'comma';
    else if (point !== null) this.#way = 'point';
  }

  verdict(): Verdict<DecimalMark> {
    return { way: this.#way, doubt: this.#way === null ? this.#doubt : null };
  }
}

const PARTS_KEPT = 100;

export class DayEvidence {
  #possible: readonly DayOrder[] = DAY_ORDERS;
  #doubts: Doubt<DayOrder>[] = [];
  #short: Doubt<DayOrder> | null = null;
  #isAny = false;
  #hasLongYear = false;
  /** What stands first and last where all parts have two digits. */
  readonly #firsts = new Set<string>();
  readonly #lasts = new Set<string>();

  add(line: number, text: string): void {
    const parts = partsOf(text);
    if (parts === null) return;
    const ways = DAY_ORDERS.flatMap((order) => {
      const day = dayOf(parts, order, UTC);
      return day === null ? [] : [[order, day] as const];
    });
    const left = this.#possible.filter((order) => ways.some(([way]) => way === order));
    if (left.length === 0) return;
    this.#possible = left;
    this.#isAny = true;
    const isShort = hasShortYear(parts);
    this.#hasLongYear ||= !isShort;
    if (isShort && this.#firsts.size + this.#lasts.size < PARTS_KEPT) {
      this.#firsts.add(parts.first);
      this.#lasts.add(parts.third);
    }
    if (new Set(ways.map(([, day]) => day)).size < 2) return;
    // One of each kind is enough: what differs between which orders.
    if (!this.#doubts.some((known) => sameWays(known, ways))) this.#doubts.push({ line, text, ways });
    if (isShort) this.#short ??= { line, text, ways };
  }

  /** Whether the years that were seen have two digits. */
  get isShort(): boolean {
    return this.#short !== null && !this.#hasLongYear;
  }

  verdict(): Verdict<DayOrder> {
    if (!this.#isAny) return { way: null, doubt: null };
    const possible = this.#possible.filter((order) => order !== 'YMD' || !this.#isYearLast());
    const [only, second] = possible;
    if (second === undefined) return { way: only ?? null, doubt: null };
    for (const { line, text, ways } of this.#doubts) {
      const left = ways.filter(([way]) => possible.includes(way));
      if (new Set(left.map(([, day]) => day)).size > 1)
        return { way: null, doubt: { line, text, ways: left } };
    }
    return { way: possible.includes('YMD') ? 'YMD' : null, doubt: null };
  }

  /** Of payments in two digits a part that hardly changes while the other does is the year. */
  #isYearLast(): boolean {
    return this.#lasts.size > 0 && this.#lasts.size <= 2 && this.#firsts.size > this.#lasts.size;
  }
}

function sameWays({ ways }: Doubt<DayOrder>, others: Doubt<DayOrder>['ways']): boolean {
  return ways.length === others.length && ways.every(([way], at) => way === others[at]?.[0]);
}
