import type { Moment } from '../../contract/moment.js';
import type { StoredOperation } from '../../contract/operation-facts.js';
import type { RowState } from './row-state.js';

export interface RowStatus extends StoredOperation {
  readonly state: RowState;
  readonly code: string | null;
  readonly detail: string | null;
}

export interface PlannedRow {
  readonly number: number;
  readonly line: number;
  readonly reference: string;
  readonly currency: string;
  readonly amount: string;
  readonly minor: bigint;
  readonly follows: string | null;
  readonly generation: number;
  readonly key: string;
  readonly body: string;
  readonly seal: Uint8Array;
  readonly referenceMark: Uint8Array;
  readonly twinMark: Uint8Array;
  readonly earlier: RowStatus | null;
}

export type SealedRow = Pick<
  PlannedRow,
  'number' | 'line' | 'reference' | 'currency' | 'amount' | 'follows' | 'generation' | 'key'
>;

export interface ClaimedRow extends SealedRow {
  readonly body: Uint8Array;
  readonly stateBefore: RowState;
  /** The service's time of the first sending, or the present time if the row was never sent. */
  readonly sentAtMs: number;
  readonly sentMoment: Moment;
  readonly slotAtMs?: number | null;
}

export type TakenRows = readonly ClaimedRow[] & { readonly othersHaveRows?: boolean };

export interface RowResult extends RowStatus {
  readonly number: number;
  readonly sentAtMs: number | null;
  readonly stateBefore?: RowState;
}

export interface ShownRow extends Omit<RowResult, 'stateBefore'>, SealedRow {
  readonly twinMark: string;
}

type OtherRowPart = Pick<PlannedRow, 'line' | 'currency' | 'amount' | 'follows' | 'generation'>;

export interface OtherRow extends StoredOperation, OtherRowPart {
  readonly batch: string;
  readonly company: string | null;
  readonly referenceMark: string;
  readonly twinMark: string;
  readonly state: RowState;
  readonly sentAtMs: number | null;
  readonly sinceMs: number | null;
}

export interface TallyEntry {
  readonly currency: string;
  readonly state: RowState;
  readonly isSkipped: boolean;
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
