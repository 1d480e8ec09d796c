/** What a reconciliation comes to as every form of output has it: the sums of the classes, and of both sides. Pure. */
import { sumDecimals } from '../contract/money.js';
import type { ClassSum, Reconciliation } from './finding.js';

/** From when to when both sides were cut, and up to when the service was known, null where nothing says it. */
export interface Compared {
  readonly from: string | null;
  readonly to: string | null;
  readonly knownUntil: string | null;
  /** How many of the matched needed a tolerance. */
  readonly withinTolerance: number;
  /** How many lines of the ledger were taken for no payment: totals, balances, headers that come again. */
  readonly skipped: number;
}

/** The last line of the JSON. */
export function shownSummary(
  result: Reconciliation,
  { from, to, knownUntil, withinTolerance, skipped }: Compared,
) {
  const { agrees, lines, operations, outside, failed, sums } = result;
  return {
    ...{ agrees, lines, operations, outside, skipped, failed, within_tolerance: withinTolerance },
    ...{ from, to, known_until: knownUntil },
    sums: shownSums(sums),
    totals: totalsOf(sums),
  };
}

export function shownSums(sums: readonly ClassSum[]): ClassSum[] {
  return sums.map(({ class: kind, currency, here, there }) => ({ class: kind, currency, here, there }));
}

export type Total = Omit<ClassSum, 'class'>;

/** Each currency over all classes: all lines and all operations that were compared. */
export function totalsOf(sums: readonly ClassSum[]): Total[] {
  const currencies = [...new Set(sums.map(({ currency }) => currency))];
  return currencies.map((currency) => {
    const own = sums.filter((sum) => sum.currency === currency);
    return {
      currency,
      here: added(own.map(({ here }) => here)),
      there: added(own.map(({ there }) => there)),
    };
  });
}

function added(sides: readonly ClassSum['here'][]): ClassSum['here'] {
  return {
    count: sides.reduce((sum, { count }) => sum + count, 0),
    amount: sumDecimals(sides.map(({ amount }) => amount)),
  };
}
