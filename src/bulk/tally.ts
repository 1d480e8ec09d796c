/** The books of a batch: rows and exact money by currency and state, and the invariant that both always add up. */
import { fromMinor } from '../contract/money.js';
import { Failure } from '../runtime/failure.js';
import { COUNT_OF, COUNTS, SKIPPED_PENDING, type Count, type RowState } from './row-state.js';
import type { BatchTotals } from './store/batch.js';
import type { TallyEntry } from './store/row.js';

/** Rows and minor units. */
export interface Amounts {
  readonly rows: number;
  readonly minor: bigint;
}

/**
 * Confirmed, earlier, pending, failed, rejected, unknown and not sent are all rows, in count and in money.
 * @throws Failure `local_state` where they are not: nothing more may be sent
 */
export function assertBalanced(
  totals: Pick<BatchTotals, 'rows' | 'currencies'>,
  tally: readonly TallyEntry[],
): void {
  const sums = new Map([...totals.currencies.keys()].map((currency) => [currency, { rows: 0, minor: 0n }]));
  for (const { currency, rows, minor } of tally) {
    const sum = sums.get(currency) ?? { rows: 0, minor: 0n };
    sums.set(currency, { rows: sum.rows + rows, minor: sum.minor + minor });
  }
  let all = 0;
  for (const [currency, { rows, minor }] of sums) {
    const planned = totals.currencies.get(currency);
    if (planned?.rows !== rows || planned.minor !== minor) throw unbalanced(currency);
    all += rows;
  }
  if (all !== totals.rows) throw unbalanced('the rows');
}

/** How many rows stand at each state; states without rows are left out. */
export function stateCounts(tally: readonly TallyEntry[]): Partial<Record<RowState, number>> {
  const counts: Partial<Record<RowState, number>> = {};
  for (const { state, rows } of tally) counts[state] = (counts[state] ?? 0) + rows;
  return counts;
}

/** The word of the summary that counts rows of an entry. A payment that is pending still makes nobody paid, whoever has sent it. */
export function countOf({ state, reason }: Pick<TallyEntry, 'state' | 'reason'>): Count {
  return state === 'earlier' && reason === SKIPPED_PENDING ? 'pending' : COUNT_OF[state];
}

/** How many pending rows there are for each reason: that of the service, or ours. */
export function pendingReasons(tally: readonly TallyEntry[]): Record<string, number> {
  const reasons = new Map<string, number>();
  for (const { reason, rows } of tally)
    if (reason !== null) reasons.set(reason, (reasons.get(reason) ?? 0) + rows);
  return Object.fromEntries(reasons);
}

/** How many rows stand at each word of the summary, every word of it there. */
export function counts(tally: readonly TallyEntry[]): Record<Count, number> {
  const sums = Object.fromEntries(COUNTS.map((count) => [count, 0])) as Record<Count, number>;
  for (const entry of tally) sums[countOf(entry)] += entry.rows;
  return sums;
}

/** By currency: its total and what became of it, as decimal strings. */
export function moneyByCurrency(
  { currencies }: Pick<BatchTotals, 'currencies'>,
  tally: readonly TallyEntry[],
): Record<string, Record<Count | 'total', string>> {
  const money = [...currencies].map(([currency, { decimals, minor }]) => {
    const sumOf = (count: Count): bigint =>
      tally
        .filter((entry) => entry.currency === currency && countOf(entry) === count)
        .reduce((sum, entry) => sum + entry.minor, 0n);
    const members = COUNTS.map((count) => [count, fromMinor(sumOf(count), decimals)] as const);
    return [currency, { total: fromMinor(minor, decimals), ...Object.fromEntries(members) }] as const;
  });
  return Object.fromEntries(money) as Record<string, Record<Count | 'total', string>>;
}

function unbalanced(what: string): Failure {
  return new Failure(
    'local_state',
    `The books of the batch do not balance (${what}): the store does not hold what was planned. Nothing more was sent. Keep the file of ` +
      'the store for whoever looks into it.',
    { code: 'unbalanced' },
  );
}

/** Rows and exact money by currency of the entries that are chosen. */
export function totalsWhere(
  { currencies }: Pick<BatchTotals, 'currencies'>,
  tally: readonly TallyEntry[],
  chosen: (state: RowState) => boolean,
): ReadonlyMap<string, { readonly rows: number; readonly total: string }> {
  const totals = [...currencies].flatMap(([currency, { decimals }]) => {
    const mine = tally.filter((entry) => entry.currency === currency && chosen(entry.state));
    const rows = mine.reduce((sum, entry) => sum + entry.rows, 0);
    const minor = mine.reduce((sum, entry) => sum + entry.minor, 0n);
    return rows === 0 ? [] : [[currency, { rows, total: fromMinor(minor, decimals) }] as const];
  });
  return new Map(totals);
}

/** True where the chosen entries come to more than they did, in rows or in money of any currency. */
export function isMore(
  now: readonly TallyEntry[],
  before: readonly TallyEntry[],
  chosen: (state: RowState) => boolean,
): boolean {
  const sumOf = (tally: readonly TallyEntry[], currency: string): Amounts =>
    tally
      .filter((entry) => entry.currency === currency && chosen(entry.state))
      .reduce((sum, { rows, minor }) => ({ rows: sum.rows + rows, minor: sum.minor + minor }), {
        rows: 0,
        minor: 0n,
      });
  return now.some(({ currency }) => {
    const [is, was] = [sumOf(now, currency), sumOf(before, currency)];
    return is.rows > was.rows || is.minor > was.minor;
  });
}
