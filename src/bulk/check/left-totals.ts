/** What is left of exact totals without some of their rows. Pure. */
import { sumDecimals } from '../../contract/money.js';

/** Of one row. */
export interface RowMoney {
  readonly currency: string;
  /** A decimal string. */
  readonly amount: string;
}

export interface MoneySum {
  readonly rows: number;
  /** A decimal string. */
  readonly total: string;
}

/** Rows and exact money by currency. */
export type LeftTotals = ReadonlyMap<string, MoneySum>;

export function addToLeft(sums: Map<string, MoneySum>, { currency, amount }: RowMoney): void {
  const { rows, total } = sums.get(currency) ?? { rows: 0, total: '0' };
  sums.set(currency, { rows: rows + 1, total: sumDecimals([total, amount]) });
}

/** A currency without rows is left out. Null where nobody knows all of it. */
export function withoutMoney(
  all: LeftTotals | null,
  money: ReadonlyMap<string, MoneySum>,
): LeftTotals | null {
  if (all === null) return null;
  const left = [...all].flatMap(([currency, { rows, total }]) => {
    const mine = money.get(currency) ?? { rows: 0, total: '0' };
    const rest = { rows: rows - mine.rows, total: sumDecimals([total, `-${mine.total}`]) };
    return rest.rows === 0 ? [] : [[currency, rest] as const];
  });
  return new Map(left);
}
