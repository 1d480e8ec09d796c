/** A record of a file as a line of a ledger; what in it can't be read is noted with the name of its column. */
import type { Direction } from '../../contract/operation.js';
import type { Problems } from '../../runtime/problems.js';
import type { LedgerLine } from '../line.js';
import { plainText, type ReadAmount, type AmountCells, type CellRead } from '../../sheet/amount.js';
import type { DayCells } from './day.js';
import { directionWord } from './column-words.js';
import { columnPlaces, type LedgerField, type PlannedColumn } from './plan.js';
import { CurrencyNamed, type CurrencyHints } from './currency.js';
import type { SheetRecord } from '../../sheet/records.js';

/** A control character, a line end, a character that was lost, or a number whose digits are. */
// eslint-disable-next-line no-control-regex -- these are what is looked for
const SPOILED = /[\u0000-\u001f\u007f-\u009f\ufffd\ud800-\udfff]/;
const SHORTENED = /^[0-9]+([.,][0-9]+)?[eE]\+[0-9]+$/;
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** How cells of this file are read. */
interface Cells {
  readonly amounts: AmountCells;
  readonly days: DayCells;
  readonly hints: CurrencyHints;
  readonly leftOutCurrencies: readonly PlannedColumn[];
}

export class LineReader {
  readonly #places: Readonly<Record<LedgerField, number>>;
  readonly #names: ReadonlyMap<LedgerField, string>;
  readonly #cells: Cells;
  readonly #problems: Problems;
  readonly #sides: Sides;
  readonly #currencies: CurrencyNamed;
  readonly #signs = new DirectionSigns();

  constructor(columns: readonly PlannedColumn[], cells: Cells, problems: Problems) {
    this.#places = columnPlaces(columns);
    this.#names = new Map(columns.map(({ field, name, index }) => [field, name || `column ${index + 1}`]));
    this.#cells = cells;
    this.#problems = problems;
    this.#currencies = new CurrencyNamed(columns, cells.hints, cells.leftOutCurrencies);
    this.#sides = new Sides(this.#names, cells.amounts, problems);
  }

  /** Null where something in it can't be read, which is noted. */
  read({ line, cells }: SheetRecord): LedgerLine | null {
    const before = this.#problems.count;
    const at = this.#places;
    const sided =
      at.amount === -1
        ? this.#sides.read(line, this.#cell(cells, 'debit'), this.#cell(cells, 'credit'))
        : this.#amount(line, cells);
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
    if (SPOILED.test(text) && !(text.isWellFormed() && !/[\p{Cc}\ufffd]/u.test(text)))
      return this.#note(line, field, 'holds a control character, a line end or a broken character');
    if (SHORTENED.test(text))
      return this.#note(
        line,
        field,
        `${text} is a number that a spreadsheet has shortened: its digits are lost`,
      );
    return text;
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
    const wrong =
      sided.direction === null || sided.direction === said
        ? this.#signs.problem(line, said, sided)
        : `is a ${said}, and its amount stands where those of a ${sided.direction} do`;
    return wrong === null ? said : this.#note(line, 'direction', wrong);
  }

  #currency(line: number, cells: readonly string[], mark: string | null): string | null {
    return this.#taken(line, 'currency', this.#currencies.read(line, cells, mark));
  }

  #day(line: number, cells: readonly string[]): string | null {
    const cell = this.#cell(cells, 'date');
    return cell.trim() === '' ? null : this.#taken(line, 'date', this.#cells.days.read(cell));
  }
}

interface Sided extends ReadAmount {
  readonly direction: Direction | null;
}

class Sides {
  readonly #names: ReadonlyMap<LedgerField, string>;
  readonly #amounts: AmountCells;
  readonly #problems: Problems;
  /** The sign of the first debit that has one, and where it stands: banks write all of them alike. */
  #debits: { readonly isNegative: boolean; readonly line: number } | null = null;

  /** @param names of the columns, for what is wrong with them */
  constructor(names: ReadonlyMap<LedgerField, string>, amounts: AmountCells, problems: Problems) {
    this.#names = names;
    this.#amounts = amounts;
    this.#problems = problems;
  }

  /** A zero beside what is filled says nothing. Null where something is wrong, which is noted. */
  read(line: number, debitCell: string, creditCell: string): Sided | null {
    const before = this.#problems.count;
    const debit = this.#side(line, 'debit', debitCell);
    const credit = this.#side(line, 'credit', creditCell);
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
    const read = this.#amounts.read(cell);
    if ('problem' in read) return this.#note(line, field, read.problem);
    const { amount, isNegative } = read.value;
    if (amount === '0') return read.value;
    if (field === 'credit') return isNegative ? this.#note(line, field, 'is negative') : read.value;
    this.#debits ??= { isNegative, line };
    if (this.#debits.isNegative === isNegative) return read.value;
    return this.#note(line, field, `has another sign than the one of line ${this.#debits.line}`);
  }

  #note(line: number, field: LedgerField, message: string): null {
    this.#problems.add(line, this.#names.get(field) ?? field, message);
    return null;
  }
}

class DirectionSigns {
  /** The sign of the first of each direction. */
  readonly #first = new Map<Direction, { readonly isNegative: boolean; readonly line: number }>();

  /** What is wrong with it; null for nothing. A zero has no sign. */
  problem(line: number, direction: Direction, { amount, isNegative }: ReadAmount): string | null {
    if (amount === '0') return null;
    const first = this.#first.get(direction) ?? { isNegative, line };
    this.#first.set(direction, first);
    if (first.isNegative === isNegative) return null;
    return `is a ${direction}, and its amount has another sign than that of line ${first.line}`;
  }
}
