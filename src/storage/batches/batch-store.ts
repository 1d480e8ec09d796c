/** The store of batches: one interface for SQLite on one machine, and for PostgreSQL with several machines. */
import type { Cluster } from '../postgres/cluster.js';
import type { RowState } from './row-state.js';
import type { Batch, BatchFacts, BatchTotals, ConfirmedTotals, KeptSignature } from './batch.js';
import type {
  Claim,
  ClaimedRow,
  PersonDecision,
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
  /** The number of the last row that was looked at; null if there was none. */
  readonly last: number | null;
}

export interface OperationFilter {
  /** The beginning of the operation's id, in lower case; empty: all. */
  readonly idPrefix: string;
  /** Only operations made at this time or later, or not final when they were last seen. Null: all. */
  readonly sinceMs: number | null;
}

export interface PendingMoney {
  readonly currency: string;
  readonly minor: bigint;
  readonly decimals: number;
}

/** Every method rejects if the store cannot be used, or if its contents are not what was planned: then nothing more may be sent. */
export interface BatchStore {
  /** Begins a plan. Replaces an unfinished plan of the same name. */
  begin(facts: BatchFacts): Promise<number>;
  add(batch: number, rows: readonly PlannedRow[]): Promise<void>;
  /** Returns pairs of rows within a plan: equal references, or equal account and amount with different references. */
  pairs(batch: number, mark: 'reference' | 'twin', limit: number): Promise<ReferencePair[]>;
  /** Returns rows of other batches of the same environment and direction that have one of these references. */
  others(batch: number, referenceMarks: readonly Uint8Array[]): Promise<OtherRow[]>;
  /** Returns a number that grows when a batch is planned or begins to send. A check against other batches holds while the number stays the same. */
  changes(): Promise<number>;
  /** Turns the plan into a batch. False if `changes` has grown since: then nothing is done. */
  finish(batch: number, totals: BatchTotals, seenChanges: number): Promise<boolean>;
  /** Announces that a batch is about to send. False if `changes` has grown since: then nothing is done. */
  announce(seenChanges: number): Promise<boolean>;
  /** Drops a plan, or a batch that nobody needs any more. */
  discard(batch: number): Promise<void>;
  /** Removes the rows whose present try never left. Returns how many. */
  dropUnsent(batch: number): Promise<number>;
  /** Records the confirmed totals, and for a shared batch who confirmed them. The first confirmation stays. */
  confirm(batch: number, nowMs: number, totals: ConfirmedTotals): Promise<void>;
  /** Sets the company, after it was proved or got another name. */
  setCompany(batch: number, company: string): Promise<void>;
  /** Returns the present server if it is another than at the last `trustServer`: acknowledged changes may be lost. Null if it is the same, and for a file. */
  findChangedServer(batch: number): Promise<Cluster | null>;
  /** Ends workers whose lease is over, so that results of their rows can be recorded. Does nothing for a file. */
  endDeadWorkers(batch: number): Promise<void>;
  /** Notes that the batch was checked on this server, so `findChangedServer` returns null. */
  trustServer(batch: number, server: Cluster): Promise<void>;
  /** Adds signatures. Of two with the same bytes the first stays. */
  sign(batch: number, signatures: readonly KeptSignature[]): Promise<void>;
  /** Returns the signatures of the batch's plan file, sorted by the names of their files. */
  signatures(batch: number): Promise<KeptSignature[]>;
  find(name: string): Promise<Batch | null>;
  list(): Promise<Batch[]>;
  /**
   * Joins the workers of the batch. Null for a file, where a lock allows only one run.
   * @throws Failure `locked` if another worker must be alone, or this one must; `unsafe` (`rate_differs`) if others send at another rate
   */
  join(batch: number, mode: JoinMode, terms?: JoinTerms): Promise<Worker | null>;
  /** Machines that work or worked at the batch. Empty for a file. */
  workers(batch: number): Promise<WorkerState[]>;
  /** Returns the settings that all workers of the batch share; null for a file. */
  sharing(batch: number): Promise<BatchSharing | null>;
  /**
   * Records results and takes rows in one commit, durable when this resolves. Taken rows are in state `intent`. A result for a row that another
   * worker has by now is late: it is counted and changes nothing.
   */
  exchange(batch: number, results: readonly RowResult[], claim: Claim | null): Promise<TakenRows>;
  rows(batch: number, after: number, count: number, states?: readonly RowState[]): Promise<ShownRow[]>;
  /** Returns rows whose operation was pending when it was last seen. */
  pendingRows(batch: number, after: number, count: number): Promise<ShownRow[]>;
  operationRows(batch: number, after: number, count: number, filter: OperationFilter): Promise<ShownRow[]>;
  /** Returns the row with that reference in any spelling; null if there is none. */
  rowOfMark(batch: number, referenceMark: Uint8Array): Promise<ShownRow | null>;
  /** Returns rows with their bodies, without taking them. */
  peek(batch: number, claim: Omit<Claim, 'nowMs' | 'moment'>): Promise<ClaimedRow[]>;
  /** Sets rows back to `planned` under another key. Only for rows that ended without paying, or never left. */
  renew(batch: number, rows: readonly RenewedRow[]): Promise<void>;
  /** Records a person's decision and its effect on the row in one commit. Rejects if something else has settled the row with another operation. */
  decide(batch: number, result: RowResult, decision: Omit<PersonDecision, 'generation'>): Promise<void>;
  /** Returns people's decisions, in their order. */
  decisions(batch: number): Promise<PersonDecision[]>;
  /** Returns the rows of all batches that were settled with one of these operations. */
  holders(operations: readonly string[]): Promise<Holder[]>;
  /** True if any row of this company's batches in this environment was ever confirmed. */
  hasConfirmed(environment: Batch['environment'], company: string | null): Promise<boolean>;
  /** Returns the money of pending rows of this company's batches, by currency. */
  pendingMoney(
    environment: Batch['environment'],
    direction: Batch['direction'],
    company: string | null,
  ): Promise<PendingMoney[]>;
  tally(batch: number): Promise<TallyEntry[]>;
  /** Returns the rows with the largest amounts in these states, largest first. */
  largest(batch: number, count: number, states: readonly RowState[]): Promise<ShownRow[]>;
  /** Looks at `count` bodies after a row, and overwrites those of rows in these states. A row with a pending operation keeps its body. */
  dropBodies(
    batch: number,
    states: readonly RowState[],
    after: number,
    count: number,
  ): Promise<DroppedBodies>;
  /** Returns the batches that were planned before `plannedBeforeMs`, and not swept after `sweptUntilMs`. */
  unswept(plannedBeforeMs: number, sweptUntilMs: number): Promise<number[]>;
  /** Notes that all bodies that were not needed at this time are removed. */
  noteSwept(batch: number, nowMs: number): Promise<void>;
  /** Drops plans that were begun before this time and never became batches. */
  dropPlans(beforeMs: number): Promise<void>;
  /** True if a row in one of these states has lost its body. */
  lacksBodies(batch: number, states: readonly RowState[]): Promise<boolean>;
  close(): Promise<void>;
}
