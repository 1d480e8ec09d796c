/** What the cells of a file say about the order of its dates: only what all of them agree on counts. Pure. */
import { UTC } from '../../runtime/clock.js';
import { plainText } from '../../sheet/amount.js';
import type { Doubt } from '../../sheet/decimal-evidence.js';
import { DAY_ORDERS, daysOf, hasShortYear, partsOf, type DayOrder, type DayParts } from './day.js';

const PARTS_KEPT = 100;
const YEARS_OF_NO_STATEMENT = 5;

export class DayEvidence {
  #possible: readonly DayOrder[] = DAY_ORDERS;
  /** The first cell that two orders read differently, by both of them. */
  readonly #doubts = new Map<string, Doubt<DayOrder>>();
  #isAny = false;
  #hasShortYear = false;
  #hasLongYear = false;
  /** What stands first and last where all parts have two digits. */
  readonly #firsts = new Set<string>();
  readonly #lasts = new Set<string>();

  add(line: number, text: string): void {
    const parts = partsOf(plainText(text));
    const ways = parts === null ? [] : daysOf(parts, DAY_ORDERS, UTC);
    const left = this.#possible.filter((order) => ways.some(([way]) => way === order));
    // One that contradicts all before it can't be read, which is said when the lines are.
    if (parts === null || left.length === 0) return;
    this.#possible = left;
    this.#isAny = true;
    this.#count(parts);
    for (const [order, day] of ways)
      for (const [other, otherDay] of ways)
        if (day !== otherDay && !this.#doubts.has(order + other))
          this.#doubts.set(order + other, { line, text, ways });
  }

  /** Whether the years that were seen have two digits. */
  get isShort(): boolean {
    return this.#hasShortYear && !this.#hasLongYear;
  }

  /** The orders that all cells leave; several of them read every cell alike, or there is a doubt. */
  verdict(): { readonly possible: readonly DayOrder[]; readonly doubt: Doubt<DayOrder> | null } {
    const possible = this.#possible.filter((order) => order !== 'YMD' || !this.#isYearLast());
    const pairs = possible.flatMap((order) => possible.map((other) => order + other));
    const doubt = pairs.map((pair) => this.#doubts.get(pair)).find((found) => found !== undefined);
    if (doubt !== undefined) {
      const ways = doubt.ways.filter(([way]) => possible.includes(way));
      return { possible, doubt: { ...doubt, ways } };
    }
    // Dates that begin with their year say so themselves.
    const isYearFirst = this.#isAny && possible.includes('YMD');
    return { possible: isYearFirst ? ['YMD'] : possible, doubt: null };
  }

  #count(parts: DayParts): void {
    const isShort = hasShortYear(parts);
    this.#hasShortYear ||= isShort;
    this.#hasLongYear ||= !isShort;
    if (!isShort || this.#firsts.size + this.#lasts.size >= PARTS_KEPT) return;
    this.#firsts.add(parts.first);
    this.#lasts.add(parts.third);
  }

  /** In two digits a part that hardly changes is the year where the other is of more years than a statement has. */
  #isYearLast(): boolean {
    return this.#lasts.size <= 2 && this.#firsts.size >= YEARS_OF_NO_STATEMENT;
  }
}
