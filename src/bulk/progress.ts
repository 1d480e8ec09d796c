/** How far a run is, in one line: rows, rate, money, time left. Pure. */
import { fromMinor, toMinor } from '../contract/money.js';
import { COUNT_OF, type RowState } from './row-state.js';
import type { BatchTotals, ClaimedRow } from './store/batch-store.js';

export interface Progress {
  /** To be sent. */
  readonly rows: number;
  done: number;
  /** Rows that are neither confirmed nor pending. */
  problems: number;
  /** Confirmed or pending, in minor units by currency. */
  readonly money: Map<string, bigint>;
}

type Currencies = BatchTotals['currencies'];

/** Counts a row that has ended. */
export function addMoney(
  progress: Progress,
  currencies: Currencies,
  row: Pick<ClaimedRow, 'currency' | 'amount'>,
  state: RowState,
): void {
  progress.done += 1;
  const count = COUNT_OF[state];
  if (count !== 'confirmed' && count !== 'pending') {
    progress.problems += 1;
    return;
  }
  const minor = toMinor(row.amount, currencies.get(row.currency)?.decimals ?? 0) ?? 0n;
  progress.money.set(row.currency, (progress.money.get(row.currency) ?? 0n) + minor);
}

/** @param columns the width of the terminal; null where it is none: no bar then */
export function progressText(
  progress: Progress,
  currencies: Currencies,
  elapsedMs: number,
  columns: number | null,
): string {
  const { rows, done, problems, money } = progress;
  const share = rows === 0 ? 1 : done / rows;
  const perSecond = elapsedMs === 0 ? 0 : (done / elapsedMs) * 1000;
  const sums = [...money].map(
    ([currency, minor]) => `${currency} ${fromMinor(minor, currencies.get(currency)?.decimals ?? 0)}`,
  );
  const isOpen = perSecond > 0 && done < rows;
  const parts = {
    rows: [`${done}/${rows} rows`],
    rate: [`${perSecond.toFixed(perSecond < 10 ? 1 : 0)}/s`],
    money: sums,
    problems: problems === 0 ? [] : [`${problems} to look at`],
    time: isOpen ? [`${timeText((rows - done) / perSecond)} left`] : [],
  };
  const textOf = (...dropped: (keyof typeof parts)[]): string =>
    Object.entries({ ...parts, ...Object.fromEntries(dropped.map((name) => [name, []])) })
      .flatMap(([, texts]) => texts)
      .join('  ');
  if (columns === null) return `${Math.floor(share * 100)} %  ${textOf()}`;
  // Where there is no room, what a person can do without goes first, and nothing is cut in the middle.
  const forms = [textOf(), textOf('rate'), textOf('rate', 'time'), textOf('rate', 'time', 'money')];
  const text = forms.find(({ length }) => length < columns) ?? textOf('rate', 'time', 'money', 'problems');
  const width = Math.min(30, columns - text.length - 4);
  if (width < 5) return text.slice(0, Math.max(0, columns - 1));
  const filled = Math.round(share * width);
  return `[${'#'.repeat(filled)}${'.'.repeat(width - filled)}] ${text}`;
}

function timeText(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}
