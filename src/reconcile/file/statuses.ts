/** Which lines were paid, by a status column: what says that it was not is taken out, and what nobody knows is asked about. */
import { plainText } from './amount.js';
import { columnPlaces } from './column-places.js';
import type { PlannedColumn } from './plan.js';
import { statusOf, type StatusWords } from './status-words.js';

const TEXT_SHOWN = 40;
const WORDS_KEPT = 20;

export type StatusRead =
  | { readonly kind: 'paid' }
  /** And what its column says, for people. */
  | { readonly kind: 'unpaid'; readonly why: string }
  | { readonly kind: 'unknown'; readonly problem: string };

const PAID: StatusRead = { kind: 'paid' };

export class Statuses {
  readonly #at: number;
  readonly #name: string;
  readonly #words: StatusWords;
  /** Whether `--map` leaves the column out: then only what was surely not paid is a question. */
  readonly #isLeftOut: boolean;
  readonly #unpaid = new Set<string>();

  /** @param leftOut a column that is one by its name, and which `--map` does not name */
  constructor(columns: readonly PlannedColumn[], words: StatusWords, leftOut: PlannedColumn | null) {
    const own = columns.find(({ field }) => field === 'status') ?? null;
    this.#isLeftOut = own === null;
    this.#at = own === null ? (leftOut?.index ?? -1) : columnPlaces(columns).status;
    const name = (own ?? leftOut)?.name ?? '';
    this.#name = name === '' ? `column ${String(this.#at + 1)}` : name;
    this.#words = words;
  }

  /** The words that took a line out, as they stand there: the first of them. */
  get unpaid(): readonly string[] {
    return [...this.#unpaid];
  }

  read(cells: readonly string[]): StatusRead {
    if (this.#at === -1) return PAID;
    const text = plainText(cells[this.#at] ?? '');
    const status = statusOf(text, this.#words);
    if (status === 'paid' || (status === null && this.#isLeftOut)) return PAID;
    const shown = JSON.stringify(text.length > TEXT_SHOWN ? `${text.slice(0, TEXT_SHOWN)}...` : text);
    const name = JSON.stringify(this.#name);
    if (this.#isLeftOut) {
      const how = 'add status=COLUMN to it, and paid=WORD where such lines were paid';
      return { kind: 'unknown', problem: `${name} says ${shown}, and --map leaves it out: ${how}` };
    }
    if (status === null) {
      const how = 'in --map say paid=WORD or unpaid=WORD, several as WORD|WORD, or leave status out';
      return {
        kind: 'unknown',
        problem: `${name} says ${shown}, which says neither paid nor not paid: ${how}`,
      };
    }
    if (this.#unpaid.size < WORDS_KEPT) this.#unpaid.add(text);
    return { kind: 'unpaid', why: `${name} says ${shown}: not paid` };
  }
}
