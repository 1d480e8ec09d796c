/** The sign of an amount beside a word for its direction: banks write all of one direction alike, and one that is not is taken back. Pure. */
import type { Direction } from '../../contract/operation.js';
import type { ReadAmount } from '../../sheet/amount.js';

export class DirectionSigns {
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
