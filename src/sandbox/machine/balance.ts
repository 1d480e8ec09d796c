/** A company's balance in one currency and what each movement does to it (sections 3 and 2.5). */
import type { LedgerEntry } from './types.js';

/** Minor units; `available` may be negative, for the balance is accounting and not a brake. */
export interface Funds {
  readonly available: bigint;
  readonly reserved: bigint;
}

export const NO_FUNDS: Funds = { available: 0n, reserved: 0n };

/** The balance after one movement. */
export function applyEntry(
  { available, reserved }: Funds,
  { kind, minor }: Pick<LedgerEntry, 'kind' | 'minor'>,
): Funds {
  switch (kind) {
    case 'reserve':
      return { available: available - minor, reserved: reserved + minor };
    case 'release':
      return { available: available + minor, reserved: reserved - minor };
    case 'capture':
      return { available, reserved: reserved - minor };
    case 'credit':
      return { available: available + minor, reserved };
    case 'fee':
      return { available: available - minor, reserved };
  }
}
