import type { Direction } from '../contract/operation.js';

export type Tolerance = Readonly<Record<'currency' | 'amount', string>>;
export type Fee = Readonly<Record<'currency' | 'percent', string>>;

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
