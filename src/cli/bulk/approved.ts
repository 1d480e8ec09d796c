/** A plan that was found good, and what of its batch may leave under it. Pure. */
import { isOneOf, NEVER_SENT, type RowState, SENDABLE } from '../../bulk/row-state.js';
import type { Batch, KeptSignature } from '../../bulk/store/batch.js';
import type { TallyEntry } from '../../bulk/store/row.js';
import { totalsWhere } from '../../bulk/tally.js';
import type { PlanHead } from '../../guard/plan/spelling.js';
import type { Failure, SentOutcome } from '../../runtime/failure.js';
import { expiredFailure } from './plan-refusals.js';

/** A plan that may be used. */
export interface Approved {
  readonly head: PlanHead;
  /** How many people count: of a plan whose maker is not known one fewer than have approved it. */
  readonly approvals: number;
  /** Somebody else than its maker has approved it: that confirms its total. */
  readonly isVouched: boolean;
  /** Nothing may leave that never left. */
  readonly hasExpired: boolean;
  /** What is to be kept: the maker's signature and those that count, each with whom it counts for; all of them where nobody was asked. */
  readonly signatures: readonly KeptSignature[];
}

/** What may leave once a plan has expired: rows that may have left are settled under their keys. */
const SETTLING = ['intent', 'unknown'] as const satisfies readonly RowState[];

/** Which rows may leave under a plan; all that can be sent where nobody has to approve any. */
export function leavingOf(approved: Approved | undefined): readonly RowState[] {
  return approved?.hasExpired === true ? SETTLING : SENDABLE;
}

/** What says that rows never left and will not, where a plan has expired; null where nothing is left, or it has not. */
export function expiryOf(
  { head, hasExpired }: Approved,
  batch: Batch,
  tally: readonly TallyEntry[],
  outcome: SentOutcome = 'not_sent',
): Failure | null {
  if (!hasExpired) return null;
  const left = totalsWhere(batch, tally, (state) => isOneOf(NEVER_SENT, state));
  return left.size === 0 ? null : expiredFailure(head, left, 'not_sent', outcome);
}
