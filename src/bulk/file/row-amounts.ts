/** The amounts of a file that is not of the plain form: decimal strings with a point, or why a cell is none. Nothing is guessed. Pure. */
import { AMOUNT_PATTERN } from '../../contract/money.js';
import { plainText, AmountCells, type CellRead } from '../../sheet/amount.js';
import type { DecimalMark } from '../../sheet/forms.js';
import { excerpt } from '../../sheet/words.js';

export class RowAmounts {
  readonly #mark: DecimalMark | null;
  readonly #isSaid: boolean;

  /**
   * @param mark null where no cell that was looked at has decided it
   * @param isSaid whether somebody said it: what stands between thousands is only then left out beside a decimal point
   */
  constructor(mark: DecimalMark | null, isSaid: boolean) {
    this.#mark = mark;
    this.#isSaid = isSaid;
  }

  read(cell: string): CellRead<string> {
    const cells = new AmountCells(this.#mark);
    const read = cells.read(cell);
    if ('problem' in read) return read;
    const { amount, isNegative, mark } = read.value;
    if (mark !== null) return { problem: `${excerpt(cell)} has a currency beside the amount` };
    const isPlain = AMOUNT_PATTERN.test(plainText(cell));
    if (this.#mark === null && cells.mark === 'comma')
      return { problem: `${excerpt(cell)} is ${amount} with --decimal comma` };
    if (this.#mark !== 'comma' && !this.#isSaid && !isPlain && !isNegative)
      return { problem: `${excerpt(cell)} is ${amount} with --decimal point` };
    return { value: isNegative ? `-${amount}` : amount };
  }
}
