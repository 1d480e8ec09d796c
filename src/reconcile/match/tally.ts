/** Exact sums for each class and currency, of both sides, and the check that they cover everything that was handed over. */
import { fromMinor } from '../../contract/money.js';
import { type ClassSum, type CurrencySum, FINDING_CLASSES, type FindingClass } from '../finding.js';
import { CONFIRMED, FAILED } from './entries.js';

const SIDES = ['here', 'there'] as const;
export type Side = (typeof SIDES)[number];
/** What is not compared is counted too: the sums of both sides are complete only with it. */
export type TallyPlace = FindingClass | 'outside' | 'failed';

export interface Counted {
  readonly currency: string | null;
  /** A canonical decimal string; null counts as nothing. */
  readonly amount: string | null;
  /** Of an operation. */
  readonly status?: number;
}

interface Total {
  count: number;
  /** In units of its scale, which grows. */
  units: bigint;
  scale: number;
}

const NOTHING: Total = { count: 0, units: 0n, scale: 0 };

export class Tally {
  readonly #places = new Map<string, Total>();
  readonly #given = new Map<string, Total>();
  /** The same by what became of it, whatever its class. */
  readonly #outcomes = new Map<string, Total>();

  /** What was handed over, before anything is known of it. */
  give(side: Side, { currency, amount }: Omit<Counted, 'status'>): void {
    add(this.#given, keyOf(side, currency), amount);
  }

  place(side: Side, place: TallyPlace, { currency, amount, status = CONFIRMED }: Counted): void {
    add(this.#places, keyOf(side, currency, place), amount);
    const outcome = status === CONFIRMED ? 'paid' : status === FAILED ? 'lost' : 'pending';
    const isClass = place !== 'outside' && place !== 'failed';
    add(this.#outcomes, keyOf(side, currency, isClass ? outcome : place), amount);
  }

  /** What was placed once stands elsewhere. */
  move(side: Side, [from, to]: readonly [TallyPlace, TallyPlace], { currency, amount }: Counted): void {
    const key = keyOf(side, currency, from);
    const total = this.#places.get(key);
    if (total === undefined) throw new Error('what is moved was never placed');
    const { units, scale } = totalOf(amount);
    merge(this.#places, key, { count: -1, units: -units, scale });
    if (total.count === 0) this.#places.delete(key);
    add(this.#places, keyOf(side, currency, to), amount);
  }

  count(side: Side, place: TallyPlace): number {
    const prefix = `${side} ${place} `;
    return [...this.#places].reduce(
      (sum, [key, { count }]) => (key.startsWith(prefix) ? sum + count : sum),
      0,
    );
  }

  hasUnnamed(side: Side): boolean {
    return this.#given.has(keyOf(side, null));
  }

  /** Those that are named, in their order. */
  currencies(side: Side): string[] {
    const own = [...this.#given.keys()].filter((key) => key.startsWith(`${side} =`));
    return own.map((key) => currencyOf(key) ?? '').sort();
  }

  /** What a currency was counted under before it was known which it is. */
  name(side: Side, currency: string): void {
    const unnamed = this.#given.get(keyOf(side, null));
    if (unnamed === undefined) return;
    this.#given.delete(keyOf(side, null));
    merge(this.#given, keyOf(side, currency), unnamed);
  }

  /** @throws Error where what was placed is not what was given: then no figure of it may be shown */
  prove(): void {
    for (const all of [this.#places, this.#outcomes]) {
      const placed = new Map<string, Total>();
      for (const [key, total] of all) merge(placed, key.replace(/ \S+/, ''), total);
      for (const key of new Set([...placed.keys(), ...this.#given.keys()])) {
        const [one, other] = [placed.get(key) ?? NOTHING, this.#given.get(key) ?? NOTHING];
        const isSameSum = scaled(one, other.scale) === scaled(other, one.scale);
        if (one.count !== other.count || !isSameSum)
          throw new Error('the sums of the classes are not the sums of both sides');
      }
    }
  }

  /** Of each class that has any, worst first, by currency; amounts with as many decimals as the longest of the currency. */
  sums(): ClassSum[] {
    return FINDING_CLASSES.flatMap((name) =>
      this.#named().flatMap((currency) => {
        const [here, there] = SIDES.map((side) => this.#places.get(keyOf(side, currency, name)));
        if (here === undefined && there === undefined) return [];
        const scale = this.#scaleOf(currency);
        return { class: name, currency, here: shown(here, scale), there: shown(there, scale) };
      }),
    );
  }

  /** All classes together, of each currency that any of them has. */
  totals(): CurrencySum[] {
    return this.#named().flatMap((currency) => {
      const of = (side: Side, outcome: string): ClassSum['here'] =>
        shown(this.#outcomes.get(keyOf(side, currency, outcome)), this.#scaleOf(currency));
      const [here, there] = [of('here', 'paid'), of('there', 'paid')];
      const [pending, failed] = [of('there', 'pending'), of('there', 'lost')];
      const isAny = [here, there, pending, failed].some(({ count }) => count > 0);
      return isAny ? [{ currency, here, there, pending, failed }] : [];
    });
  }

  #named(): (string | null)[] {
    return [...new Set([...this.#given.keys()].map(currencyOf))].sort((one, other) => {
      if (one === null || other === null) return one === other ? 0 : one === null ? 1 : -1;
      return one < other ? -1 : 1;
    });
  }

  #scaleOf(currency: string | null): number {
    return Math.max(...SIDES.map((side) => this.#given.get(keyOf(side, currency))?.scale ?? 0));
  }
}

/** A currency that is none stands behind a space of its own, so that no text is taken for it. */
function keyOf(side: Side, currency: string | null, place?: string): string {
  return [side, ...(place === undefined ? [] : [place]), currency === null ? '-' : `=${currency}`].join(' ');
}

function currencyOf(key: string): string | null {
  const text = key.slice(key.indexOf(' ') + 1);
  return text === '-' ? null : text.slice(1);
}

function add(totals: Map<string, Total>, key: string, amount: string | null): void {
  merge(totals, key, totalOf(amount));
}

function totalOf(amount: string | null): Total {
  const point = amount?.indexOf('.') ?? -1;
  const scale = amount === null || point === -1 ? 0 : amount.length - point - 1;
  const units = amount === null ? 0n : BigInt(point === -1 ? amount : amount.replace('.', ''));
  return { count: 1, units, scale };
}

function merge(totals: Map<string, Total>, key: string, { count, units, scale }: Total): void {
  const total = totals.get(key);
  if (total === undefined) {
    totals.set(key, { count, units, scale });
    return;
  }
  total.units = scaled(total, scale) + scaled({ units, scale }, total.scale);
  total.scale = Math.max(total.scale, scale);
  total.count += count;
}

/** In units of that scale, where that is the finer one. */
function scaled({ units, scale }: Pick<Total, 'units' | 'scale'>, to: number): bigint {
  return to > scale ? units * 10n ** BigInt(to - scale) : units;
}

function shown(total: Total | undefined, scale: number): ClassSum['here'] {
  if (total === undefined) return { count: 0, amount: fromMinor(0n, scale) };
  return { count: total.count, amount: fromMinor(scaled(total, scale), scale) };
}
