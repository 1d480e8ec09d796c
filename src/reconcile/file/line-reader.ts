/** A record of a file as a line of a ledger; what in it can't be read is noted with the name of its column. */
import type { Direction } from '../../contract/operation.js';
import type { Problems } from '../../runtime/problems.js';
import type { LedgerLine } from '../line.js';
import { plainText, type ReadAmount } from './amount.js';
import type { AmountCells, CellRead, DayCells } from './cell-reading.js';
import { directionWord } from './column-words.js';
import { columnPlaces } from './column-places.js';
import type { LedgerField, PlannedColumn } from './plan.js';
import type { StatementRecord } from './records.js';

/** A control character, a line end, a character that was lost, or a number whose digits are. */
// eslint-disable-next-line no-control-regex -- these are what is looked for
const SPOILED = /[\u0000-\u001f\u007f-\u009f\ufffd\ud800-\udfff]/;
const SHORTENED = /^[0-9]+([.,][0-9]+)?[eE]\+[0-9]+$/;
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** How cells of this file are read. */
export interface Cells {
  readonly amounts: AmountCells;
  readonly days: DayCells;
}

interface Sided extends ReadAmount {
  readonly direction: Direction | null;
}

export class LineReader {
  readonly #places: Readonly<Record<LedgerField, number>>;
  readonly #names: ReadonlyMap<LedgerField, string>;
  readonly #cells: Cells;
  readonly #problems: Problems;
  /** The sign of the first debit that has one, and where it stands: banks write all of them alike. */
  #debits: { readonly isNegative: boolean; readonly line: number } | null = null;

  constructor(columns: readonly PlannedColumn[], cells: Cells, problems: Problems) {
    this.#places = columnPlaces(columns);
    this.#names = new Map(columns.map(({ field, name, index }) => [field, name || `column ${index + 1}`]));
    this.#cells = cells;
    this.#problems = problems;
  }

  /** Null where something in it can't be read, which is noted. */
  read({ line, cells }: StatementRecord): LedgerLine | null {
    const before = this.#problems.count;
    const at = this.#places;
    const sided = at.amount === -1 ? this.#sides(line, cells) : this.#amount(line, cells);
    const made = {
      line,
      id: this.#id(line, cells),
      reference: this.#text(line, cells, 'reference'),
      bankReference: this.#text(line, cells, 'bank_reference'),
      direction: this.#direction(line, cells) ?? sided?.direction ?? null,
      isNegative: sided?.isNegative ?? false,
      currency: this.#currency(line, cells, sided?.currency ?? null),
      amount: sided?.amount ?? '0',
      date: this.#day(line, cells),
    };
    return this.#problems.count === before ? made : null;
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

  /** One of both is filled; a zero beside it says nothing. */
  #sides(line: number, cells: readonly string[]): Sided | null {
    const before = this.#problems.count;
    const debit = this.#side(line, 'debit', this.#cell(cells, 'debit'));
    const credit = this.#side(line, 'credit', this.#cell(cells, 'credit'));
    if (this.#problems.count > before) return null;
    if (debit === null && credit === null)
      return this.#note(
        line,
        this.#places.debit === -1 ? 'credit' : 'debit',
        'is empty: the line has no amount',
      );
    const [out, into] = [debit?.amount ?? '0', credit?.amount ?? '0'];
    if (out !== '0' && into !== '0')
      return this.#note(
        line,
        'debit',
        `${out} is in it and ${into} in ${this.#names.get('credit') ?? 'credit'}: one of both is empty`,
      );
    const [side, direction] =
      into !== '0' || debit === null ? ([credit, 'payin'] as const) : ([debit, 'payout'] as const);
    if (side === null) return null;
    // The column says which way; a line of nothing goes none.
    return { ...side, isNegative: false, direction: side.amount === '0' ? null : direction };
  }

  #side(line: number, field: 'debit' | 'credit', cell: string): ReadAmount | null {
    if (plainText(cell) === '') return null;
    const read = this.#taken(line, field, this.#cells.amounts.read(cell));
    if (read === null || read.amount === '0') return read;
    if (field === 'credit') return read.isNegative ? this.#note(line, field, 'is negative') : read;
    this.#debits ??= { isNegative: read.isNegative, line };
    if (this.#debits.isNegative === read.isNegative) return read;
    return this.#note(line, field, `has another sign than the one of line ${this.#debits.line}`);
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

  #direction(line: number, cells: readonly string[]): Direction | null {
    const text = plainText(this.#cell(cells, 'direction'));
    if (text === '') return null;
    return (
      directionWord(text) ??
      this.#note(line, 'direction', `${JSON.stringify(text.slice(0, 40))} says no direction`)
    );
  }

  #currency(line: number, cells: readonly string[], beside: string | null): string | null {
    const text = plainText(this.#cell(cells, 'currency')).toUpperCase();
    if (text === '') return beside;
    if (!/^[A-Z]{3}$/.test(text))
      return this.#note(
        line,
        'currency',
        `${JSON.stringify(text.slice(0, 40))} is no currency of three letters`,
      );
    if (beside !== null && beside !== text)
      return this.#note(line, 'currency', `is ${text}, and ${beside} stands beside the amount`);
    return text;
  }

  #day(line: number, cells: readonly string[]): string | null {
    const cell = this.#cell(cells, 'date');
    return cell.trim() === '' ? null : this.#taken(line, 'date', this.#cells.days.read(cell));
  }
}
