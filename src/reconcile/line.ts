/** The types of the two sides of a comparison: a line of a ledger or statement, and an operation. */
import type { Direction } from '../contract/operation.js';
import type { OperationFacts } from '../contract/operation-facts.js';

export interface LedgerLine {
  /** The line in the file where it begins, from 1. */
  readonly line: number;
  readonly id: string | null;
  readonly reference: string | null;
  readonly bankReference: string | null;
  /** The direction by its column; null without such a column. */
  readonly direction: Direction | null;
  /** The sign of the amount. If any amount of the file is negative, the sign gives the direction of lines whose `direction` is null. */
  readonly isNegative: boolean;
  /** ISO 4217, in capitals. */
  readonly currency: string | null;
  /** A decimal string without a sign. */
  readonly amount: string;
  /** `YYYY-MM-DD`. */
  readonly date: string | null;
}

/** The compared members of an operation. */
export interface ComparedOperation extends Pick<
  OperationFacts,
  'id' | 'status' | 'reference' | 'bankReference' | 'currency' | 'amount'
> {
  readonly direction: Direction;
  /** The day of confirmation, else of the event, else of creation; `YYYY-MM-DD`. */
  readonly date: string | null;
}

/** Returns the direction of a line by its column, else by its sign if the file has negative amounts. A null direction is not compared. */
export function directionOf(
  { direction, isNegative }: Pick<LedgerLine, 'direction' | 'isNegative'>,
  hasNegatives: boolean,
): Direction | null {
  if (direction !== null || !hasNegatives) return direction;
  return isNegative ? 'payout' : 'payin';
}
