/** The store of batches: one interface, so that several machines can share one batch on another database. */
import type { Cluster } from '../../state/cluster.js';
import type { RowState } from '../row-state.js';
import type { Batch, BatchFacts, BatchTotals, ConfirmedTotals, KeptSignature } from './batch.js';
import type {
  Claim,
  ClaimedRow,
  Decided,
  Holder,
  OtherRow,
  PlannedRow,
  ReferencePair,
  RenewedRow,
  RowResult,
  ShownRow,
  TakenRows,
  TallyEntry,
} from './row.js';
import type { BatchSharing, JoinMode, JoinTerms, Worker, WorkerState } from './worker.js';

export interface DroppedBodies {
  readonly dropped: number;
  /** The last row that was looked at; null where there was none. */
  readonly last: number | null;
}

export interface OperationRows {
  /** Its id begins with this, in lower case; the empty text for all. */
  readonly beginning: string;
  /** It was made no earlier, or was not final when it was last seen; null for all. */
  readonly sinceMs: number | null;
}

export interface PendingMoney {
  readonly currency: string;
  readonly minor: bigint;
  readonly decimals: number;
}

/**
 * Every method rejects with DatabaseUnusable where the store can't be used, and where what it holds is not what was planned: then
 * nothing more may be sent.
 */
export interface BatchStore {
  /** Begins a plan, in place of an unfinished plan of that name. */
  begin(facts: BatchFacts): Promise<number>;
  add(batch: number, rows: readonly PlannedRow[]): Promise<void>;
  /** Pairs within a plan: equal references, or equal account and amount with different references. */
  pairs(batch: number, mark: 'reference' | 'twin', limit: number): Promise<ReferencePair[]>;
  /** The rows of other batches of the same environment and direction that have one of these references. */
  others(batch: number, referenceMarks: readonly Uint8Array[]): Promise<OtherRow[]>;
  /** Grows with every batch that is planned or begins to send: what was found out about other batches holds while it stays the same. */
  changes(): Promise<number>;
  /** Ends the plan: from now on it is a batch. False, and nothing is done, where another one has changed something since. */
  finish(batch: number, totals: BatchTotals, seenChanges: number): Promise<boolean>;
  /** Says that a batch is about to send. False, and nothing is done, where another one has changed something since. */
  announce(seenChanges: number): Promise<boolean>;
  /** Drops a plan, or a batch of which nothing has to be known any more. */
  discard(batch: number): Promise<void>;
  /** Removes the rows that were never sent; answers how many. */
  dropUnsent(batch: number): Promise<number>;
  /** Keeps what was confirmed, and where machines share it by whom; the first word stays. */
  confirm(batch: number, nowMs: number, totals: ConfirmedTotals): Promise<void>;
  /** The company was proved since, or is another name of the same one. */
  own(batch: number, company: string): Promise<void>;
  /**
   * The server that keeps the batch now, where another one has taken over since nothing was in doubt about it: what was acknowledged may be
   * forgotten. Null where that can't be, as in a file.
   */
  doubt(batch: number): Promise<Cluster | null>;
  /** Ends workers whose lease is over: what is known of their rows can be recorded from then on. Nothing where no machines share it. */
  release(batch: number): Promise<void>;
  /** Nothing is in doubt about the batch any more, as that server keeps it. */
  trust(batch: number, server: Cluster): Promise<void>;
  /** Keeps signatures beside those that are there: of the same bytes, the first stays. */
  sign(batch: number, signatures: readonly KeptSignature[]): Promise<void>;
  /** The signatures of its plan file, by the names of their files. */
  signatures(batch: number): Promise<KeptSignature[]>;
  find(name: string): Promise<Batch | null>;
  list(): Promise<Batch[]>;
  /**
   * Joins the workers of the batch; null where only one can work, and a lock keeps the others out.
   * @throws Failure `locked` when a worker there must be alone, or this one must; `unsafe` (`rate_differs`) when others send at
   *   another rate
   */
  join(batch: number, mode: JoinMode, terms?: JoinTerms): Promise<Worker | null>;
  /** Who works at the batch, and who has; none where only one can. */
  workers(batch: number): Promise<WorkerState[]>;
  /** What holds for all who work at the batch; null where only one can. */
  sharing(batch: number): Promise<BatchSharing | null>;
  /**
   * Records results and takes rows, in one: both are durable when it resolves, and the rows taken stand at `intent`. Where several work at
   * a batch, a result whose row is another's by now is late: it is counted, and changes nothing.
   */
  exchange(batch: number, results: readonly RowResult[], claim: Claim | null): Promise<TakenRows>;
  /** Rows in their order, as they stand. */
  rows(batch: number, after: number, count: number, states?: readonly RowState[]): Promise<ShownRow[]>;
  /** Rows whose operation was pending when it was last seen, in their order. */
  pendingRows(batch: number, after: number, count: number): Promise<ShownRow[]>;
  /** Rows that have an operation, in their order. */
  operationRows(batch: number, after: number, count: number, which: OperationRows): Promise<ShownRow[]>;
  /** The row with that reference in any spelling; null where there is none. */
  rowOfMark(batch: number, referenceMark: Uint8Array): Promise<ShownRow | null>;
  /** The same with the bytes of their bodies; nothing changes. */
  peek(batch: number, claim: Omit<Claim, 'nowMs' | 'moment'>): Promise<ClaimedRow[]>;
  /** To `planned`, under another key: rows that ended without paying, and rows that never left. */
  renew(batch: number, rows: readonly RenewedRow[]): Promise<void>;
  /** Records what a person decided, and what it makes of the row, in one. Nothing may have settled the row, unless with that operation. */
  decide(batch: number, result: RowResult, decided: Omit<Decided, 'generation'>): Promise<void>;
  /** What people decided, in order. */
  decisions(batch: number): Promise<Decided[]>;
  /** The rows of all batches that are settled with one of these operations. */
  holders(operations: readonly string[]): Promise<Holder[]>;
  /** True where a row of this company's batches in this environment was ever confirmed. */
  hasConfirmed(environment: Batch['environment'], company: string | null): Promise<boolean>;
  /** Money of rows of these batches that are pending, by currency. */
  pendingMoney(
    environment: Batch['environment'],
    direction: Batch['direction'],
    company: string | null,
  ): Promise<PendingMoney[]>;
  tally(batch: number): Promise<TallyEntry[]>;
  /** The greatest amounts of rows in these states, greatest first. */
  largest(batch: number, count: number, states: readonly RowState[]): Promise<ShownRow[]>;
  // What forgets the bodies of rows, which hold personal data.
  /** Looks at so many bodies behind that row, and removes those of rows in these states, their bytes too; what is pending keeps its own. */
  dropBodies(
    batch: number,
    states: readonly RowState[],
    after: number,
    count: number,
  ): Promise<DroppedBodies>;
  /** Batches planned before one moment and not swept after the other. */
  unswept(plannedBeforeMs: number, sweptUntilMs: number): Promise<number[]>;
  /** Notes that a batch was swept: no body is left in it that nothing needed then. */
  swept(batch: number, nowMs: number): Promise<void>;
  /** Drops plans that were begun before that moment and never became batches. */
  dropPlans(beforeMs: number): Promise<void>;
  /** True where a row in one of these states has no body any more. */
  lacksBodies(batch: number, states: readonly RowState[]): Promise<boolean>;
  close(): Promise<void>;
}
