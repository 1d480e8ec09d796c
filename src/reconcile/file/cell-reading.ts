/** Dates by one order. What was left open is decided by the first cell that decides. */
import type { Zone } from '../../runtime/clock.js';
import { plainText } from '../../sheet/amount.js';
import type { CellRead } from '../../sheet/amount-cells.js';
import { excerpt } from '../../sheet/words.js';
import { DAY_ORDERS, daysOf, partsOf, type DayOrder } from './day.js';

/** Few: a text that is cut out of another one holds all of that. */
const DAYS_KEPT = 100;

export class DayCells {
  /** Cell by cell fewer. */
  #possible: readonly DayOrder[];
  readonly #zone: Zone;
  /** The same day stands in many lines. */
  readonly #known = new Map<string, string>();

  constructor(possible: readonly DayOrder[], zone: Zone) {
    this.#possible = possible;
    this.#zone = zone;
  }

  read(cell: string): CellRead<string> {
    const known = this.#known.get(cell);
    if (known !== undefined) return { value: known };
    const read = this.#fresh(plainText(cell));
    if ('value' in read) {
      if (this.#known.size >= DAYS_KEPT) this.#known.clear();
      this.#known.set(cell, read.value);
    }
    return read;
  }

  #fresh(text: string): CellRead<string> {
    const parts = partsOf(text);
    const left = parts === null ? [] : daysOf(parts, this.#possible, this.#zone);
    const [first] = left;
    if (first === undefined) {
      const ways = parts === null ? [] : daysOf(parts, DAY_ORDERS, this.#zone);
      return { problem: dayProblem(text, this.#possible, ways) };
    }
    const [, value] = first;
    if (left.some(([, day]) => day !== value)) return { problem: `${excerpt(text)} is ${listed(left)}` };
    if (left.length < this.#possible.length) this.#possible = left.map(([order]) => order);
    return { value };
  }
}

function dayProblem(
  text: string,
  [order, second]: readonly DayOrder[],
  ways: readonly (readonly [DayOrder, string])[],
): string {
  const isDecided = order !== undefined && second === undefined;
  const what = `${excerpt(text)} is no date${isDecided ? ` in the order ${formatOf(order)}` : ''}`;
  return ways.length === 0 ? what : `${what}; it is ${listed(ways)}`;
}

function listed(ways: readonly (readonly [DayOrder, string])[]): string {
  return ways.map(([order, day]) => `${day} with --date-format ${formatOf(order)}`).join(' and ');
}

/** As `--date-format` takes it. */
export function formatOf(order: DayOrder, isShort = false): string {
  const year = isShort ? 'YY' : 'YYYY';
  return { DMY: `DD/MM/${year}`, MDY: `MM/DD/${year}`, YMD: `${year}-MM-DD` }[order];
}
