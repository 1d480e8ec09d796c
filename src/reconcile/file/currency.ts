/** The currency of a line, from everything in the file: its own column, a text beside the amount, the name of the column, a title.
 * What may be several is asked about. Pure. */
import { columnPlaces, type PlannedColumn } from './plan.js';
import { plainText } from '../../sheet/amount.js';
import {
  currenciesIn,
  currenciesOf,
  currencyNames,
  commonCurrencies,
  type Currencies,
} from '../../sheet/currency.js';
import { excerpt } from '../../sheet/words.js';
import type { Layout } from './layout.js';

const AMOUNTS = ['amount', 'debit', 'credit'] as const;
const KNOWN_MAX = 100;

/** What a file says where it says it of all its lines. */
export interface CurrencyHints {
  /** `--currency`. */
  readonly said: string | null;
  /** A title that is called currency, as in `Moneda: USD`. */
  readonly titled: readonly CurrencyMention[];
  /** Names of other columns, and titles that hold a currency. */
  readonly mentioned: readonly CurrencyMention[];
}

type CurrencyRead =
  | { readonly value: string | null }
  /** A doubt is asked about, before anything is believed. */
  | { readonly problem: string; readonly isDoubt: boolean };

export class CurrencyNamed {
  readonly #hints: CurrencyHints;
  readonly #column: number;
  readonly #leftOut: readonly PlannedColumn[];
  readonly #amounts: readonly { readonly at: number; readonly named: Currencies | null }[];
  /** What the name of any amount says, of lines whose own column says nothing. */
  readonly #named: Currencies | null;
  /** The first line, and what stands there beside the amount; empty where nothing does. */
  #first: { readonly mark: string; readonly line: number } | null = null;
  #hasUnnamed = false;
  readonly #known = new Map<string, Currencies | null>();

  /** @param leftOut columns of currencies by their names, which are not looked at */
  constructor(
    columns: readonly PlannedColumn[],
    hints: CurrencyHints,
    leftOut: readonly PlannedColumn[] = [],
  ) {
    this.#hints = hints;
    this.#leftOut = leftOut;
    const places = columnPlaces(columns);
    this.#column = places.currency;
    this.#amounts = AMOUNTS.flatMap((field) => {
      const column = columns.find((one) => one.field === field);
      return column === undefined ? [] : [{ at: column.index, named: namedBy(column.name) }];
    });
    const named = this.#amounts.flatMap((one) => (one.named === null ? [] : [one.named]));
    this.#named = named.length === 0 ? null : commonCurrencies(named);
  }

  /** Null where nothing says it. @param mark what stands beside its amount; null for nothing */
  read(line: number, cells: readonly string[], mark: string | null): CurrencyRead {
    const cell = plainText(cells[this.#column] ?? '');
    const own = cell === '' ? null : this.#currenciesOf(cell);
    if (cell !== '' && own === null)
      return wrong(`${excerpt(cell)} is not a currency: leave the column out of --map, and add --currency`);
    const beside = mark === null ? null : (this.#currenciesOf(mark) ?? []);
    const all = [own, beside, this.#nameOf(cells)].filter((one) => one !== null);
    const uneven = own === null ? this.#isUneven(line, mark ?? '') : null;
    const read = uneven ?? (all.length === 0 ? this.#ofAll() : this.#narrowed(all, cell || (mark ?? '')));
    return 'value' in read ? (this.#overlooked(cells, read.value) ?? read) : read;
  }

  /** What another column says, where nothing that is looked at does; where it says something else, that is in doubt. */
  #overlooked(cells: readonly string[], value: string | null): CurrencyRead | null {
    if (this.#hints.said !== null) return null;
    for (const { index, name } of this.#leftOut) {
      const cell = plainText(cells[index] ?? '');
      const found = cell === '' ? null : this.#currenciesOf(cell);
      const [one, second] = found ?? [];
      if (found === null || (one !== undefined && second === undefined && one === value)) continue;
      // Where nothing else says it, it is what the line is in: it would pass as what the service has.
      if (value === null && one !== undefined && second === undefined) return { value: one };
      const how = 'say currency=COLUMN in --map, or --currency';
      return doubt(`${excerpt(name)} says ${excerpt(cell)}, and is not looked at: ${how}`);
    }
    return null;
  }

  /** What stands below the payments, or above the first one, may say what they are in: then lines that say nothing are in doubt. */
  problemOf(text: string): string | null {
    if (!this.#hasUnnamed || this.#hints.said !== null) return null;
    const found = currenciesIn(text);
    if (found.length === 0) return null;
    const known = this.#ofAll();
    const possible =
      'value' in known && known.value !== null ? commonCurrencies([[known.value], ...found]) : [];
    if (possible.length === 1) return null;
    return `says ${currencyNames(commonCurrencies(found))}, and payments name no currency: --currency says which`;
  }

  /** Beside some amounts only, or in two ways: nobody knows what the others are in. */
  #isUneven(line: number, given: string): CurrencyRead | null {
    if (this.#named !== null || this.#hints.said !== null) return null;
    const mark = given.toLowerCase().replace(/[.\s]/g, '');
    this.#first ??= { mark, line };
    const there = this.#first.mark;
    const isCertain = [mark, there].every((one) => this.#currenciesOf(one)?.length === 1);
    if (mark === there || isCertain) return null;
    const [here, before] = [mark, there].map((text) => text || 'no symbol');
    const how = mark === '' || there === '' ? '; where all are in one, --currency says which' : '';
    return wrong(
      `has ${here ?? ''} beside its amount, and line ${this.#first.line} has ${before ?? ''}${how}`,
    );
  }

  /** What a line says of itself, and where that is several, what the file and `--currency` leave of it. */
  #narrowed(all: readonly Currencies[], what: string): CurrencyRead {
    const possible = commonCurrencies(all);
    const isUnknown = all.every(({ length }) => length === 0);
    if (possible.length === 0 && !isUnknown)
      return wrong(`is ${all.map(currencyNames).join(', and ')} stands beside the amount`);
    const [one, second] = possible;
    if (one !== undefined && second === undefined) return { value: one };
    const { said, titled } = this.#hints;
    const left = commonCurrencies([possible, ...titled.map((title) => title.possible)]);
    if (left.length === 1) return { value: left[0] ?? null };
    if (said !== null && (isUnknown || left.includes(said))) return { value: said };
    const text = what === '' ? 'the name of its column' : excerpt(what);
    if (said !== null) return wrong(`${text} is ${currencyNames(possible)}, and --currency says ${said}`);
    return doubt(`${text} may be ${currencyNames(possible)}: --currency says which`);
  }

  /** Of a line that says nothing itself. */
  #ofAll(): CurrencyRead {
    const { said, titled, mentioned } = this.#hints;
    this.#hasUnnamed = true;
    const hints = titled.length > 0 ? titled : mentioned;
    if (hints.length === 0) return { value: null };
    if (titled.length === 0 && said !== null) return { value: null };
    const possible = commonCurrencies(hints.map((hint) => hint.possible));
    const isKnown = hints.every((hint) => hint.possible.length > 0);
    if (isKnown && possible.length === 1) return { value: possible[0] ?? null };
    if (said !== null && (possible.includes(said) || !isKnown)) return { value: said };
    const texts = hints.map(({ text }) => excerpt(text)).join(' and ');
    return doubt(`${texts} may be ${currencyNames(possible)}: --currency says what the amounts are in`);
  }

  /** The same few stand in all lines. */
  #currenciesOf(text: string): Currencies | null {
    let found = this.#known.get(text);
    if (found !== undefined) return found;
    found = currenciesOf(text);
    if (this.#known.size < KNOWN_MAX) this.#known.set(text, found);
    return found;
  }

  /** Of debit and credit that of the one which is filled. */
  #nameOf(cells: readonly string[]): Currencies | null {
    const filled = this.#amounts.filter(({ at }) => /[1-9]/.test(cells[at] ?? ''));
    return (filled.length === 1 ? filled[0]?.named : undefined) ?? this.#named;
  }
}

/** `Importe (USD)`, `MONTO VES`, `Monto €`; null where it names none. */
function namedBy(name: string): Currencies | null {
  const found = currenciesIn(name, /\p{L}\P{L}+\p{L}/u.test(name));
  return found.length === 0 ? null : commonCurrencies(found);
}

function wrong(problem: string): CurrencyRead {
  return { problem, isDoubt: false };
}

function doubt(problem: string): CurrencyRead {
  return { problem, isDoubt: true };
}

const LABEL = /\b(?:moneda|divisa|currency|moeda|ccy)\b[^:=]{0,40}[:=]?\s*|\b(?:mon|curr?|div)\.?\s*[:=]\s*/i;

/** @param said `--currency` */
export function currencyHintsOf({ above, header, columns }: Layout, said: string | null): CurrencyHints {
  const others = header.filter((name) => !columns.some((column) => column.name === name));
  return {
    said,
    titled: above.flatMap(({ cells }) => labelledIn(cells)),
    mentioned: [...above.map(({ cells }) => cells.join(' ')), ...others].flatMap((text) =>
      currenciesIn(text).map((possible) => ({ possible, text: text.trim() })),
    ),
  };
}

/** `Moneda: USD`, in one cell or in two. */
function labelledIn(cells: readonly string[]): readonly CurrencyMention[] {
  return cells.flatMap((cell, at) => {
    const label = LABEL.exec(cell);
    if (label === null) return [];
    const inside = cell.slice(label.index + label[0].length).trim();
    const isLabel = /[:=]\s*$/.test(label[0]);
    const behind = cells.slice(at + 1).find((other) => other.trim() !== '') ?? '';
    const value = inside === '' ? behind.trim() : inside;
    const found = currenciesIn(value, true);
    const possible = found.length === 0 ? currenciesOf(value) : commonCurrencies(found);
    if (possible === null && !(isLabel && value !== '')) return [];
    return [{ possible: possible ?? [], text: inside === '' ? `${cell.trim()} ${value}` : cell.trim() }];
  });
}

/** Where a file names a currency, in words for people. */
interface CurrencyMention {
  readonly possible: Currencies;
  readonly text: string;
}
