/** The rules of a reconciliation: its tolerances and its selection. Only what was stated holds. */
import type { Direction } from '../contract/operation.js';

/** `VES:0.01`: amounts of the currency may differ by so much. */
export interface Tolerance {
  readonly currency: string;
  /** A decimal string. */
  readonly amount: string;
}

/** `VES:0.5%`: a line may differ from its operation by up to that share of the operation's amount, either way. */
export interface Fee {
  readonly currency: string;
  /** A decimal string, without the sign. */
  readonly percent: string;
}

export interface MatchRules {
  /** The only direction that is compared, of lines that say one; null for both. Operations of the other one are not handed over. */
  readonly direction: Direction | null;
  /** Of lines that name none; null for the only one on the service's side. */
  readonly currency: string | null;
  readonly tolerances: readonly Tolerance[];
  readonly fees: readonly Fee[];
  /** By how many days the dates of a line and its operation may differ. */
  readonly days: number;
  /** The first and the last day that is looked at, `YYYY-MM-DD`. */
  readonly from: string | null;
  readonly to: string | null;
}

/** How a finding names a tolerance that it needed. */
export function toleranceText({ currency, amount }: Tolerance): string {
  return `${currency}:${amount}`;
}

export function feeText({ currency, percent }: Fee): string {
  return `fee ${currency}:${percent}%`;
}

export function daysText(days: number): string {
  return days === 1 ? '1 day' : `${days} days`;
}
