import { AMOUNT_FIELDS, columnPlaces, type PlannedColumn } from './plan.js';
import { plainText } from '../../sheet/amount.js';
import { currenciesIn, currenciesOf, currencyNames, commonCurrencies } from '../../sheet/currency.js';
import type { Currencies } from '../../sheet/currency.js';
import { excerpt } from '../../sheet/words.js';
import type { Layout } from './layout.js';

const CACHED_TEXTS_MAX = 100;

export type CurrencyHints = Readonly<ReturnType<typeof currencyHintsOf>>;

type CurrencyRead =
  { readonly value: string | null } | { readonly problem: string; readonly isDoubt: boolean };

export class CurrencyReader {
  readonly #column: number;
  readonly #amounts: readonly { readonly at: number; readonly byName: Currencies | null }[];
  readonly #byNames: Currencies | null;
  #first: { readonly mark: string; readonly line: number } | null = null;
  #hasUnnamed = false;
  readonly #cache = new Map<string, Currencies | null>();

  constructor(
    used: readonly PlannedColumn[],
    private readonly hints: CurrencyHints,
    private readonly ignored: readonly PlannedColumn[],
  ) {
    const places = columnPlaces(used);
    this.#column = places.currency;
    this.#amounts = AMOUNT_FIELDS.flatMap((field) => {
      const column = used.find((one) => one.field === field);
      return column === undefined ? [] : [{ at: column.index, byName: currenciesInName(column.name) }];
    });
    const all = this.#amounts.flatMap(({ byName }) => (byName === null ? [] : [byName]));
    this.#byNames = all.length === 0 ? null : commonCurrencies(all);
  }

  read(line: number, cells: readonly string[], mark: string | null): CurrencyRead {
    const cell = plainText(cells[this.#column] ?? '');
    const byCell = cell === '' ? null : this.#currenciesOf(cell);
    if (cell !== '' && byCell === null)
      return fault(`${excerpt(cell)} is not a currency: leave the column out of --map, and add --currency`);
    const byMark = mark === null ? null : (this.#currenciesOf(mark) ?? []);
    const all = [byCell, byMark, this.#byNameOf(cells)].filter((one) => one !== null);
    const unevenRead = byCell === null ? this.#checkUneven(line, mark ?? '') : null;
    const read = unevenRead ?? (all.length === 0 ? this.#ofFile() : this.#narrow(all, cell || (mark ?? '')));
    return 'value' in read ? (this.#checkIgnored(cells, read.value) ?? read) : read;
  }

  #checkIgnored(cells: readonly string[], value: string | null): CurrencyRead | null {
    if (this.hints.flag !== null) return null;
    for (const { index, name } of this.ignored) {
      const cell = plainText(cells[index] ?? '');
      const candidates = cell === '' ? null : this.#currenciesOf(cell);
      const [one, second] = candidates ?? [];
      if (candidates === null || (one !== undefined && second === undefined && one === value)) continue;
      if (value === null && one !== undefined && second === undefined) return { value: one };
      const how = 'say currency=COLUMN in --map, or --currency';
      return doubt(`${excerpt(name)} says ${excerpt(cell)}, and is not looked at: ${how}`);
    }
    return null;
  }

  problemOf(text: string): string | null {
    if (!this.#hasUnnamed || this.hints.flag !== null) return null;
    const mentions = currenciesIn(text);
    if (mentions.length === 0) return null;
    const read = this.#ofFile();
    const candidates =
      'value' in read && read.value !== null ? commonCurrencies([[read.value], ...mentions]) : [];
    if (candidates.length === 1) return null;
    return `says ${currencyNames(commonCurrencies(mentions))}, and payments name no currency: --currency says which`;
  }

  #checkUneven(line: number, text: string): CurrencyRead | null {
    if (this.#byNames !== null || this.hints.flag !== null) return null;
    const mark = text.toLowerCase().replace(/[.\s]/g, '');
    this.#first ??= { mark, line };
    const firstMark = this.#first.mark;
    const isCertain = [mark, firstMark].every((one) => this.#currenciesOf(one)?.length === 1);
    if (mark === firstMark || isCertain) return null;
    const [markText = '', firstText = ''] = [mark, firstMark].map((one) => one || 'no symbol');
    const how = mark === '' || firstMark === '' ? '; where all are in one, --currency says which' : '';
    return fault(`has ${markText} beside its amount, and line ${this.#first.line} has ${firstText}${how}`);
  }

  #narrow(all: readonly Currencies[], what: string): CurrencyRead {
    const candidates = commonCurrencies(all);
    const isUnknown = all.every(({ length }) => length === 0);
    if (candidates.length === 0 && !isUnknown)
      return fault(`is ${all.map(currencyNames).join(', and ')} stands beside the amount`);
    const [one, second] = candidates;
    if (one !== undefined && second === undefined) return { value: one };
    const { flag, labelMentions } = this.hints;
    const labelled = commonCurrencies([candidates, ...labelMentions.map((mention) => mention.candidates)]);
    if (labelled.length === 1) return { value: labelled[0] ?? null };
    if (flag !== null && (isUnknown || labelled.includes(flag))) return { value: flag };
    const text = what === '' ? 'the name of its column' : excerpt(what);
    if (flag !== null) return fault(`${text} is ${currencyNames(candidates)}, and --currency says ${flag}`);
    return doubt(`${text} may be ${currencyNames(candidates)}: --currency says which`);
  }

  #ofFile(): CurrencyRead {
    const { flag, labelMentions, textMentions } = this.hints;
    this.#hasUnnamed = true;
    const hints = labelMentions.length > 0 ? labelMentions : textMentions;
    if (hints.length === 0) return { value: null };
    if (labelMentions.length === 0 && flag !== null) return { value: null };
    const candidates = commonCurrencies(hints.map((hint) => hint.candidates));
    const isKnown = hints.every((hint) => hint.candidates.length > 0);
    if (isKnown && candidates.length === 1) return { value: candidates[0] ?? null };
    if (flag !== null && (candidates.includes(flag) || !isKnown)) return { value: flag };
    const texts = hints.map(({ text }) => excerpt(text)).join(' and ');
    return doubt(`${texts} may be ${currencyNames(candidates)}: --currency says what the amounts are in`);
  }

  #currenciesOf(text: string): Currencies | null {
    let candidates = this.#cache.get(text);
    if (candidates !== undefined) return candidates;
    candidates = currenciesOf(text);
    if (this.#cache.size < CACHED_TEXTS_MAX) this.#cache.set(text, candidates);
    return candidates;
  }

  #byNameOf(cells: readonly string[]): Currencies | null {
    const filled = this.#amounts.filter(({ at }) => /[1-9]/.test(cells[at] ?? ''));
    return (filled.length === 1 ? filled[0]?.byName : undefined) ?? this.#byNames;
  }
}

function currenciesInName(name: string): Currencies | null {
  const mentions = currenciesIn(name, /\p{L}\P{L}+\p{L}/u.test(name));
  return mentions.length === 0 ? null : commonCurrencies(mentions);
}

function fault(problem: string): CurrencyRead {
  return { problem, isDoubt: false };
}

function doubt(problem: string): CurrencyRead {
  return { problem, isDoubt: true };
}

const CURRENCY_LABEL =
  /\b(?:moneda|divisa|currency|moeda|ccy)\b[^:=]{0,40}[:=]?\s*|\b(?:mon|curr?|div)\.?\s*[:=]\s*/i;

export function currencyHintsOf({ above, header, columns }: Layout, flag: string | null) {
  const unusedNames = header.filter((name) => !columns.some((column) => column.name === name));
  return {
    flag,
    labelMentions: above.flatMap(({ cells }) => labelledCurrencies(cells)),
    textMentions: [...above.map(({ cells }) => cells.join(' ')), ...unusedNames].flatMap((text) =>
      currenciesIn(text).map((candidates) => ({ candidates, text: text.trim() })),
    ),
  };
}

function labelledCurrencies(cells: readonly string[]): readonly CurrencyMention[] {
  return cells.flatMap((cell, at) => {
    const label = CURRENCY_LABEL.exec(cell);
    if (label === null) return [];
    const rest = cell.slice(label.index + label[0].length).trim();
    const endsInColon = /[:=]\s*$/.test(label[0]);
    const nextCell = cells.slice(at + 1).find((other) => other.trim() !== '') ?? '';
    const value = rest === '' ? nextCell.trim() : rest;
    const mentions = currenciesIn(value, true);
    const candidates = mentions.length === 0 ? currenciesOf(value) : commonCurrencies(mentions);
    if (candidates === null && !(endsInColon && value !== '')) return [];
    return [{ candidates: candidates ?? [], text: rest === '' ? `${cell.trim()} ${value}` : cell.trim() }];
  });
}

interface CurrencyMention {
  readonly candidates: Currencies;
  readonly text: string;
}
