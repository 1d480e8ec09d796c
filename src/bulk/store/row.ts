/** A row: as it is planned, taken, recorded, shown, and known to other batches. */
import type { Moment } from '../../contract/moment.js';
import type { StoredOperation } from '../../contract/operation-facts.js';
import type { RowState } from '../row-state.js';

/** Where a row stands, and why. */
export interface Standing extends StoredOperation {
  readonly state: RowState;
  /** The service's code, or ours. */
  readonly code: string | null;
  /** What a person may want to read about it. */
  readonly detail: string | null;
}

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
  readonly follows: string | null;
  readonly generation: number;
  readonly key: string;
  /** The text whose UTF-8 bytes leave. */
  readonly body: string;
  readonly seal: Uint8Array;
  /** Equal for all spellings of a reference. */
  readonly referenceMark: Uint8Array;
  /** Equal account and amount. */
  readonly twinMark: Uint8Array;
  /** Where it stands, if a payment stands for it, or keeps it from being sent; null where it is to be sent. */
  readonly earlier: Standing | null;
}

/** What of a row must not change between the plan and the sending, beside its body. */
export type SealedRow = Pick<
  PlannedRow,
  'number' | 'line' | 'reference' | 'currency' | 'amount' | 'follows' | 'generation' | 'key'
>;

/** A row in hand: durable as intent, and not sent yet in this run. */
export interface ClaimedRow extends SealedRow {
  /** The exact bytes that leave. */
  readonly body: Uint8Array;
  readonly before: RowState;
  /** When these bytes may first have left, in milliseconds of the service's time; for a row that never left: now. */
  readonly sentAtMs: number;
  /** The same by every clock that was there. */
  readonly left: Moment;
  /** Its moment at the rate of the batch, by the monotonic clock of this machine; null or absent where several share no rate. */
  readonly leavesAtMs?: number | null;
}

/** Rows in their order. An array is one. */
export interface TakenRows extends Iterable<ClaimedRow> {
  readonly length: number;
  /** From the end where it is negative. */
  at(index: number): ClaimedRow | undefined;
  /** True where none was free and others hold some: what becomes of those is worth another look. */
  readonly others?: boolean;
}

export interface RowResult extends Standing {
  readonly number: number;
  /** When its bytes may first have left; null where it is certain that it was not carried out. */
  readonly sentAtMs: number | null;
  /** Where the row stood when this was found out about it; only for a row that is not in hand. */
  readonly before?: RowState;
}

export interface ShownRow extends Omit<RowResult, 'before'>, SealedRow {
  /** In hexadecimal. */
  readonly twinMark: string;
}

/** A row of another batch with the same reference, or none of this one's. */
export interface OtherRow extends StoredOperation {
  readonly batch: string;
  /** Null where it was never proved. */
  readonly company: string | null;
  readonly line: number;
  /** The mark that was asked for, in hexadecimal. */
  readonly referenceMark: string;
  /** In hexadecimal. */
  readonly twinMark: string;
  readonly currency: string;
  readonly amount: string;
  readonly state: RowState;
  readonly follows: string | null;
  readonly generation: number;
  readonly sentAtMs: number | null;
  /** As its batch says it with `--new-since`. */
  readonly sinceMs: number | null;
}

/** Rows and money in one state, for one reason. */
export interface TallyEntry {
  readonly currency: string;
  readonly state: RowState;
  /** True for `earlier` rows that the caller asked to leave out. */
  readonly isSkipped: boolean;
  /** Why `accepted` rows are pending, in the service's word; null where it gave none, and for every other state. */
  readonly reason: string | null;
  readonly rows: number;
  readonly minor: bigint;
}

export interface Claim {
  /** Behind this number; -1 from the beginning. */
  readonly after: number;
  readonly count: number;
  readonly states: readonly RowState[];
  /** Only rows with these numbers; all unless given. */
  readonly only?: readonly number[] | undefined;
  /** In milliseconds of the service's time, as well as it is known. */
  readonly nowMs: number;
  /** The same by every clock that is there. */
  readonly moment: Moment;
}

/** Two rows of a plan that are one too many. */
export interface ReferencePair {
  readonly line: number;
  readonly reference: string;
  readonly otherLine: number;
  readonly otherReference: string;
}

export type RenewedRow = Omit<ClaimedRow, 'sentAtMs' | 'left'> & Pick<PlannedRow, 'seal'>;

/** What a person decided about a row that needed it. */
export interface Decided {
  readonly number: number;
  /** Which of the row's keys it is about. */
  readonly generation: number;
  readonly decision: 'operation' | 'not_paid';
  readonly state: RowState;
  readonly operation: string | null;
  /** Wall-clock milliseconds. */
  readonly decidedAtMs: number;
}

export interface Holder extends Pick<PlannedRow, 'line' | 'key'>, Pick<OtherRow, 'batch' | 'referenceMark'> {
  readonly operation: string;
}
