/** A plan that may be used, and which rows of its batch it still allows. Pure. */
import { isOneOf, NEVER_SENT, type RowState, SENDABLE } from '../../bulk/row-state.js';
import type { Batch, KeptSignature } from '../../bulk/store/batch.js';
import type { TallyEntry } from '../../bulk/store/row.js';
import { totalsWhere } from '../../bulk/tally.js';
import type { PlanHead } from '../../guard/plan/spelling.js';
import type { Failure, SentOutcome } from '../../runtime/failure.js';
import { expiredFailure } from './plan-refusals.js';

export interface ApprovedPlan {
  readonly head: PlanHead;
  /** How many people have approved. If the maker is not known, this is one less than the people who signed: one may be the maker. */
  readonly approvals: number;
  /** True if somebody other than the maker approved the plan: then nobody has to confirm the total. */
  readonly isConfirmedByOthers: boolean;
  /** True if the plan has expired: rows that were never sent stay unsent. */
  readonly hasExpired: boolean;
  /** Signatures to store: the maker's and those that count, with their signers. If no approval is needed, all of them, unchecked. */
  readonly signatures: readonly KeptSignature[];
}

/** States of rows that an expired plan still sends: they may have been sent before, and only an answer to the same key shows it. */
const SETTLING_STATES = ['intent', 'unknown'] as const satisfies readonly RowState[];

/** Returns the states of rows that may be sent: `SETTLING_STATES` if the plan has expired, else all sendable ones. */
export function statesToSend(approved: ApprovedPlan | undefined): readonly RowState[] {
  return approved?.hasExpired === true ? SETTLING_STATES : SENDABLE;
}

/** Returns the failure for rows that an expired plan leaves unsent; null if there are none, or the plan has not expired. */
export function expiryFailure(
  { head, hasExpired }: ApprovedPlan,
  batch: Batch,
  tally: readonly TallyEntry[],
  outcome: SentOutcome = 'not_sent',
): Failure | null {
  if (!hasExpired) return null;
  const unsent = totalsWhere(batch, tally, (state) => isOneOf(NEVER_SENT, state));
  return unsent.size === 0 ? null : expiredFailure(head, unsent, 'not_sent', outcome);
}
