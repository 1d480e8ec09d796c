import { fromMinor } from '../../contract/money.js';
import { type ClassSum, type CurrencySum, FINDING_CLASSES, type FindingClass } from '../finding.js';
import { CONFIRMED, FAILED } from './entries.js';

const SIDES = ['here', 'there'] as const;
export type Side = (typeof SIDES)[number];
export type TallyPlace = FindingClass | 'outside' | 'failed';

export interface CountedEntry {
  readonly currency: string | null;
  readonly amount: string | null;
  readonly status?: number;
}

interface Total {
  count: number;
  units: bigint;
  scale: number;
}

const ZERO: Total = { count: 0, units: 0n, scale: 0 };

export class Tally {
  readonly #places = new Map<string, Total>();
  readonly #entries = new Map<string, Total>();
  readonly #outcomes = new Map<string, Total>();

  addEntry(side: Side, { currency, amount }: Omit<CountedEntry, 'status'>): void {
    add(this.#entries, keyOf(side, currency), amount);
  }

  place(side: Side, place: TallyPlace, { currency, amount, status = CONFIRMED }: CountedEntry): void {
    add(this.#places, keyOf(side, currency, place), amount);
    const outcome = status === CONFIRMED ? 'paid' : status === FAILED ? 'lost' : 'pending';
    const isClass = place !== 'outside' && place !== 'failed';
    add(this.#outcomes, keyOf(side, currency, isClass ? outcome : place), amount);
  }

  move(side: Side, [from, to]: readonly [TallyPlace, TallyPlace], { currency, amount }: CountedEntry): void {
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
    const totals = [...this.#places].filter(([key]) => key.startsWith(prefix));
    return totals.reduce((sum, [, { count }]) => sum + count, 0);
  }

  hasUnnamed(side: Side): boolean {
    return this.#entries.has(keyOf(side, null));
  }

  currencies(side: Side): string[] {
    const keys = [...this.#entries.keys()].filter((key) => key.startsWith(`${side} =`));
    return keys.map((key) => currencyOf(key) ?? '').sort();
  }

  nameCurrency(side: Side, currency: string): void {
    const unnamedTotal = this.#entries.get(keyOf(side, null));
    if (unnamedTotal === undefined) return;
    this.#entries.delete(keyOf(side, null));
    merge(this.#entries, keyOf(side, currency), unnamedTotal);
  }

  prove(): void {
    for (const totals of [this.#places, this.#outcomes]) {
      const placed = new Map<string, Total>();
      for (const [key, total] of totals) merge(placed, key.replace(/ \S+/, ''), total);
      for (const key of new Set([...placed.keys(), ...this.#entries.keys()])) {
        const [placedTotal, entryTotal] = [placed.get(key) ?? ZERO, this.#entries.get(key) ?? ZERO];
        const isSameSum = scaled(placedTotal, entryTotal.scale) === scaled(entryTotal, placedTotal.scale);
        if (placedTotal.count !== entryTotal.count || !isSameSum)
          throw new Error('the sums of the classes are not the sums of both sides');
      }
    }
  }

  sums(): ClassSum[] {
    return FINDING_CLASSES.flatMap((name) =>
      this.#allCurrencies().flatMap((currency) => {
        const [here, there] = SIDES.map((side) => this.#places.get(keyOf(side, currency, name)));
        if (here === undefined && there === undefined) return [];
        const scale = this.#scaleOf(currency);
        return { class: name, currency, here: sumOf(here, scale), there: sumOf(there, scale) };
      }),
    );
  }

  totals(): CurrencySum[] {
    return this.#allCurrencies().flatMap((currency) => {
      const sumIn = (side: Side, outcome: string): ClassSum['here'] =>
        sumOf(this.#outcomes.get(keyOf(side, currency, outcome)), this.#scaleOf(currency));
      const [here, there] = [sumIn('here', 'paid'), sumIn('there', 'paid')];
      const [pending, failed] = [sumIn('there', 'pending'), sumIn('there', 'lost')];
      const hasAny = [here, there, pending, failed].some(({ count }) => count > 0);
      return hasAny ? [{ currency, here, there, pending, failed }] : [];
    });
  }

  #allCurrencies(): (string | null)[] {
    return [...new Set([...this.#entries.keys()].map(currencyOf))].sort((one, other) => {
      if (one === null || other === null) return one === other ? 0 : one === null ? 1 : -1;
      return one < other ? -1 : 1;
    });
  }

  #scaleOf(currency: string | null): number {
    return Math.max(...SIDES.map((side) => this.#entries.get(keyOf(side, currency))?.scale ?? 0));
  }
}

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

function scaled({ units, scale }: Pick<Total, 'units' | 'scale'>, to: number): bigint {
  return to > scale ? units * 10n ** BigInt(to - scale) : units;
}

function sumOf(total: Total | undefined, scale: number): ClassSum['here'] {
  if (total === undefined) return { count: 0, amount: fromMinor(0n, scale) };
  return { count: total.count, amount: fromMinor(scaled(total, scale), scale) };
}
