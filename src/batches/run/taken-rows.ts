import type { OperationFacts } from '../../contract/operation-facts.js';
import type { Moment } from '../../contract/moment.js';
import type { Clock } from '../../runtime/clock.js';
import { isOneOf, isUncertain, NEVER_SENT, type RowState } from '../../storage/batches/row-state.js';
import type { Batch, BatchStore } from '../../storage/batches/batch-store.js';
import { PLANNED_STATUS } from '../../storage/batches/records.js';
import type { ClaimedRow, RenewedRow, RowResult, RowStatus, TakenRows } from '../../storage/batches/row.js';
import type { Gate } from './gate.js';

const BLOCK_ROWS = 256;
const RESULTS_MAX = 2 * BLOCK_ROWS;
export const BLOCK_MS = 100;
const FLUSH_MS = 100;
const ANSWERED_ROWS_MAX = 4 * BLOCK_ROWS;
const LOOK_INTERVAL_MS = 250;

/** `doubtedOperation` is the operation in the row's answer, if it may belong to another row. */
export interface HandedRow {
  readonly row: ClaimedRow;
  readonly doubtedOperation: OperationFacts | null;
}

export interface AnsweredRow {
  readonly row: ClaimedRow;
  readonly operation: OperationFacts;
  readonly result: RowResult;
}

export interface RowsInHandOptions {
  readonly batch: Batch;
  readonly store: Pick<BatchStore, 'exchange' | 'renew'>;
  readonly clock: Clock;
  readonly moment: () => Moment;
  readonly gate: Pick<Gate, 'isClosed' | 'wait'>;
  readonly states: readonly RowState[];
  readonly rowNumbers?: readonly number[] | undefined;
  readonly findHeldRows: (answeredRows: readonly AnsweredRow[]) => Promise<readonly ClaimedRow[]>;
  readonly firstClaimSize: number;
  readonly claimSizeMax: number;
}

/** Records a row as `intent` before it is handed out, because a crash must not hide that the row may have been sent. */
export class RowsInHand {
  readonly #options: RowsInHandOptions;
  #rows: ClaimedRow[] = [];
  #nextRows: TakenRows = [];
  #results: RowResult[] = [];
  #answeredRows: AnsweredRow[] = [];
  #currentCheck: Promise<void> | null = null;
  #doubtedRows: HandedRow[] = [];
  #replannedRows: RenewedRow[] = [];
  replannedCount = 0;
  #claimSize: number;
  #fetchedAtMs: number;
  #lastNumber = -1;
  #claimedCount = 0;
  #isAtEnd = false;
  #isWaiting = false;
  #flushedAtMs: number;
  #lastWork: Promise<void> = Promise.resolve();
  #currentFetch: Promise<void> | null = null;
  #failure: { readonly reason: unknown } | null = null;

  constructor(options: RowsInHandOptions) {
    this.#options = options;
    this.#claimSize = Math.min(options.firstClaimSize, options.claimSizeMax, BLOCK_ROWS);
    this.#flushedAtMs = options.clock.monotonic();
    this.#fetchedAtMs = this.#flushedAtMs;
  }

  async next(): Promise<HandedRow | null> {
    while (this.#isEmpty && !this.#isAtEnd) {
      await this.#fetch();
      if (this.#isWaiting && this.#options.gate.isClosed) break;
    }
    if (this.#failure !== null) throw this.#failure.reason;
    if (this.#isEmpty) await this.#checkAllHolders();
    const handedRow = this.#handNextRow();
    // Ignores a failed fetch, because the next call throws its failure.
    if (this.#nextRows.length === 0) this.#fetch().catch(() => undefined);
    return handedRow;
  }

  async addResult(row: ClaimedRow, rowStatus: RowStatus, operation: OperationFacts | null): Promise<void> {
    const result = resultOf(row, rowStatus);
    if (operation === null) this.#results.push(result);
    else this.#answeredRows.push({ row, operation, result });
    await this.#flushIfDue();
  }

  async #flushIfDue(): Promise<void> {
    const isDue = this.#options.clock.monotonic() - this.#flushedAtMs >= FLUSH_MS;
    const check = this.#answeredRows.length >= BLOCK_ROWS || isDue ? this.#checkHolders() : null;
    if (this.#results.length < RESULTS_MAX && !isDue) return;
    if (this.#results.length === 0) await check;
    await this.#runInTurn(() => this.#flush());
  }

  async planAgain(row: RenewedRow): Promise<void> {
    this.#results.push({ ...PLANNED_STATUS, number: row.number, sentAtMs: null });
    this.#replannedRows.push({ ...row, stateBefore: 'planned' });
    this.replannedCount += 1;
    await this.#flushIfDue();
  }

  async end(): Promise<void> {
    await this.#currentFetch?.catch(() => undefined);
    if (this.#failure !== null) throw this.#failure.reason;
    this.#isAtEnd = true;
    await this.#checkAllHolders();
    for (let handedRow = this.#handNextRow(); handedRow !== null; handedRow = this.#handNextRow()) {
      const { row, doubtedOperation } = handedRow;
      const state = doubtedOperation !== null || row.stateBefore === 'intent' ? 'unknown' : row.stateBefore;
      this.#results.push(resultOf(row, { ...PLANNED_STATUS, state }));
    }
    await this.#runInTurn(() => this.#flush());
  }

  get #isEmpty(): boolean {
    return this.#rows.length + this.#nextRows.length + this.#doubtedRows.length === 0;
  }

  #handNextRow(): HandedRow | null {
    const doubtedRow = this.#doubtedRows.shift();
    if (doubtedRow !== undefined) return doubtedRow;
    if (this.#rows.length === 0) [this.#rows, this.#nextRows] = [[...this.#nextRows], []];
    const row = this.#rows.shift();
    return row === undefined ? null : { row, doubtedOperation: null };
  }

  /** Calls run one after the other, because two claims at once would take the same rows. */
  #runInTurn(work: () => Promise<void>): Promise<void> {
    const ownWork = this.#lastWork.then(work);
    this.#lastWork = ownWork.catch(() => undefined);
    return ownWork;
  }

  #fetch(): Promise<void> {
    if (this.#isAtEnd) return Promise.resolve();
    const fetch = (): Promise<void> =>
      this.#isWaiting ? this.#lookLater() : this.#runInTurn(() => this.#claimRows());
    this.#currentFetch ??= fetch().finally(() => (this.#currentFetch = null));
    return this.#currentFetch;
  }

  /** Answers are recorded before the pause, because two runs with unrecorded results would wait for each other. */
  async #lookLater(): Promise<void> {
    const { gate } = this.#options;
    await this.#checkAllHolders();
    await this.#runInTurn(() => this.#flush());
    await gate.wait(LOOK_INTERVAL_MS);
    if (!gate.isClosed) await this.#runInTurn(() => this.#claimRows());
  }

  async #claimRows(): Promise<void> {
    const { clock, moment: momentNow, states, rowNumbers: allNumbers } = this.#options;
    const moment = momentNow();
    const nowMs = moment.serviceMs ?? clock.now();
    const rowNumbers = allNumbers?.slice(this.#claimedCount, this.#claimedCount + this.#claimSize);
    this.#claimedCount += this.#claimSize;
    const claim = { after: this.#lastNumber, count: this.#claimSize, states, rowNumbers, nowMs, moment };
    if (this.#answeredRows.length >= ANSWERED_ROWS_MAX) await this.#checkHolders();
    const rows = await this.#exchange(claim);
    void this.#checkHolders();
    this.#isWaiting = rows.length === 0 && rows.othersHaveRows === true;
    this.#isAtEnd = rows.length === 0 && !this.#isWaiting && this.#claimedCount >= (allNumbers?.length ?? 0);
    // Takes the maximum, because rows of a dead run may have lower numbers than the last claim.
    this.#lastNumber = Math.max(this.#lastNumber, rows.at(-1)?.number ?? -1);
    this.#claimSize = this.#nextClaimSize();
    this.#nextRows = rows;
  }

  #nextClaimSize(): number {
    const { clock, firstClaimSize, claimSizeMax } = this.#options;
    const sinceLastClaimMs = clock.monotonic() - this.#fetchedAtMs;
    this.#fetchedAtMs = clock.monotonic();
    const isSlow = sinceLastClaimMs > 2 * BLOCK_MS;
    const growth = Math.max(1, Math.min(2, BLOCK_MS / sinceLastClaimMs));
    const count = Math.ceil(this.#claimSize * (isSlow ? 0.5 : growth));
    return Math.min(Math.max(count, firstClaimSize), claimSizeMax, BLOCK_ROWS);
  }

  #checkHolders(): Promise<void> {
    const checkAnswered = async (): Promise<void> => {
      const answeredRows = this.#answeredRows;
      this.#answeredRows = [];
      const heldRows = await this.#options.findHeldRows(answeredRows).catch((reason: unknown) => {
        this.#failure ??= { reason };
        throw reason;
      });
      for (const { row, operation, result } of answeredRows)
        if (heldRows.includes(row)) this.#doubtedRows.push({ row, doubtedOperation: operation });
        else this.#results.push(result);
    };
    if (this.#answeredRows.length > 0)
      this.#currentCheck ??= checkAnswered().finally(() => (this.#currentCheck = null));
    // Marks the rejection as handled, because `#failure` keeps it for the next call.
    this.#currentCheck?.catch(() => undefined);
    return this.#currentCheck ?? Promise.resolve();
  }

  async #checkAllHolders(): Promise<void> {
    while (this.#answeredRows.length > 0 || this.#currentCheck !== null) await this.#checkHolders();
  }

  async #flush(): Promise<void> {
    if (this.#results.length > 0) await this.#exchange(null);
  }

  async #exchange(claim: Parameters<BatchStore['exchange']>[2]): Promise<TakenRows> {
    if (this.#failure !== null) throw this.#failure.reason;
    const { store, batch } = this.#options;
    const [results, replannedRows] = [this.#results, this.#replannedRows];
    [this.#results, this.#replannedRows] = [[], []];
    try {
      const rows = await store.exchange(batch.id, results, claim);
      if (replannedRows.length > 0) await store.renew(batch.id, replannedRows);
      this.#flushedAtMs = this.#options.clock.monotonic();
      return rows;
    } catch (reason) {
      // No exchange may follow a failed one, because its reads may show rows that never reached the disk.
      this.#failure = { reason };
      throw reason;
    }
  }
}

function resultOf(row: ClaimedRow, rowStatus: RowStatus): RowResult {
  const wasNeverSent = isOneOf(NEVER_SENT, rowStatus.state);
  if (isUncertain(row.stateBefore) && wasNeverSent)
    throw new TypeError('a row that may have been carried out was about to be recorded as never sent');
  return { number: row.number, ...rowStatus, sentAtMs: wasNeverSent ? null : row.sentAtMs };
}
