/** The types of a batch's row: when it is planned, taken, recorded, shown, or seen by other batches. */
import type { Moment } from '../../contract/moment.js';
import type { StoredOperation } from '../../contract/operation-facts.js';
import type { RowState } from './row-state.js';

/** The state of a row and its reason. */
export interface RowStatus extends StoredOperation {
  readonly state: RowState;
  /** A code of the service, or of svc. */
  readonly code: string | null;
  /** An explanation for people. */
  readonly detail: string | null;
}

export interface PlannedRow {
  /** The row's number, from 0, in the order of the file. */
  readonly number: number;
  /** The line of the file where the row begins, from 1. */
  readonly line: number;
  readonly reference: string;
  readonly currency: string;
  readonly amount: string;
  /** The amount in minor units, at most 18 digits. */
  readonly minor: bigint;
  readonly follows: string | null;
  readonly generation: number;
  readonly key: string;
  /** The JSON text whose UTF-8 bytes are sent. */
  readonly body: string;
  readonly seal: Uint8Array;
  /** The mark of the reference, which is the same for all spellings of it. */
  readonly referenceMark: Uint8Array;
  /** The twin mark: rows with an equal account and amount have the same. */
  readonly twinMark: Uint8Array;
  /** The row's status if an existing payment counts as its own, or blocks it; null if the row will be sent. */
  readonly earlier: RowStatus | null;
}

/** The members of a row, besides its body, that must not change between plan and sending. */
export type SealedRow = Pick<
  PlannedRow,
  'number' | 'line' | 'reference' | 'currency' | 'amount' | 'follows' | 'generation' | 'key'
>;

/** A taken row: durably in state `intent`, and not sent yet in this run. */
export interface ClaimedRow extends SealedRow {
  /** The exact bytes that leave. */
  readonly body: Uint8Array;
  readonly stateBefore: RowState;
  /** When these bytes may first have left, in milliseconds of the service's time; now for a row that never left. */
  readonly sentAtMs: number;
  /** The time of `sentAtMs` by every clock. */
  readonly sentMoment: Moment;
  /** The row's slot at the shared rate, by this machine's monotonic clock; null or absent without a shared rate. */
  readonly slotAtMs?: number | null;
}

/** Taken rows in their order, for example in an array. */
export interface TakenRows extends Iterable<ClaimedRow> {
  readonly length: number;
  /** Returns a row. A negative index counts from the end. */
  at(index: number): ClaimedRow | undefined;
  /** True if no row was free and other workers have some: look again later. */
  readonly haveOthersRows?: boolean;
}

export interface RowResult extends RowStatus {
  readonly number: number;
  /** When the row's bytes may first have left; null if the row was certainly not carried out. */
  readonly sentAtMs: number | null;
  /** The row's state when this result was found. Set only for a row that this run has not taken. */
  readonly stateBefore?: RowState;
}

export interface ShownRow extends Omit<RowResult, 'stateBefore'>, SealedRow {
  /** The twin mark in hexadecimal. */
  readonly twinMark: string;
}

/** A row of another batch with the same reference. */
export interface OtherRow extends StoredOperation {
  readonly batch: string;
  /** The company of the other batch; null if it was never proved. */
  readonly company: string | null;
  readonly line: number;
  /** The reference mark in hexadecimal. */
  readonly referenceMark: string;
  /** The twin mark in hexadecimal. */
  readonly twinMark: string;
  readonly currency: string;
  readonly amount: string;
  readonly state: RowState;
  readonly follows: string | null;
  readonly generation: number;
  readonly sentAtMs: number | null;
  /** The limit of `--new-since` of the other batch: older payments do not count for it. */
  readonly sinceMs: number | null;
}

/** The rows and money in one state, for one reason. */
export interface TallyEntry {
  readonly currency: string;
  readonly state: RowState;
  /** True for `earlier` rows that the caller asked to leave out. */
  readonly isSkipped: boolean;
  /** The service's reason why `accepted` rows are pending; null without one, and for other states. */
  readonly reason: string | null;
  readonly rows: number;
  readonly minor: bigint;
}

export interface Claim {
  /** Only rows after this number; -1: from the beginning. */
  readonly after: number;
  readonly count: number;
  readonly states: readonly RowState[];
  /** Only rows with these numbers. Default: all. */
  readonly rowNumbers?: readonly number[] | undefined;
  /** The service's time in milliseconds, as well as it is known. */
  readonly nowMs: number;
  /** The present time by every clock. */
  readonly moment: Moment;
}

/** Two rows of a plan with the same reference, or the same account and amount. */
export interface ReferencePair {
  readonly line: number;
  readonly reference: string;
  readonly otherLine: number;
  readonly otherReference: string;
}

export type RenewedRow = Omit<ClaimedRow, 'sentAtMs' | 'sentMoment'> & Pick<PlannedRow, 'seal'>;

/** A person's decision about a row. */
export interface PersonDecision {
  readonly number: number;
  /** The try number of the row's key at the decision. */
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
