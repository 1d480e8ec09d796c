import type { Moment } from '../../contract/moment.js';
import type { StoredOperation } from '../../contract/operation-facts.js';
import type { RowState } from './row-state.js';

export interface RowStatus extends StoredOperation {
  readonly state: RowState;
  readonly code: string | null;
  readonly detail: string | null;
}

export interface PlannedRow {
  /** From 0, in the order of the file. */
  readonly number: number;
  readonly line: number;
  readonly reference: string;
  readonly currency: string;
  readonly amount: string;
  /** In minor units, at most 18 digits. */
  readonly minor: bigint;
  readonly follows: string | null;
  readonly generation: number;
  readonly key: string;
  readonly body: string;
  readonly seal: Uint8Array;
  /** A hash of the reference, the same for all its spellings. */
  readonly referenceMark: Uint8Array;
  readonly twinMark: Uint8Array;
  /** Set if an existing payment counts for the row or blocks it. If null, the row will be sent. */
  readonly earlier: RowStatus | null;
}

/** These members must not change between plan and sending. */
export type SealedRow = Pick<
  PlannedRow,
  'number' | 'line' | 'reference' | 'currency' | 'amount' | 'follows' | 'generation' | 'key'
>;

/** A row in state `intent`, not sent yet in this run. */
export interface ClaimedRow extends SealedRow {
  readonly body: Uint8Array;
  readonly stateBefore: RowState;
  /** The time at which the body may first have been sent, in the service's time. For a row that was never sent, it is the present time. */
  readonly sentAtMs: number;
  readonly sentMoment: Moment;
  /** When the shared rate allows this row, by the monotonic clock. */
  readonly slotAtMs?: number | null;
}

export interface TakenRows extends Iterable<ClaimedRow> {
  readonly length: number;
  at(index: number): ClaimedRow | undefined;
  /** True if no row was free, but other workers hold rows that may become free. */
  readonly haveOthersRows?: boolean;
}

export interface RowResult extends RowStatus {
  readonly number: number;
  /** The time at which the row may first have been sent, or null if it was certainly not carried out. */
  readonly sentAtMs: number | null;
  /** The row's state when this result was found. Set only for a row that this run has not taken. */
  readonly stateBefore?: RowState;
}

export interface ShownRow extends Omit<RowResult, 'stateBefore'>, SealedRow {
  readonly twinMark: string;
}

export interface OtherRow extends StoredOperation {
  readonly batch: string;
  /** Null if it is not known which company planned the batch. */
  readonly company: string | null;
  readonly line: number;
  readonly referenceMark: string;
  readonly twinMark: string;
  readonly currency: string;
  readonly amount: string;
  readonly state: RowState;
  readonly follows: string | null;
  readonly generation: number;
  readonly sentAtMs: number | null;
  /** The time from `--new-since`. Older payments do not count for that batch. */
  readonly sinceMs: number | null;
}

export interface TallyEntry {
  readonly currency: string;
  readonly state: RowState;
  /** True for `earlier` rows that the caller asked to skip. */
  readonly isSkipped: boolean;
  /** The service's reason why the rows are pending, or `skipped_pending`. Null without a reason. */
  readonly reason: string | null;
  readonly rows: number;
  readonly minor: bigint;
}

export interface Claim {
  readonly after: number;
  readonly count: number;
  readonly states: readonly RowState[];
  readonly rowNumbers?: readonly number[] | undefined;
  readonly nowMs: number;
  readonly moment: Moment;
}

export interface ReferencePair {
  readonly line: number;
  readonly reference: string;
  readonly otherLine: number;
  readonly otherReference: string;
}

export type RenewedRow = Omit<ClaimedRow, 'sentAtMs' | 'sentMoment'> & Pick<PlannedRow, 'seal'>;

export interface PersonDecision {
  readonly number: number;
  readonly generation: number;
  readonly decision: 'operation' | 'not_paid';
  readonly state: RowState;
  readonly operation: string | null;
  readonly decidedAtMs: number;
}

export interface Holder extends Pick<PlannedRow, 'line' | 'key'>, Pick<OtherRow, 'batch' | 'referenceMark'> {
  readonly operation: string;
}
