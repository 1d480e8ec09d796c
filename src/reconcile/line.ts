import type { Direction } from '../contract/operation.js';
import type { OperationFacts } from '../contract/operation-facts.js';

export interface LedgerLine {
  readonly line: number;
  readonly id: string | null;
  readonly reference: string | null;
  readonly bankReference: string | null;
  readonly direction: Direction | null;
  readonly isNegative: boolean;
  readonly currency: string | null;
  readonly amount: string;
  readonly date: string | null;
}

export interface ComparedOperation extends Pick<
  OperationFacts,
  'id' | 'status' | 'reference' | 'bankReference' | 'currency' | 'amount'
> {
  readonly direction: Direction;
  /** The day of confirmation, or else of the event, or else of creation. */
  readonly date: string | null;
}

export function directionOf(
  { direction, isNegative }: Pick<LedgerLine, 'direction' | 'isNegative'>,
  hasNegatives: boolean,
): Direction | null {
  if (direction !== null || !hasNegatives) return direction;
  return isNegative ? 'payout' : 'payin';
}
