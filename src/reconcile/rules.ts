import type { Direction } from '../contract/operation.js';

export interface Tolerance {
  readonly currency: string;
  readonly amount: string;
}

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
