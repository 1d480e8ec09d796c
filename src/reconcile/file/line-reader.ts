/** A record of a file as a line of a ledger; what in it can't be read is noted with the name of its column. */
import type { Direction } from '../../contract/operation.js';
import type { Problems } from '../../runtime/problems.js';
import type { LedgerLine } from '../line.js';
import { plainText } from '../../sheet/amount.js';
import type { AmountCells, CellRead } from '../../sheet/amount-cells.js';
import type { DayCells } from './cell-reading.js';
import { directionWord } from './column-words.js';
import { columnPlaces } from './column-places.js';
import { CurrencyNamed, type CurrencyHints } from './currency-named.js';
import { DirectionSigns } from './direction-signs.js';
import type { LedgerField, PlannedColumn } from './plan.js';
import type { SheetRecord } from '../../sheet/records.js';
import { Sides, type Sided } from './sides.js';

/** A control character, a line end, a character that was lost, or a number whose digits are. */
// eslint-disable-next-line no-control-regex -- these are what is looked for
const SPOILED = /[\u0000-\u001f\u007f-\u009f\ufffd\ud800-\udfff]/;
const SHORTENED = /^[0-9]+([.,][0-9]+)?[eE]\+[0-9]+$/;
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** How cells of this file are read. */
export interface Cells {
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
