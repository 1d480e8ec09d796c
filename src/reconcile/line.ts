/** A line of a ledger or of a bank's statement, as it was read, with the values that are compared. */
import type { Direction } from '../contract/operation.js';
import type { OperationFacts } from '../contract/operation-facts.js';

export interface LedgerLine {
  /** Where it begins in the file, from 1. */
  readonly line: number;
  readonly id: string | null;
  readonly reference: string | null;
  readonly bankReference: string | null;
  /** Null where no column says it. */
  readonly direction: Direction | null;
  /** What the sign of its amount was; it says a direction where any line of the file is negative. */
  readonly isNegative: boolean;
  /** ISO 4217, in capitals; null where no column says it. */
  readonly currency: string | null;
  /** A decimal string without a sign. */
  readonly amount: string;
  /** `YYYY-MM-DD`; null where no column says it. */
  readonly date: string | null;
}

/** An operation of the service, as far as it is compared. */
export interface ComparedOperation extends Pick<
  OperationFacts,
  'id' | 'status' | 'reference' | 'bankReference' | 'currency' | 'amount'
> {
  readonly direction: Direction;
  /** The day on which it was confirmed, else on which its event or itself came to be; `YYYY-MM-DD`. */
  readonly date: string | null;
}

/**
 * The direction of a line: what its column says, else its sign. In a file without any negative amount a sign says nothing.
 * @returns null where nothing says it: then it is not compared
 */
export function directionOf(
  { direction, isNegative }: Pick<LedgerLine, 'direction' | 'isNegative'>,
  hasNegatives: boolean,
): Direction | null {
  if (direction !== null || !hasNegatives) return direction;
  return isNegative ? 'payout' : 'payin';
}
