/** Looks for what may be the payment of a row that somebody is about to call unpaid: a retry would pay it again. */
import type { BatchStore, ShownRow } from '../store/batch-store.js';
import { Candidates, isMoney } from './candidates.js';
import type { OperationClaims } from './delivery.js';
import type { Feed } from './feed-search.js';

/**
 * Every operation with the row's reference that did not fail, is settled by no row, and is none of those that a person named as other
 * payments. Their age does not count: a clock that is wrong must not hide a payment.
 * @param others ids
 */
export async function findPayments(
  { reference, operation: named }: Pick<ShownRow, 'reference' | 'operation'>,
  store: Pick<BatchStore, 'holders'>,
  feed: Feed,
  others: readonly string[],
): Promise<OperationClaims[]> {
  const candidates = new Candidates();
  for await (const page of feed) {
    for (const operation of page)
      if (operation.reference === reference || operation.id === named) candidates.add(operation);
  }
  const isOther = new Set(others.map((id) => id.toLowerCase()));
  const left: OperationClaims[] = [];
  for (const operation of candidates.all().filter(isMoney)) {
    if (isOther.has(operation.id.toLowerCase())) continue;
    if ((await store.holders(operation.id)).length === 0) left.push(operation);
  }
  return left;
}
