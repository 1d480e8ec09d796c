/** What a person decides about a row that only a person can settle, and whether the service bears it out. Pure. */
import type { RowState } from '../row-state.js';
import type { RowResult, ShownRow } from '../store/batch-store.js';
import { CLOCK_TOLERANCE_MINUTES, isEarlier } from './candidates.js';
import type { OperationClaims } from './delivery.js';
import { judgeOperation } from './verdict.js';

/** `operation`: the row became this one. `not_paid`: it became none. */
export type Decision =
  { readonly kind: 'operation'; readonly operation: OperationClaims } | { readonly kind: 'not_paid' };

/** The only rows that wait for a person: everything else is settled by the service, or sent again. */
export const DECIDABLE = ['needs_review'] as const satisfies readonly RowState[];

/** What the operation has to say of itself, and how the service calls it. */
const NEEDED = {
  amount: 'amount',
  currency: 'currency',
  reference: 'reference',
  createdAt: 'created_at',
} as const satisfies Partial<Record<keyof OperationClaims, string>>;

/**
 * What is recorded about the row; or why the operation can't be this row's. A row that was not paid counts as failed, so that a
 * retry sends it as another operation, with another key.
 * @param when the moment of the decision, as people read it
 */
export function decideRow(
  row: ShownRow,
  decision: Decision,
  when: string,
): RowResult | { readonly refusal: string } {
  const { number, sentAtMs } = row;
  if (decision.kind === 'not_paid') {
    const detail = `A person decided at ${when}: it was not paid.`;
    return { number, sentAtMs, state: 'failed', operation: null, code: 'not_paid', detail };
  }
  const { operation } = decision;
  const silent = (Object.keys(NEEDED) as (keyof typeof NEEDED)[]).find(
    (name) => operation[name] === undefined,
  );
  if (silent !== undefined) return { refusal: `The operation names no ${NEEDED[silent]}.` };
  if (isEarlier(operation, sentAtMs)) return { refusal: earlierText(operation) };
  const verdict = judgeOperation(row, operation);
  if (verdict.state === 'needs_review')
    return { refusal: verdict.detail ?? 'The operation is about another payment.' };
  const detail = `A person decided at ${when}: it is this operation.`;
  return { number, sentAtMs, ...verdict, detail };
}

/** An earlier generation of the row may have failed with the same amount and reference: taken for this one, it would be paid again. */
function earlierText({ createdAt = '' }: OperationClaims): string {
  const tolerance = `${CLOCK_TOLERANCE_MINUTES} minutes are allowed for clocks that differ`;
  return `The operation is of ${createdAt}, from before the row left (${tolerance}): it is another payment, or an earlier try of this row.`;
}
