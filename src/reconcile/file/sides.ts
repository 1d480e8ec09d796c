/** Debit and credit: two columns of which one is filled, and which of them says where the money goes. */
import type { Direction } from '../../contract/operation.js';
import type { Problems } from '../../runtime/problems.js';
import { plainText, type ReadAmount } from '../../sheet/amount.js';
import type { AmountCells } from '../../sheet/amount-cells.js';
import type { LedgerField } from './plan.js';

export interface Sided extends ReadAmount {
  readonly direction: Direction | null;
}

export class Sides {
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
