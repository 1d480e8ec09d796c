/** A record of a file as a line of a ledger; what in it can't be read is noted with the name of its column. */
import type { Direction } from '../../contract/operation.js';
import type { Problems } from '../../runtime/problems.js';
import type { LedgerLine } from '../line.js';
import { plainText, type ReadAmount, type AmountCells, type CellRead } from '../../sheet/amount.js';
import { shortenedText } from '../../sheet/words.js';
import type { DayCells } from './day.js';
import { directionWord } from './column-words.js';
import { columnPlaces, type LedgerField, type PlannedColumn } from './plan.js';
import { CurrencyNamed, type CurrencyHints } from './currency.js';
import type { SheetRecord } from '../../sheet/records.js';

/** A control character, a line end, or a character that was lost. */
const SPOILED = /[\p{Cc}\p{Cs}\ufffd]/u;
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** How cells of this file are read. */
interface Cells {
  readonly amounts: AmountCells;
  readonly days: DayCells;
  readonly hints: CurrencyHints;
  readonly leftOutCurrencies: readonly PlannedColumn[];
}

interface Sided extends ReadAmount {
  readonly direction: Direction | null;
}

export class LineReader {
  readonly #places: Readonly<Record<LedgerField, number>>;
  readonly #names: ReadonlyMap<LedgerField, string>;
  readonly #cells: Cells;
  readonly #problems: Problems;
  readonly #currencies: CurrencyNamed;
  /** The sign of the first debit, and of the first amount of each direction: banks write all of one kind alike. */
  readonly #signs = new Map<Direction | 'debit', { readonly isNegative: boolean; readonly line: number }>();

  constructor(columns: readonly PlannedColumn[], cells: Cells, problems: Problems) {
    this.#places = columnPlaces(columns);
    this.#names = new Map(columns.map(({ field, name, index }) => [field, name || `column ${index + 1}`]));
    this.#cells = cells;
    this.#problems = problems;
    this.#currencies = new CurrencyNamed(columns, cells.hints, cells.leftOutCurrencies);
  }

  /** Null where something in it can't be read, which is noted. */
  read({ line, cells }: SheetRecord): LedgerLine | null {
    const before = this.#problems.count;
    const at = this.#places;
    const sided = at.amount === -1 ? this.#sided(line, cells) : this.#amount(line, cells);
    const made = {
      line,
      id: this.#id(line, cells),
      reference: this.#text(line, cells, 'reference'),
      bankReference: this.#text(line, cells, 'bank_reference'),
      direction: this.#direction(line, cells, sided) ?? sided?.direction ?? null,
      isNegative: sided?.isNegative ?? false,
      currency: this.#currency(line, cells, sided?.mark ?? null),
      amount: sided?.amount ?? '0',
      date: this.#day(line, cells),
    };
    return this.#problems.count === before ? made : null;
  }

  /** What is wrong with a line that is no payment, once all are read; null for nothing. */
  leftOutProblem(text: string): string | null {
    return this.#currencies.problemOf(text);
  }

  #cell(cells: readonly string[], field: LedgerField): string {
    const at = this.#places[field];
    return at === -1 ? '' : (cells[at] ?? '');
  }

  #note(line: number, field: LedgerField, message: string): null {
    this.#problems.add(line, this.#names.get(field) ?? field, message);
    return null;
  }

  #taken<T>(line: number, field: LedgerField, read: CellRead<T>): T | null {
    return 'value' in read ? read.value : this.#note(line, field, read.problem);
  }

  #amount(line: number, cells: readonly string[]): Sided | null {
    const read = this.#taken(line, 'amount', this.#cells.amounts.read(this.#cell(cells, 'amount')));
    return read === null ? null : { ...read, direction: null };
  }

  #id(line: number, cells: readonly string[]): string | null {
    const text = this.#text(line, cells, 'id');
    return text !== null && UUID.test(text) ? text.toLowerCase() : text;
  }

  #text(line: number, cells: readonly string[], field: LedgerField): string | null {
    const text = plainText(this.#cell(cells, field));
    if (text === '') return null;
    if (SPOILED.test(text))
      return this.#note(line, field, 'holds a control character, a line end or a broken character');
    const shortened = shortenedText(text);
    return shortened === null ? text : this.#note(line, field, shortened);
  }

  #direction(line: number, cells: readonly string[], sided: Sided | null): Direction | null {
    const text = plainText(this.#cell(cells, 'direction'));
    if (text === '') return null;
    const said = directionWord(text);
    if (said === null)
      return this.#note(
        line,
        'direction',
        `${JSON.stringify(text.slice(0, 40))} says no direction; --map may leave the column out`,
      );
    if (sided === null) return said;
    const isOwn = sided.direction === null || sided.direction === said;
    const first = isOwn ? this.#otherSign(line, said, sided) : null;
    const wrong = !isOwn
      ? `is a ${said}, and its amount stands where those of a ${sided.direction} do`
      : first === null
        ? null
        : `is a ${said}, and its amount has another sign than that of line ${first}`;
    return wrong === null ? said : this.#note(line, 'direction', wrong);
  }

  #currency(line: number, cells: readonly string[], mark: string | null): string | null {
    return this.#taken(line, 'currency', this.#currencies.read(line, cells, mark));
  }

  #day(line: number, cells: readonly string[]): string | null {
    const cell = this.#cell(cells, 'date');
    return cell.trim() === '' ? null : this.#taken(line, 'date', this.#cells.days.read(cell));
  }

  /** Debit and credit: two columns of which one is filled. A zero beside what is filled says nothing. */
  #sided(line: number, cells: readonly string[]): Sided | null {
    const before = this.#problems.count;
    const debit = this.#side(line, 'debit', this.#cell(cells, 'debit'));
    const credit = this.#side(line, 'credit', this.#cell(cells, 'credit'));
    if (this.#problems.count > before) return null;
    const [out, into] = [debit?.amount ?? '0', credit?.amount ?? '0'];
    if (out !== '0' && into !== '0') {
      const other = this.#names.get('credit') ?? 'credit';
      return this.#note(line, 'debit', `${out} is in it and ${into} in ${other}: one of both is empty`);
    }
    const [side, direction] =
      into !== '0' || debit === null ? ([credit, 'payin'] as const) : ([debit, 'payout'] as const);
    if (side === null) {
      const field = this.#names.has('debit') ? 'debit' : 'credit';
      return this.#note(line, field, 'is empty: the line has no amount');
    }
    // The column says which way; a line of nothing goes none.
    return { ...side, isNegative: false, direction: side.amount === '0' ? null : direction };
  }

  #side(line: number, field: 'debit' | 'credit', cell: string): ReadAmount | null {
    if (plainText(cell) === '') return null;
    const amount = this.#taken(line, field, this.#cells.amounts.read(cell));
    if (amount === null || amount.amount === '0') return amount;
    if (field === 'credit') return amount.isNegative ? this.#note(line, field, 'is negative') : amount;
    const first = this.#otherSign(line, 'debit', amount);
    return first === null
      ? amount
      : this.#note(line, field, `has another sign than the one of line ${first}`);
  }

  /** The first line of its kind, where the amount there has another sign: it is one that was taken back. A zero has no sign. */
  #otherSign(line: number, kind: Direction | 'debit', { amount, isNegative }: ReadAmount): number | null {
    if (amount === '0') return null;
    const first = this.#signs.get(kind) ?? { isNegative, line };
    this.#signs.set(kind, first);
    return first.isNegative === isNegative ? null : first.line;
  }
}
