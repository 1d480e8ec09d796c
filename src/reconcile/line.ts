import type { Direction } from '../contract/operation.js';
import type { OperationFacts } from '../contract/operation-facts.js';

export interface LedgerLine {
  /** The line where the record begins, from 1. */
  readonly line: number;
  readonly id: string | null;
  readonly reference: string | null;
  readonly bankReference: string | null;
  readonly direction: Direction | null;
  /** If any amount of the file is negative, the sign gives the direction of lines whose `direction` is null. */
  readonly isNegative: boolean;
  /** An ISO 4217 code in capitals. */
  readonly currency: string | null;
  /** A decimal string without a sign. */
  readonly amount: string;
  /** A day such as `2026-11-22`. */
  readonly date: string | null;
}

export interface ComparedOperation extends Pick<
  OperationFacts,
  'id' | 'status' | 'reference' | 'bankReference' | 'currency' | 'amount'
> {
  readonly direction: Direction;
  /** The day of confirmation, if the operation has one; otherwise the day of its event; otherwise the day it was created. */
  readonly date: string | null;
}

/** A null direction is not compared. */
export function directionOf(
  { direction, isNegative }: Pick<LedgerLine, 'direction' | 'isNegative'>,
  hasNegatives: boolean,
): Direction | null {
  if (direction !== null || !hasNegatives) return direction;
  return isNegative ? 'payout' : 'payin';
}
