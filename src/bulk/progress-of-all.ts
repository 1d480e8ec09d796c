/** How far a batch is that several work at: what all of them have done, as the store tells it, and what this run knows before the store does. Pure. */
import { addMoney, type BatchProgress, type RowEnd } from './progress.js';
import { COUNT_OF, isOneOf, SENDABLE } from './row-state.js';
import type { Batch } from './store/batch.js';
import type { ClaimedRow, TallyEntry } from './store/row.js';

export class ProgressOfAll implements BatchProgress {
  readonly rows: number;
  readonly before: number;
  readonly money = new Map<string, bigint>();
  readonly #currencies: Batch['currencies'];
  /** Rows that this run is done with, and that wait for another run. */
  #open = 0;
  done = 0;
  own = 0;
  problems = 0;

  constructor({ rows, currencies }: Pick<Batch, 'rows' | 'currencies'>, tally: readonly TallyEntry[]) {
    this.rows = rows;
    this.#currencies = currencies;
    this.see(tally);
    this.before = this.done;
  }

  /** Takes what the store says now: a row that ended in this very moment is in it the next time. */
  see(tally: readonly TallyEntry[]): void {
    const settled = tally.filter(({ state }) => !isOneOf(SENDABLE, state));
    const counted = (isMeant: (entry: TallyEntry) => boolean): number =>
      settled.filter(isMeant).reduce((sum, { rows }) => sum + rows, 0);
    this.done = counted(() => true) + this.#open;
    this.problems = counted((entry) => !isSkipped(entry) && !isPaid(entry)) + this.#open;
    for (const [currency] of this.#currencies) {
      const mine = settled.filter((entry) => entry.currency === currency && isPaid(entry));
      const minor = mine.reduce((sum, entry) => sum + entry.minor, 0n);
      if (mine.length > 0) this.money.set(currency, minor);
    }
  }

  /** A row of this run has ended. */
  add(row: Pick<ClaimedRow, 'currency' | 'amount'>, end: RowEnd): void {
    if (isOneOf(SENDABLE, end.state)) this.#open += 1;
    addMoney(this, this.#currencies, row, end);
  }
}

function isPaid({ state }: TallyEntry): boolean {
  return COUNT_OF[state] === 'confirmed' || COUNT_OF[state] === 'pending';
}

function isSkipped(entry: TallyEntry): boolean {
  return entry.isSkipped;
}
