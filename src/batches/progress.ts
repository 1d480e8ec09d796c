import { fromMinor, toMinor } from '../contract/money.js';
import { COUNT_OF, SKIPPED_AS_PAID, isOneOf, SENDABLE } from '../storage/batches/row-state.js';
import type { BatchTotals, Batch } from '../storage/batches/batch.js';
import { sumOf } from '../storage/batches/tally.js';
import type { ClaimedRow, RowStatus, TallyEntry } from '../storage/batches/row.js';

export interface BatchProgress {
  /** If machines share the batch, this counts all its rows, not only those of this run. */
  readonly rows: number;
  done: number;
  /** The rows in `done` that ended before this run. */
  readonly before: number;
  /** The rows in `done` that this run has ended. */
  own: number;
  /** Rows that are neither confirmed nor pending. */
  problems: number;
  /** The money of confirmed and pending rows, in minor units by currency. */
  readonly money: Map<string, bigint>;
}

type Currencies = BatchTotals['currencies'];

export type RowEnd = Pick<RowStatus, 'state' | 'code'>;

export function addMoney(
  progress: BatchProgress,
  currencies: Currencies,
  row: Pick<ClaimedRow, 'currency' | 'amount'>,
  { state, code }: RowEnd,
): void {
  progress.done += 1;
  progress.own += 1;
  // Another batch counts the money of a row that was skipped as paid.
  if (state === 'earlier' && code === SKIPPED_AS_PAID) return;
  const count = COUNT_OF[state];
  if (count !== 'confirmed' && count !== 'pending') {
    progress.problems += 1;
    return;
  }
  const minor = toMinor(row.amount, currencies.get(row.currency)?.decimals ?? 0) ?? 0n;
  progress.money.set(row.currency, (progress.money.get(row.currency) ?? 0n) + minor);
}

export interface ProgressPart {
  readonly name: 'share' | 'rows' | 'money' | 'problems' | 'rate' | 'time';
  readonly text: string;
}

interface ProgressLine {
  readonly bar: { readonly cells: number; readonly done: number } | null;
  readonly parts: readonly ProgressPart[];
}

const GAP = '  ';
const BAR_MAX = 30;
const BAR_MIN = 6;
const MARK_WIDTH = 2;
/** The order in which parts are dropped on a narrow terminal. */
const DROPPED: readonly ProgressPart['name'][] = ['rate', 'share', 'time', 'money', 'problems'];

/** `columns` is null if the output is no terminal. `waits` is true while svc polls the sent rows. */
export function progressLine(
  progress: BatchProgress,
  currencies: Currencies,
  elapsedMs: number,
  { columns, waits }: { readonly columns: number | null; readonly waits: boolean },
): ProgressLine {
  const { rows, done, before, own, problems, money } = progress;
  const share = rows === 0 ? 1 : Math.min(1, done / rows);
  const perSecond = elapsedMs === 0 ? 0 : (own / elapsedMs) * 1000;
  const ofAll = elapsedMs === 0 ? 0 : ((done - before) / elapsedMs) * 1000;
  const sums = [...money].map(
    ([currency, minor]) => `${currency} ${fromMinor(minor, currencies.get(currency)?.decimals ?? 0)}`,
  );
  const isOpen = ofAll > 0 && done < rows;
  const remaining = `${timeText((rows - done) / ofAll)} left`;
  const part = (name: ProgressPart['name'], text: string): ProgressPart[] =>
    text === '' ? [] : [{ name, text }];
  let parts: readonly ProgressPart[] = [
    ...part('share', `${Math.floor(share * 100)} %`),
    ...part('rows', `${done}/${rows} rows${waits ? ' final' : ''}`),
    ...part('money', sums.join(GAP)),
    ...part('problems', problems === 0 ? '' : problems === 1 ? '1 problem' : `${problems} problems`),
    ...part('rate', waits ? '' : `${perSecond.toFixed(perSecond < 10 ? 1 : 0)}/s`),
    ...part('time', waits ? `${timeText(elapsedMs / 1000)} so far` : isOpen ? remaining : ''),
  ];
  if (columns === null) return { bar: null, parts };
  const lengthOf = ({ name, text }: ProgressPart): number =>
    GAP.length + text.length + (name === 'problems' ? MARK_WIDTH : 0);
  const roomFor = (kept: typeof parts): number =>
    columns - 1 + GAP.length - kept.reduce((sum, one) => sum + lengthOf(one), 0);
  for (const name of DROPPED) {
    if (roomFor(parts) >= BAR_MIN + GAP.length) break;
    parts = parts.filter((one) => one.name !== name);
  }
  const cells = Math.min(BAR_MAX, roomFor(parts) - GAP.length);
  const bar = cells < BAR_MIN ? null : { cells, done: Math.floor(share * cells) };
  if (bar !== null || roomFor(parts) >= 0) return { bar, parts };
  const width = Math.max(0, columns - 1);
  return { bar, parts: parts.map(({ name, text }) => ({ name, text: text.slice(0, width) })) };
}

function timeText(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

export class ProgressOfAll implements BatchProgress {
  readonly rows: number;
  readonly before: number;
  readonly money = new Map<string, bigint>();
  readonly #currencies: Batch['currencies'];
  /** Rows that this run has ended, but that a later run must send again. */
  #open = 0;
  done = 0;
  own = 0;
  problems = 0;

  constructor({ rows, currencies }: Pick<Batch, 'rows' | 'currencies'>, tally: readonly TallyEntry[]) {
    this.rows = rows;
    this.#currencies = currencies;
    this.setCounts(tally);
    this.before = this.done;
  }

  /** A row that ends during the count is missing until the next call. */
  setCounts(tally: readonly TallyEntry[]): void {
    const settled = tally.filter(({ state }) => !isOneOf(SENDABLE, state));
    this.done = sumOf(settled, () => true).rows + this.#open;
    this.problems = sumOf(settled, (entry) => !entry.isSkipped && !isPaid(entry)).rows + this.#open;
    for (const [currency] of this.#currencies) {
      const { rows, minor } = sumOf(settled, (entry) => entry.currency === currency && isPaid(entry));
      if (rows > 0) this.money.set(currency, minor);
    }
  }

  add(row: Pick<ClaimedRow, 'currency' | 'amount'>, end: RowEnd): void {
    if (isOneOf(SENDABLE, end.state)) this.#open += 1;
    addMoney(this, this.#currencies, row, end);
  }
}

function isPaid({ state }: TallyEntry): boolean {
  return COUNT_OF[state] === 'confirmed' || COUNT_OF[state] === 'pending';
}
