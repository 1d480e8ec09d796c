/** What a file says of its currency where no column of its own does: the names of the columns of amounts, and symbols, which name none. Pure. */
import { columnPlaces } from './column-places.js';
import type { CellRead } from './cell-reading.js';
import type { PlannedColumn } from './plan.js';

const AMOUNTS = ['amount', 'debit', 'credit'] as const;
const SYMBOL = /[Bb][Ss]|S\/|[A-Za-z]{0,3}\p{Sc}/u;

export class CurrencyNamed {
  /** Of all lines: what the header says. */
  readonly #code: string | null;
  readonly #amounts: readonly number[];
  readonly #isSaid: boolean;
  /** The first line, and the symbol that stands there; empty where none does. */
  #first: { readonly symbol: string; readonly line: number } | null = null;

  /** @param isSaid that lines which name none are all in one */
  constructor(columns: readonly PlannedColumn[], isSaid: boolean) {
    this.#isSaid = isSaid;
    const places = columnPlaces(columns);
    this.#amounts = AMOUNTS.map((field) => places[field]).filter((at) => at !== -1);
    this.#code = codeOfAll(columns.filter(({ index }) => this.#amounts.includes(index)));
  }

  /** Of a line that names none: a symbol names none either, and two of them are two. */
  read(line: number, cells: readonly string[]): CellRead<string | null> {
    if (this.#code !== null) return { value: this.#code };
    const symbol = this.#symbolIn(cells);
    if (symbol === '' && this.#isSaid) return { value: null };
    this.#first ??= { symbol, line };
    if (symbol === this.#first.symbol) return { value: null };
    const [here, there] = [symbol, this.#first.symbol].map((text) => text || 'no symbol');
    const how =
      symbol === '' || this.#first.symbol === '' ? '; where all are in one, --currency says which' : '';
    return { problem: `has ${here} beside its amount, and line ${this.#first.line} has ${there}${how}` };
  }

  #symbolIn(cells: readonly string[]): string {
    for (const at of this.#amounts) {
      const [symbol] = SYMBOL.exec(cells[at] ?? '') ?? [];
      if (symbol !== undefined) return symbol.toLowerCase();
    }
    return '';
  }
}

/** `Importe (USD)`, `MONTO VES`; null where none is called so, or they differ. */
function codeOfAll(columns: readonly PlannedColumn[]): string | null {
  const codes = new Set(columns.map(({ name }) => codeIn(name)));
  const [code = null] = codes;
  return codes.size === 1 ? code : null;
}

function codeIn(name: string): string | null {
  const last = name.match(/[\p{L}\p{N}]+/gu)?.at(-1) ?? '';
  const isBehind = /^[A-Z]{3}$/.test(last) && last !== name.trim();
  return isBehind && Intl.supportedValuesOf('currency').includes(last) ? last : null;
}
