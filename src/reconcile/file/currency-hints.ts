/** What titles and the names of other columns say of the currency of a file. Pure. */
import type { CurrencyHints } from './currency-named.js';
import {
  currenciesIn,
  currenciesOf,
  shared,
  type Currencies,
  type CurrencyMention,
} from './currency-words.js';
import type { Layout } from './layout.js';

const LABEL = /\b(?:moneda|divisa|currency|moeda|ccy)\b[^:=]{0,40}[:=]?\s*|\b(?:mon|curr?|div)\.?\s*[:=]\s*/i;

/** @param said `--currency` */
export function currencyHintsOf({ above, header, columns }: Layout, said: string | null): CurrencyHints {
  const others = header.filter((name) => !columns.some((column) => column.name === name));
  return {
    said,
    titled: above.flatMap((cells) => labelledIn(cells)),
    mentioned: [...above.map((cells) => cells.join(' ')), ...others].flatMap(mentionedIn),
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
    const possible = valueOf(value);
    if (possible === null && !(isLabel && value !== '')) return [];
    return [{ possible: possible ?? [], text: inside === '' ? `${cell.trim()} ${value}` : cell.trim() }];
  });
}

function valueOf(value: string): Currencies | null {
  const found = currenciesIn(value, true);
  return found.length === 0 ? currenciesOf(value) : shared(found);
}

function mentionedIn(text: string): readonly CurrencyMention[] {
  return currenciesIn(text).map((possible) => ({ possible, text: text.trim() }));
}
