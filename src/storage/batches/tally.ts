import { fromMinor } from '../../contract/money.js';
import { Failure } from '../../runtime/failure.js';
import { COUNT_OF, COUNTS, SKIPPED_PENDING, type Count, type RowState } from './row-state.js';
import type { BatchTotals } from './batch-store.js';
import type { TallyEntry } from './row.js';

export function assertBalanced(
  totals: Pick<BatchTotals, 'rows' | 'currencies'>,
  tally: readonly TallyEntry[],
): void {
  for (const currency of new Set([...totals.currencies.keys(), ...tally.map((entry) => entry.currency)])) {
    const plannedTotal = totals.currencies.get(currency);
    const { rows, minor } = sumOf(tally, (entry) => entry.currency === currency);
    if (plannedTotal?.rows !== rows || plannedTotal.minor !== minor) throw unbalancedFailure(currency);
  }
  if (sumOf(tally, () => true).rows !== totals.rows) throw unbalancedFailure('the rows');
}

export function sumOf(tally: readonly TallyEntry[], isChosen: (entry: TallyEntry) => boolean) {
  const noAmounts = { rows: 0, minor: 0n };
  return tally
    .filter(isChosen)
    .reduce((sum, { rows, minor }) => ({ rows: sum.rows + rows, minor: sum.minor + minor }), noAmounts);
}

export function stateCounts(tally: readonly TallyEntry[]): Partial<Record<RowState, number>> {
  const counts: Partial<Record<RowState, number>> = {};
  for (const { state, rows } of tally) counts[state] = (counts[state] ?? 0) + rows;
  return counts;
}

export function countOf({ state, reason }: Pick<TallyEntry, 'state' | 'reason'>): Count {
  return state === 'earlier' && reason === SKIPPED_PENDING ? 'pending' : COUNT_OF[state];
}

export function pendingReasons(tally: readonly TallyEntry[]): Record<string, number> {
  const reasons = new Map<string, number>();
  for (const { reason, rows } of tally)
    if (reason !== null) reasons.set(reason, (reasons.get(reason) ?? 0) + rows);
  return Object.fromEntries(reasons);
}

export function counts(tally: readonly TallyEntry[]): Record<Count, number> {
  const sums = Object.fromEntries(COUNTS.map((count) => [count, 0])) as Record<Count, number>;
  for (const entry of tally) sums[countOf(entry)] += entry.rows;
  return sums;
}

export function moneyByCurrency(
  { currencies }: Pick<BatchTotals, 'currencies'>,
  tally: readonly TallyEntry[],
): Record<string, Record<Count | 'total', string>> {
  const money = [...currencies].map(([currency, { decimals, minor }]) => {
    const members = COUNTS.map((count) => {
      const sum = sumOf(tally, (entry) => entry.currency === currency && countOf(entry) === count);
      return [count, fromMinor(sum.minor, decimals)] as const;
    });
    return [currency, { total: fromMinor(minor, decimals), ...Object.fromEntries(members) }] as const;
  });
  return Object.fromEntries(money) as Record<string, Record<Count | 'total', string>>;
}

function unbalancedFailure(what: string): Failure {
  const text =
    `The books of the batch do not balance (${what}): the store does not hold what was planned. Nothing more was sent. Keep the file of ` +
    'the store so that the cause can be found.';
  return new Failure('local_state', text, { code: 'unbalanced' });
}

export function totalsWhere(
  { currencies }: Pick<BatchTotals, 'currencies'>,
  tally: readonly TallyEntry[],
  isChosen: (state: RowState) => boolean,
): ReadonlyMap<string, { readonly rows: number; readonly total: string }> {
  const totals = [...currencies].flatMap(([currency, { decimals }]) => {
    const { rows, minor } = sumOf(tally, (entry) => entry.currency === currency && isChosen(entry.state));
    return rows === 0 ? [] : [[currency, { rows, total: fromMinor(minor, decimals) }] as const];
  });
  return new Map(totals);
}
