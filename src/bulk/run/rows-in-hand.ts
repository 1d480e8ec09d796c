/** The rows that a run has taken. They are durable as intent before they are handed out; results are recorded before more are taken. */
import type { OperationFacts } from '../../contract/operation-facts.js';
import type { Moment } from '../../contract/moment.js';
import type { Clock } from '../../runtime/clock.js';
import { isOneOf, isUncertain, NEVER_SENT, type RowState } from '../row-state.js';
import type { BatchStore } from '../store/batch-store.js';
import type { Batch } from '../store/batch.js';
import { PLANNED_STANDING } from '../store/records.js';
import type { ClaimedRow, RenewedRow, RowResult, Standing, TakenRows } from '../store/row.js';
import type { Gate } from './gate.js';

/** The most rows that are taken at a time. */
const BLOCK_ROWS = 256;
/** So many results wait at the most: those of one block go with the taking of the next, and need no exchange of their own. */
const RESULTS_MAX = 2 * BLOCK_ROWS;
/** What is taken lasts about that long: more at a time where rows end fast, fewer where they do not. */
export const BLOCK_MS = 100;
/** Results are durable after that long, and once nobody else holds their operations, as soon as another row ends. */
const FLUSH_MS = 100;
/** No more rows are taken while as many wait to be asked about. */
const ANSWERED_MAX = 4 * BLOCK_ROWS;
/** Where others hold what is left, what became of it is looked at so often. */
const LOOK_MS = 250;

/** A row to send; or one that was answered with this operation, which something else holds. */
export interface HandedRow {
  readonly row: ClaimedRow;
  readonly doubted: OperationFacts | null;
}

/** A row that was answered with an operation. Thousands wait to be asked about: nothing else of the answer is kept. */
export interface AnsweredRow {
  readonly row: ClaimedRow;
  readonly operation: OperationFacts;
  /** Recorded unless something else holds the operation. */
  readonly result: RowResult;
}

export interface RowsInHandOptions {
  readonly batch: Batch;
  readonly store: Pick<BatchStore, 'exchange' | 'renew'>;
  readonly clock: Clock;
  /** Now, to be kept with what is taken. */
  readonly moment: () => Moment;
  /** A wait for other workers ends when it closes. */
  readonly gate: Pick<Gate, 'isClosed' | 'wait'>;
  /** Which rows are taken. */
  readonly states: readonly RowState[];
  /** Their numbers, in their order, where not all of them are taken. */
  readonly only?: readonly number[] | undefined;
  /** Asked of rows that were answered, before they are recorded; what it names is handed out again. Absent where none can be. */
  readonly heldAmong?: ((answered: readonly AnsweredRow[]) => Promise<readonly ClaimedRow[]>) | undefined;
  /** How many are taken at first; then as many as are sent in a moment. */
  readonly firstCount: number;
  /** Never more than this at a time. */
  readonly countMax: number;
}

export class RowsInHand {
  readonly #options: RowsInHandOptions;
  /** What rows are handed out of, how many were, and what comes behind it. */
  #rows: TakenRows = [];
  #handed = 0;
  #more: TakenRows = [];
  #results: RowResult[] = [];
  #answered: AnsweredRow[] = [];
  #asking: Promise<void> | null = null;
  #doubted: HandedRow[] = [];
  /** Rows that take another key, once their results are recorded. */
  #moved: RenewedRow[] = [];
  /** How many rows were planned again. */
  movedCount = 0;
  #count: number;
  #fetchedAtMs: number;
  #after = -1;
  /** How many of the only numbers were asked for. */
  #asked = 0;
  #isAtEnd = false;
  /** Others hold what is left. */
  #isWaiting = false;
  #flushedAtMs: number;
  #turn: Promise<void> = Promise.resolve();
  #fetching: Promise<void> | null = null;
  #failure: { readonly reason: unknown } | null = null;

  constructor(options: RowsInHandOptions) {
    this.#options = options;
    this.#count = Math.min(options.firstCount, options.countMax, BLOCK_ROWS);
    this.#flushedAtMs = options.clock.monotonic();
    this.#fetchedAtMs = this.#flushedAtMs;
  }

  /** The next row, durable as intent; null where there is none, and none that was answered is doubted. @throws where the store fails: nothing more may be sent */
  async next(): Promise<HandedRow | null> {
    while (this.#isEmpty && !this.#isAtEnd) {
      await this.#fetch();
      if (this.#isWaiting && this.#options.gate.isClosed) break;
    }
    if (this.#failure !== null) throw this.#failure.reason;
    if (this.#isEmpty) await this.#askAll();
    const handed = this.#hand();
    // The next rows are on their way while these are: nobody waits for the disk. The next call hears of a failure.
    if (this.#more.length === 0) this.#fetch().catch(() => undefined);
    return handed;
  }

  /** What became of a row that was handed out. @param operation of its answer, where nobody has asked who holds it */
  async done(row: ClaimedRow, standing: Standing, operation: OperationFacts | null): Promise<void> {
    const result = resultOf(row, standing);
    if (operation === null) this.#results.push(result);
    else this.#answered.push({ row, operation, result });
    await this.#flushIfDue();
  }

  async #flushIfDue(): Promise<void> {
    const isDue = this.#options.clock.monotonic() - this.#flushedAtMs >= FLUSH_MS;
    const asked = this.#answered.length >= BLOCK_ROWS || isDue ? this.#ask() : null;
    if (this.#results.length < RESULTS_MAX && !isDue) return;
    if (this.#results.length === 0) await asked;
    await this.#inTurn(() => this.#flush());
  }

  /** Its key has made a payment from before, and no other sending of it was carried out: it is planned again, under the next key. */
  async moved(row: RenewedRow): Promise<void> {
    this.#results.push({ ...PLANNED_STANDING, number: row.number, sentAtMs: null });
    this.#moved.push({ ...row, before: 'planned' });
    this.movedCount += 1;
    await this.#flushIfDue();
  }

  /** Puts back what was taken and never handed out, and records everything. */
  async end(): Promise<void> {
    await this.#fetching?.catch(() => undefined);
    if (this.#failure !== null) throw this.#failure.reason;
    this.#isAtEnd = true;
    await this.#askAll();
    for (let handed = this.#hand(); handed !== null; handed = this.#hand()) {
      const { row, doubted } = handed;
      const state = doubted !== null || row.before === 'intent' ? 'unknown' : row.before;
      this.#results.push(resultOf(row, { ...PLANNED_STANDING, state }));
    }
    await this.#inTurn(() => this.#flush());
  }

  get #isEmpty(): boolean {
    return this.#handed === this.#rows.length && this.#more.length === 0 && this.#doubted.length === 0;
  }

  #hand(): HandedRow | null {
    const doubted = this.#doubted.shift();
    if (doubted !== undefined) return doubted;
    if (this.#handed === this.#rows.length) [this.#rows, this.#more, this.#handed] = [this.#more, [], 0];
    const row = this.#rows.at(this.#handed) ?? null;
    if (row === null) return null;
    this.#handed += 1;
    return { row, doubted: null };
  }

  /** One after the other: two commits at once would take the same rows. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const mine = this.#turn.then(work);
    this.#turn = mine.catch(() => undefined);
    return mine;
  }

  /** More rows behind those that are left; one such search at a time. */
  #fetch(): Promise<void> {
    if (this.#isAtEnd) return Promise.resolve();
    const take = (): Promise<void> => this.#inTurn(() => this.#take());
    this.#fetching ??= (this.#isWaiting ? this.#lookLater(take) : take()).finally(
      () => (this.#fetching = null),
    );
    return this.#fetching;
  }

  /** What is answered is recorded first: two runs that hold back their results would wait for each other. */
  async #lookLater(take: () => Promise<void>): Promise<void> {
    const { gate } = this.#options;
    await this.#askAll();
    await this.#inTurn(() => this.#flush());
    await gate.wait(LOOK_MS);
    if (!gate.isClosed) await take();
  }

  async #take(): Promise<void> {
    const { clock, moment: momentNow, states, only } = this.#options;
    const moment = momentNow();
    const nowMs = moment.serviceMs ?? clock.now();
    const asked = only?.slice(this.#asked, this.#asked + this.#count);
    this.#asked += this.#count;
    const claim = { after: this.#after, count: this.#count, states, only: asked, nowMs, moment };
    if (this.#answered.length >= ANSWERED_MAX) await this.#ask();
    const rows = await this.#exchange(claim);
    // Nobody waits for that here: a database may be far away.
    void this.#ask();
    this.#isWaiting = rows.length === 0 && rows.others === true;
    this.#isAtEnd = rows.length === 0 && !this.#isWaiting && this.#asked >= (only?.length ?? 0);
    // What a dead run had may stand behind what was taken last.
    this.#after = Math.max(this.#after, rows.at(-1)?.number ?? -1);
    this.#count = this.#nextCount();
    this.#more = rows;
  }

  #nextCount(): number {
    const { clock, firstCount, countMax } = this.#options;
    const lastedMs = clock.monotonic() - this.#fetchedAtMs;
    this.#fetchedAtMs = clock.monotonic();
    // Towards that moment, and never more than twice as many: a database that is far away takes long for whatever it is given.
    const isSlow = lastedMs > 2 * BLOCK_MS;
    const more = Math.max(1, Math.min(2, BLOCK_MS / lastedMs));
    const count = Math.ceil(this.#count * (isSlow ? 0.5 : more));
    return Math.min(Math.max(count, firstCount), countMax, BLOCK_ROWS);
  }

  /** Asks who holds the operations of the rows that were answered by now. What nobody holds is recorded next; the others are handed out again. */
  #ask(): Promise<void> {
    const ask = async (): Promise<void> => {
      const answered = this.#answered;
      this.#answered = [];
      const held = await this.#options.heldAmong?.(answered).catch((reason: unknown) => {
        this.#failure ??= { reason };
        throw reason;
      });
      for (const { row, operation, result } of answered)
        if (held?.includes(row) === true) this.#doubted.push({ row, doubted: operation });
        else this.#results.push(result);
    };
    if (this.#answered.length > 0) this.#asking ??= ask().finally(() => (this.#asking = null));
    // A caller that does not wait for its end hears of a failure all the same.
    this.#asking?.catch(() => undefined);
    return this.#asking ?? Promise.resolve();
  }

  async #askAll(): Promise<void> {
    while (this.#answered.length > 0 || this.#asking !== null) await this.#ask();
  }

  async #flush(): Promise<void> {
    if (this.#results.length > 0) await this.#exchange(null);
  }

  async #exchange(claim: Parameters<BatchStore['exchange']>[2]): Promise<TakenRows> {
    if (this.#failure !== null) throw this.#failure.reason;
    const { store, batch } = this.#options;
    const [results, moved] = [this.#results, this.#moved];
    [this.#results, this.#moved] = [[], []];
    try {
      const rows = await store.exchange(batch.id, results, claim);
      if (moved.length > 0) await store.renew(batch.id, moved);
      this.#flushedAtMs = this.#options.clock.monotonic();
      return rows;
    } catch (reason) {
      // What a disk has once failed to write may look written afterwards: it is never tried again.
      this.#failure = { reason };
      throw reason;
    }
  }
}

function resultOf(row: ClaimedRow, standing: Standing): RowResult {
  const neverCarriedOut = isOneOf(NEVER_SENT, standing.state);
  const wasOpen = isUncertain(row.before) && neverCarriedOut;
  if (wasOpen)
    throw new TypeError('a row that may have been carried out was about to be recorded as never sent');
  return { number: row.number, ...standing, sentAtMs: neverCarriedOut ? null : row.sentAtMs };
}
