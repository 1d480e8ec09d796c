import type { Direction } from '../contract/operation.js';

/** With `VES:0.01`, amounts in VES may differ by up to 0.01. */
export interface Tolerance {
  readonly currency: string;
  readonly amount: string;
}

/** With `VES:0.5%`, a line may differ by up to 0.5 % of the operation's amount. */
export interface Fee {
  readonly currency: string;
  readonly percent: string;
}

export interface MatchRules {
  readonly direction: Direction | null;
  readonly currency: string | null;
  readonly tolerances: readonly Tolerance[];
  readonly fees: readonly Fee[];
  readonly days: number;
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
