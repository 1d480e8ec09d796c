/** The rows a run has taken: durable as intent before they are handed out, their results recorded before more are taken. */
import type { Clock } from '../../runtime/clock.js';
import { isUncertain, SENDABLE } from '../row-state.js';
import type { Batch, BatchStore, ClaimedRow, RowResult } from '../store/batch-store.js';
import { damaged } from '../store/records.js';
import { isIntact } from '../seal.js';
import type { Verdict } from './verdict.js';

/** The most rows that are taken, and the most results that wait, at a time. */
const BLOCK_ROWS = 1024;
/** What is taken lasts about that long: more at a time where rows end fast, fewer where they do not. */
const BLOCK_MS = 100;
/** Results are durable after that long at the latest, as soon as another row ends. */
const FLUSH_MS = 100;

export interface RowsInHandOptions {
  readonly batch: Batch;
  readonly store: Pick<BatchStore, 'exchange'>;
  readonly clock: Clock;
  /** How many are taken at first; then as many as are sent in a moment. */
  readonly firstCount: number;
  /** Never more than this at a time. */
  readonly countMax: number;
}

export class RowsInHand {
  readonly #options: RowsInHandOptions;
  readonly #queue: ClaimedRow[] = [];
  #results: RowResult[] = [];
  #count: number;
  #fetchedAtMs: number;
  #after = -1;
  #isAtEnd = false;
  #flushedAtMs: number;
  #turn: Promise<void> = Promise.resolve();
  #failure: { readonly reason: unknown } | null = null;

  constructor(options: RowsInHandOptions) {
    this.#options = options;
    this.#count = Math.min(options.firstCount, options.countMax, BLOCK_ROWS);
    this.#flushedAtMs = options.clock.monotonic();
    this.#fetchedAtMs = this.#flushedAtMs;
  }

  /** The next row, durable as intent; null where there is none. @throws where the store fails: nothing more may be sent */
  async next(): Promise<ClaimedRow | null> {
    while (this.#queue.length === 0 && !this.#isAtEnd) await this.#inTurn(() => this.#fetch());
    return this.#queue.shift() ?? null;
  }

  /** What became of a row that was handed out. */
  async done(row: ClaimedRow, verdict: Verdict): Promise<void> {
    this.#note(row, verdict);
    const isDue = this.#options.clock.monotonic() - this.#flushedAtMs >= FLUSH_MS;
    if (this.#results.length >= BLOCK_ROWS || isDue) await this.#inTurn(() => this.#flush());
  }

  /** Puts back what was taken and never handed out, and records everything. */
  async end(): Promise<void> {
    for (const row of this.#queue.splice(0)) {
      const state = row.before === 'intent' ? 'unknown' : row.before;
      this.#note(row, { state, operation: null, code: null, detail: null });
    }
    await this.#inTurn(() => this.#flush());
  }

  #note(row: ClaimedRow, verdict: Verdict): void {
    const neverCarriedOut = verdict.state === 'planned' || verdict.state === 'unavailable';
    const wasOpen = isUncertain(row.before) && neverCarriedOut;
    if (wasOpen)
      throw new TypeError('a row that may have been carried out was about to be recorded as never sent');
    this.#results.push({ number: row.number, ...verdict, sentAtMs: neverCarriedOut ? null : row.sentAtMs });
  }

  /** One after the other: two commits at once would take the same rows. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const mine = this.#turn.then(work);
    this.#turn = mine.catch(() => undefined);
    return mine;
  }

  async #fetch(): Promise<void> {
    if (this.#queue.length > 0 || this.#isAtEnd) return;
    const { batch, clock } = this.#options;
    const claim = { after: this.#after, count: this.#count, states: SENDABLE, nowMs: clock.now() };
    const rows = await this.#exchange(claim);
    const broken = rows.find((row) => !isIntact(batch, row));
    if (broken !== undefined) throw damaged(`the row of line ${broken.line} is not what was planned`);
    this.#isAtEnd = rows.length === 0;
    this.#after = rows.at(-1)?.number ?? this.#after;
    this.#count = this.#nextCount();
    this.#queue.push(...rows);
  }

  #nextCount(): number {
    const { clock, firstCount, countMax } = this.#options;
    const lastedMs = clock.monotonic() - this.#fetchedAtMs;
    this.#fetchedAtMs = clock.monotonic();
    const isSlow = lastedMs > 2 * BLOCK_MS;
    const count =
      lastedMs < BLOCK_MS / 2 ? this.#count * 2 : isSlow ? Math.ceil(this.#count / 2) : this.#count;
    return Math.min(Math.max(count, firstCount), countMax, BLOCK_ROWS);
  }

  async #flush(): Promise<void> {
    if (this.#results.length > 0) await this.#exchange(null);
  }

  async #exchange(claim: Parameters<BatchStore['exchange']>[2]): Promise<ClaimedRow[]> {
    if (this.#failure !== null) throw this.#failure.reason;
    const results = this.#results;
    this.#results = [];
    try {
      const rows = await this.#options.store.exchange(this.#options.batch.id, results, claim);
      this.#flushedAtMs = this.#options.clock.monotonic();
      return rows;
    } catch (reason) {
      // What a disk has once failed to write may look written afterwards: it is never tried again.
      this.#failure = { reason };
      throw reason;
    }
  }
}
