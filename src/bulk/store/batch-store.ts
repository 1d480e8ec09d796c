/** The store of batches: one interface, so that several machines can share one batch on another database some day. */
import type { Environment } from '../../contract/access.js';
import type { Direction } from '../../contract/methods.js';
import type { RowState } from '../row-state.js';
import type { BodyStore } from './body-store.js';

/** What a batch is, from its plan on. */
export interface BatchFacts {
  readonly name: string;
  readonly direction: Direction;
  readonly environment: Environment;
  /** What `/v2` is appended to; `embedded` for the sandbox inside. */
  readonly address: string;
  /** Scheme, host and port of it: what the keys are derived from. */
  readonly origin: string;
  /** Null where none was used. */
  readonly profile: string | null;
  /** Who asked: prefix and last four of the API key. */
  readonly keyMask: string;
  /** Absolute path. */
  readonly file: string;
  readonly createdAtMs: number;
}

/** The sum of a currency over all rows, in minor units. */
export interface CurrencyTotal {
  readonly decimals: number;
  readonly rows: number;
  readonly minor: bigint;
}

/** What a plan comes to. */
export interface BatchTotals {
  /** SHA-256 of the file, in hexadecimal. */
  readonly fileHash: string;
  readonly rows: number;
  readonly currencies: ReadonlyMap<string, CurrencyTotal>;
}

export interface Batch extends BatchFacts, BatchTotals {
  readonly id: number;
  /** When a person or script confirmed it; null where none did. */
  readonly confirmedAtMs: number | null;
}

/** A row as it is planned. */
export interface PlannedRow {
  /** From 0, in the order of the file. */
  readonly number: number;
  /** From 1, the first line of the row in the file. */
  readonly line: number;
  readonly reference: string;
  readonly currency: string;
  readonly amount: string;
  /** The same in minor units, at most 18 digits. */
  readonly minor: bigint;
  readonly key: string;
  /** The text whose UTF-8 bytes leave. */
  readonly body: string;
  readonly seal: Uint8Array;
  /** Equal references but for case, spaces and Unicode form. */
  readonly referenceMark: Uint8Array;
  /** Equal counterparty and amount. */
  readonly twinMark: Uint8Array;
}

/** A row in hand: durable as intent, and not sent yet in this run. */
export interface ClaimedRow extends Pick<
  PlannedRow,
  'number' | 'line' | 'reference' | 'currency' | 'amount' | 'key'
> {
  readonly generation: number;
  /** The exact bytes that leave. */
  readonly body: Uint8Array;
  /** Where it stood before it was taken. */
  readonly before: RowState;
  /** When these bytes may first have left, wall-clock milliseconds; for a row that never left: now. */
  readonly sentAtMs: number;
}

/** Rows in their order. An array is one. */
export interface TakenRows extends Iterable<ClaimedRow> {
  readonly length: number;
  /** From the end where it is negative. */
  at(index: number): ClaimedRow | undefined;
}

/** What became of a row. */
export interface RowResult {
  readonly number: number;
  readonly state: RowState;
  /** Null where it is certain that it was not carried out. */
  readonly sentAtMs: number | null;
  readonly operation: string | null;
  readonly code: string | null;
  readonly detail: string | null;
}

/** A row as it is shown. */
export interface ShownRow
  extends RowResult, Pick<PlannedRow, 'line' | 'reference' | 'currency' | 'amount' | 'key'> {}

/** Rows and money in one state. */
export interface TallyEntry {
  readonly currency: string;
  readonly state: RowState;
  readonly rows: number;
  readonly minor: bigint;
}

/** Which rows to take. */
export interface Claim {
  /** Behind this number; -1 from the beginning. */
  readonly after: number;
  readonly count: number;
  readonly states: readonly RowState[];
  readonly nowMs: number;
}

/** Two rows that are one too many. */
export interface Pair {
  readonly line: number;
  readonly reference: string;
  readonly otherLine: number;
  readonly otherReference: string;
  /** The batch of the other row. */
  readonly otherBatch: string;
}

/** What it takes to run a row anew. */
export type Renewed = Pick<ClaimedRow & PlannedRow, 'number' | 'generation' | 'key' | 'seal'>;

/** What a person decided about a row that needed it. */
export interface Decided {
  readonly number: number;
  /** Which of the row's keys it is about. */
  readonly generation: number;
  readonly decision: 'operation' | 'not_paid';
  /** Where the row stands since. */
  readonly state: RowState;
  readonly operation: string | null;
  /** Wall-clock milliseconds. */
  readonly decidedAtMs: number;
}

/** A row that has an operation. */
export interface Holder {
  readonly batch: string;
  readonly line: number;
}

/**
 * Every method rejects with DatabaseUnusable where the store can't be used, and where what it holds is not what was planned: then
 * nothing more may be sent.
 */
export interface BatchStore extends BodyStore {
  /** Begins a plan, in place of an unfinished plan of that name. */
  begin(facts: BatchFacts): Promise<number>;
  add(batch: number, rows: readonly PlannedRow[]): Promise<void>;
  /** Pairs within a plan: equal references, or equal counterparty and amount with different references. */
  pairs(batch: number, mark: 'reference' | 'twin', limit: number): Promise<Pair[]>;
  /** Rows of other batches of the same place and direction with this plan's reference, counterparty and amount, but for what was refused or failed. */
  repeats(batch: number, limit: number): Promise<Pair[]>;
  /** Ends the plan: from now on it is a batch. */
  finish(batch: number, totals: BatchTotals): Promise<void>;
  /** Drops a plan. */
  discard(batch: number): Promise<void>;
  confirm(batch: number, nowMs: number): Promise<void>;
  find(name: string): Promise<Batch | null>;
  list(): Promise<Batch[]>;
  /** Records results and takes rows, in one: both are durable when it resolves, and the rows taken stand at `intent`. */
  exchange(batch: number, results: readonly RowResult[], claim: Claim | null): Promise<TakenRows>;
  /** Rows in their order, as they stand. */
  rows(batch: number, after: number, count: number, states?: readonly RowState[]): Promise<ShownRow[]>;
  /** The same with the bytes of their bodies; nothing changes. */
  peek(batch: number, claim: Omit<Claim, 'nowMs'>): Promise<ClaimedRow[]>;
  /** Back to `planned`, as another generation. */
  renew(batch: number, rows: readonly Renewed[]): Promise<void>;
  /** Records what a person decided, and what it makes of the row, in one. The row has to stand at `needs_review`. */
  decide(batch: number, result: RowResult, decided: Omit<Decided, 'generation'>): Promise<void>;
  /** What people decided, in order. */
  decisions(batch: number): Promise<Decided[]>;
  /** The rows of all batches that are settled with this operation. */
  holders(operation: string): Promise<Holder[]>;
  tally(batch: number): Promise<TallyEntry[]>;
  /** The greatest amounts, greatest first. */
  largest(batch: number, count: number): Promise<ShownRow[]>;
  close(): Promise<void>;
}
