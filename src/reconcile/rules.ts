import type { Direction } from '../contract/operation.js';

/** `VES:0.01`: amounts of that currency may differ by this amount. */
export interface Tolerance {
  readonly currency: string;
  readonly amount: string;
}

/** `VES:0.5%`: a line may differ from its operation by this share of the operation's amount, up or down. */
export interface Fee {
  readonly currency: string;
  readonly percent: string;
}

export interface MatchRules {
  /** The only direction to compare; null: both. The caller must not add operations of the contrary direction. */
  readonly direction: Direction | null;
  /** The currency of lines that name none. Default (null): the only one on the service's side. */
  readonly currency: string | null;
  readonly tolerances: readonly Tolerance[];
  readonly fees: readonly Fee[];
  readonly days: number;
  /** Both days are inclusive, `YYYY-MM-DD`. */
  readonly from: string | null;
  readonly to: string | null;
}

export function toleranceText({ currency, amount }: Tolerance): string {
  return `${currency}:${amount}`;
}

export function feeText({ currency, percent }: Fee): string {
  return `fee ${currency}:${percent}%`;
}

export function daysText(days: number): string {
  return days === 1 ? '1 day' : `${days} days`;
}
