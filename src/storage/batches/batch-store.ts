import type { Environment } from '../../contract/access.js';
import type { Direction } from '../../contract/operation.js';
import type { Cluster } from '../postgres/cluster.js';
import type { RowState } from './row-state.js';
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

export interface BatchApproval {
  readonly head: string;
  readonly digest: string;
  readonly asked: AskedApprovals | null;
}

export interface AskedApprovals {
  readonly approvals: number;
  readonly signers: string | null;
}

export interface KeptSignature {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly signer: string | null;
}

export interface BatchFacts {
  readonly name: string;
  readonly direction: Direction;
  readonly environment: Environment;
  readonly address: string;
  readonly origin: string;
  readonly company: string | null;
  readonly sinceMs: number | null;
  readonly profile: string | null;
  readonly keyMask: string;
  readonly file: string;
  readonly createdAtMs: number;
  readonly approval: BatchApproval | null;
}

export interface CurrencyTotal {
  readonly decimals: number;
  readonly rows: number;
  readonly minor: bigint;
}

export interface BatchTotals {
  readonly fileHash: string;
  readonly rows: number;
  readonly currencies: ReadonlyMap<string, CurrencyTotal>;
}

export type ConfirmedTotals = ReadonlyMap<string, { readonly rows: number; readonly total: string }>;

export interface Batch extends BatchFacts, BatchTotals {
  readonly id: number;
  readonly confirmedAtMs: number | null;
  readonly confirmation: { readonly by: string | null; readonly totals: ConfirmedTotals } | null;
}

export interface DroppedBodies {
  readonly dropped: number;
  readonly last: number | null;
}

export interface RowFilter {
  readonly idPrefix: string;
  readonly sinceMs: number | null;
}

export type PendingMoney = Pick<TallyEntry, 'currency' | 'minor'> & Pick<CurrencyTotal, 'decimals'>;

/** If a method of `BatchStore` rejects, nothing more may be sent, because the rows may not be as planned. */
export interface BatchStore {
  begin(facts: BatchFacts): Promise<number>;
  add(batch: number, rows: readonly PlannedRow[]): Promise<void>;
  pairs(batch: number, mark: 'reference' | 'twin', limit: number): Promise<ReferencePair[]>;
  others(batch: number, referenceMarks: readonly Uint8Array[]): Promise<OtherRow[]>;
  /** Returns a number that grows when any batch is planned or announced. */
  changes(): Promise<number>;
  /** Returns false and does nothing if `changes()` is no longer `seenChanges`. */
  finish(batch: number, totals: BatchTotals, seenChanges: number): Promise<boolean>;
  announce(seenChanges: number): Promise<boolean>;
  discard(batch: number): Promise<void>;
  dropUnsent(batch: number): Promise<number>;
  confirm(batch: number, nowMs: number, totals: ConfirmedTotals): Promise<void>;
  setCompany(batch: number, company: string): Promise<void>;
  findChangedServer(batch: number): Promise<Cluster | null>;
  endDeadWorkers(batch: number): Promise<void>;
  trustServer(batch: number, server: Cluster): Promise<void>;
  sign(batch: number, signatures: readonly KeptSignature[]): Promise<void>;
  signatures(batch: number): Promise<KeptSignature[]>;
  find(name: string): Promise<Batch | null>;
  list(): Promise<Batch[]>;
  join(batch: number, mode: JoinMode, terms?: JoinTerms): Promise<Worker | null>;
  workers(batch: number): Promise<WorkerState[]>;
  sharing(batch: number): Promise<BatchSharing | null>;
  exchange(batch: number, results: readonly RowResult[], claim: Claim | null): Promise<TakenRows>;
  rows(batch: number, after: number, count: number, states?: readonly RowState[]): Promise<ShownRow[]>;
  pendingRows(batch: number, after: number, count: number): Promise<ShownRow[]>;
  operationRows(batch: number, after: number, count: number, filter: RowFilter): Promise<ShownRow[]>;
  rowOfMark(batch: number, referenceMark: Uint8Array): Promise<ShownRow | null>;
  peek(batch: number, rows: Pick<Claim, 'states' | 'after' | 'count'>): Promise<ClaimedRow[]>;
  /** Gives rows another idempotency key. Call it only for rows that were not paid, because a new key pays again. */
  renew(batch: number, rows: readonly RenewedRow[]): Promise<void>;
  decide(batch: number, result: RowResult, decision: Omit<PersonDecision, 'generation'>): Promise<void>;
  decisions(batch: number): Promise<PersonDecision[]>;
  holders(operations: readonly string[]): Promise<Holder[]>;
  hasConfirmed(sender: Pick<Batch, 'environment' | 'company'>): Promise<boolean>;
  pendingMoney(sender: Pick<Batch, 'environment' | 'direction' | 'company'>): Promise<PendingMoney[]>;
  tally(batch: number): Promise<TallyEntry[]>;
  largest(batch: number, count: number, states: readonly RowState[]): Promise<ShownRow[]>;
  dropBodies(batch: number, rows: Pick<Claim, 'states' | 'after' | 'count'>): Promise<DroppedBodies>;
  unswept(plannedBeforeMs: number, sweptUntilMs: number): Promise<number[]>;
  noteSwept(batch: number, nowMs: number): Promise<void>;
  dropPlans(beforeMs: number): Promise<void>;
  lacksBodies(batch: number, states: readonly RowState[]): Promise<boolean>;
  close(): Promise<void>;
}
