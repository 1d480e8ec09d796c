import { CONTRADICTED } from '../../contract/operation.js';
import { RETRIABLE } from '../../storage/batches/row-state.js';
import { skippedStatus } from '../../payments/known/row-outcome.js';
import type { Batch, BatchStore } from '../../storage/batches/batch-store.js';
import { rowBlocks } from '../../storage/batches/row-blocks.js';
import type { RowResult } from '../../storage/batches/row.js';
import { type EvidenceWorld, paymentsOfRows } from '../../payments/known/evidence.js';
import { splitPayments } from '../../payments/known/payments.js';
import { paymentFacts } from '../../payments/decide.js';

export async function findCorrections(
  batch: Batch,
  world: EvidenceWorld & { readonly store: Pick<BatchStore, 'others' | 'rows'> },
): Promise<{ readonly results: readonly RowResult[]; readonly candidates: readonly string[] }> {
  const results: RowResult[] = [];
  const candidates: string[] = [];
  for await (const rows of rowBlocks((...range) => world.store.rows(batch.id, ...range, RETRIABLE)))
    for (const { row, evidence, payments } of await paymentsOfRows(batch, rows, world)) {
      const { number, reference, sentAtMs, state: stateBefore } = row;
      const laterPayments = splitPayments(payments, batch).blocking.filter(
        ({ operation }) => operation !== null && operation !== row.operation,
      );
      const requests = [...evidence.rows, ...evidence.singles].filter(
        ({ sinceMs }) => sinceMs === null || sinceMs <= (sentAtMs ?? batch.createdAtMs),
      );
      const [payment, ...morePayments] = laterPayments.filter(
        ({ operation, status, source, isOurs }) =>
          isOurs &&
          status !== CONTRADICTED &&
          source.kind !== 'feed' &&
          requests.some((request) => request.operation === operation),
      );
      if (payment !== undefined && morePayments.length === 0)
        results.push({ number, sentAtMs, stateBefore, ...skippedStatus(paymentFacts(payment)) });
      else
        candidates.push(
          ...laterPayments.map(({ operation }) => `${reference} (operation ${String(operation)})`),
        );
    }
  return { results, candidates };
}
