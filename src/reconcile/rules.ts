/** The rules of a reconciliation, from flags: tolerances and selection. */
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
  /** The dates of a line and its operation may differ by this many days. */
  readonly days: number;
  /** The first and the last day of the comparison (both inclusive), `YYYY-MM-DD`. */
  readonly from: string | null;
  readonly to: string | null;
}

/** Writes a tolerance as in a finding's `tolerances`. */
export function toleranceText({ currency, amount }: Tolerance): string {
  return `${currency}:${amount}`;
}

export function feeText({ currency, percent }: Fee): string {
  return `fee ${currency}:${percent}%`;
}

export function daysText(days: number): string {
  return days === 1 ? '1 day' : `${days} days`;
}
