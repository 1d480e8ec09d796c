/** Which lines were paid, by a status column: what says that it was not is taken out, and what nobody knows is asked about. */
import { plainText } from '../../sheet/amount.js';
import { excerpt } from '../../sheet/words.js';
import type { PlannedColumn } from './plan.js';
import { isRefusal, statusByAnswer, statusOf, type PaymentStatus, type StatusWords } from './status-words.js';

const WORDS_KEPT = 20;

export type StatusRead =
  | { readonly kind: 'paid' }
  /** And what its column says, for people. */
  | { readonly kind: 'unpaid'; readonly why: string }
  | { readonly kind: 'unknown'; readonly problem: string };

const PAID: StatusRead = { kind: 'paid' };

export class Statuses {
  readonly #own: PlannedColumn | null;
  readonly #leftOut: readonly PlannedColumn[];
  readonly #words: StatusWords;
  readonly #unpaid = new Set<string>();
  readonly #known = new Map<string, PaymentStatus | null>();

  /** @param leftOut columns that are one by their names, which are not looked at: only what was surely not paid is a question there */
  constructor(columns: readonly PlannedColumn[], words: StatusWords, leftOut: readonly PlannedColumn[]) {
    this.#own = columns.find(({ field }) => field === 'status') ?? null;
    this.#leftOut = leftOut;
    this.#words = words;
  }

  /** The words that took a line out, as they stand there: the first of them. */
  get unpaid(): readonly string[] {
    return [...this.#unpaid];
  }

  read(cells: readonly string[]): StatusRead {
    const read = this.#own === null ? PAID : this.#ownOf(cells, this.#own);
    if (read.kind !== 'paid') return read;
    for (const column of this.#leftOut) {
      if (this.#statusIn(cells, column) !== 'unpaid') continue;
      const how = 'say status=COLUMN in --map, and paid=WORD where such lines were paid';
      return { kind: 'unknown', problem: `${said(cells, column)}, and is not looked at: ${how}` };
    }
    return PAID;
  }

  /** The same few words stand in all lines. */
  #statusIn(cells: readonly string[], { index, name }: PlannedColumn): PaymentStatus | null {
    const cell = cells[index] ?? '';
    const key = `${String(index)} ${cell}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const status = (isRefusal(name) ? statusByAnswer : statusOf)(plainText(cell), this.#words);
    if (this.#known.size < WORDS_KEPT) this.#known.set(key, status);
    return status;
  }

  #ownOf(cells: readonly string[], column: PlannedColumn): StatusRead {
    const status = this.#statusIn(cells, column);
    if (status === 'paid') return PAID;
    if (status === null) {
      const how = 'in --map say paid=WORD or unpaid=WORD, several as WORD|WORD, or leave status out';
      return {
        kind: 'unknown',
        problem: `${said(cells, column)}, which says neither paid nor not paid: ${how}`,
      };
    }
    if (this.#unpaid.size < WORDS_KEPT) this.#unpaid.add(plainText(cells[column.index] ?? ''));
    return { kind: 'unpaid', why: `${said(cells, column)}: not paid` };
  }
}

/** `"Estado" says "ANULADO"` */
function said(cells: readonly string[], { index, name }: PlannedColumn): string {
  const column = JSON.stringify(name === '' ? `column ${String(index + 1)}` : name);
  return `${column} says ${excerpt(plainText(cells[index] ?? ''))}`;
}
