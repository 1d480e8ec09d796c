/** After a failover of the database, rows that were sent may look unsent, because the new server may lack the last commits. */
import { counted } from '../../contract/on-screen.js';
import { matchesPayment } from '../../contract/operation-facts.js';
import { SERVICE_CLOCKS_MS } from '../../contract/limits.js';
import { isoSeconds } from '../../runtime/clock.js';
import { isOneOf, NEVER_SENT, RETRIABLE, SENDABLE } from '../../storage/batches/row-state.js';
import { NO_OPERATION } from '../../payments/known/row-outcome.js';
import type { Batch, BatchStore } from '../../storage/batches/batch-store.js';
import type { RowResult, ShownRow } from '../../storage/batches/row.js';
import { rowBlocks } from '../../storage/batches/row-blocks.js';
import { type EvidenceWorld, paymentsOfRows } from '../../payments/known/evidence.js';
import { isExcluded, type KnownPayment } from '../../payments/known/payments.js';

export interface TakeoverWorld extends EvidenceWorld {
  readonly store: Pick<BatchStore, 'others' | 'rows' | 'exchange' | 'findChangedServer' | 'trustServer'>;
  readonly isRepeatable: (madeMs: number) => boolean;
  readonly signal: AbortSignal;
  readonly note: (text: string) => Promise<void>;
}

const TAKEN_OVER = 'taken_over';

export async function settleTakeover(batch: Batch, world: TakeoverWorld): Promise<void> {
  const { store, knowledge, signal } = world;
  // Reads the server before the check, because the next run must notice another failover during the check.
  const server = await store.findChangedServer(batch.id);
  if (server === null) return;
  await knowledge.bringUpToDate('always');
  let [repeatableCount, reviewCount] = [0, 0];
  const states = [...SENDABLE, ...RETRIABLE];
  for await (const rows of rowBlocks((...range) => store.rows(batch.id, ...range, states))) {
    signal.throwIfAborted();
    const evidenceOfRows = await paymentsOfRows(batch, rows, world);
    const results = evidenceOfRows.flatMap(
      ({ row, payments }) => resultAfterTakeover(batch, row, payments, world.isRepeatable) ?? [],
    );
    if (results.length > 0) await store.exchange(batch.id, results, null);
    const unknownCount = results.filter(({ state }) => state === 'unknown').length;
    repeatableCount += unknownCount;
    reviewCount += results.length - unknownCount;
  }
  await store.trustServer(batch.id, server);
  const countVerb = repeatableCount === 1 ? 'counts' : 'count';
  const waitVerb = reviewCount === 1 ? 'waits' : 'wait';
  await world.note(
    `Another database server took over: ${counted(repeatableCount, 'row')} ${countVerb} as sent, ${reviewCount} ${waitVerb} for a person.`,
  );
}

export function resultAfterTakeover(
  batch: Pick<Batch, 'direction' | 'createdAtMs' | 'sinceMs'>,
  row: ShownRow,
  payments: readonly KnownPayment[],
  isRepeatable: TakeoverWorld['isRepeatable'],
): RowResult | null {
  const isRetriable = isOneOf(RETRIABLE, row.state);
  if (!isRetriable && !isOneOf(NEVER_SENT, row.state)) return null;
  const [payment, ...morePayments] = payments.filter((one) => !isExcluded(one, batch.sinceMs));
  if (payment === undefined || morePayments.length > 0 || payment.source.kind !== 'feed') return null;
  if (!matchesPayment({ ...row, direction: batch.direction }, payment)) return null;
  const madeMs = payment.atMs ?? batch.createdAtMs;
  if (madeMs < batch.createdAtMs - SERVICE_CLOCKS_MS) return null;
  const facts = { number: row.number, stateBefore: row.state, sentAtMs: madeMs, code: TAKEN_OVER };
  // A retriable row needs a person: its retry, which this database may have lost, may have paid under a later key.
  if (!isRetriable && payment.atMs !== null && isRepeatable(madeMs))
    return { ...facts, ...NO_OPERATION, state: 'unknown', detail: null };
  return {
    ...{ ...facts, state: 'needs_review', status: payment.status, operationAtMs: payment.atMs },
    operation: payment.operation,
    detail:
      `Another database server took over. The events hold ${String(payment.operation)} of ${isoSeconds(madeMs)}, with its reference: ` +
      'perhaps its own. A person decides.',
  };
}
