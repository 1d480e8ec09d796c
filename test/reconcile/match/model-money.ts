import type { ComparedOperation, LedgerLine } from '../../../src/reconcile/line.js';
import type { MatchRules } from '../../../src/reconcile/rules.js';

const DECIMALS = 10;

export function units(amount: string): bigint {
  const [whole = '', fraction = ''] = amount.split('.');
  return BigInt(whole) * 10n ** BigInt(DECIMALS) + BigInt(fraction.padEnd(DECIMALS, '0'));
}

export function money(amount: string | null, currency: string | null): string | null {
  return amount === null || currency === null ? null : `${units(amount)} ${currency}`;
}

export function needed(
  line: Pick<LedgerLine, 'amount' | 'currency' | 'direction'>,
  one: Pick<ComparedOperation, 'amount' | 'currency' | 'direction'>,
  { tolerances, fees }: MatchRules,
): string[] | null {
  if (line.direction !== null && line.direction !== one.direction) return null;
  if (one.amount === null || line.currency === null || line.currency !== one.currency) return null;
  const [mine, its] = [units(line.amount), units(one.amount)];
  const off = mine > its ? mine - its : its - mine;
  const tolerance = tolerances.find(({ currency }) => currency === line.currency);
  const fee = fees.find(({ currency }) => currency === line.currency);
  const most = tolerance === undefined ? 0n : units(tolerance.amount);
  const isFee = (rest: bigint): boolean =>
    fee !== undefined && rest * 100n * units('1') <= its * units(fee.percent);
  if (off === 0n) return [];
  if (tolerance !== undefined && off <= most) return [`${tolerance.currency}:${tolerance.amount}`];
  if (isFee(off)) return [`fee ${fee?.currency}:${fee?.percent}%`];
  if (tolerance !== undefined && isFee(off - most))
    return [`${tolerance.currency}:${tolerance.amount}`, `fee ${fee?.currency}:${fee?.percent}%`];
  return null;
}

export function daysApart(mine: string | null, its: string | null, isSigned = false): number {
  if (mine === null || its === null) return isSigned ? Infinity : 0;
  const days = (Date.parse(its) - Date.parse(mine)) / 86_400_000;
  return isSigned ? days : Math.abs(days);
}
