/** The person of the simulation: decides about rows that nothing else can settle, by what the program lets them say. */
import { DECIDABLE, decideRow, type Decision } from '../../../src/bulk/run/decision.js';
import { findPayments } from '../../../src/bulk/run/payment-search.js';
import { renewRows } from '../../../src/bulk/run/renewal.js';
import type { OperationClaims } from '../../../src/bulk/run/delivery.js';
import type { Batch, BatchStore, RowResult, ShownRow } from '../../../src/bulk/store/batch-store.js';
import { assertBalanced } from '../../../src/bulk/tally.js';
import type { Payment } from './service.js';

/** `credulous` never finds a payment; `hasty` takes the first operation with the reference, whatever the program says. */
export type Care = 'careful' | 'credulous' | 'hasty';

/** A person says of every row that needs one what the program accepts first, oldest first, and has everything that failed sent anew. */
export async function decideOpen(
  store: BatchStore,
  ledger: readonly Payment[],
  batch: Batch,
  care: Care,
): Promise<number> {
  const open = await store.rows(batch.id, -1, Infinity, DECIDABLE);
  for (const row of open) {
    const accepted = await firstAccepted(row, store, ledger, care);
    if (accepted === null) continue;
    const { decision, result } = accepted;
    const { number, state, operation } = result;
    await store.decide(batch.id, result, {
      number,
      decision: decision.kind,
      state,
      operation,
      decidedAtMs: 0,
    });
    assertBalanced(batch, await store.tally(batch.id));
  }
  await renewRows(batch, store);
  return open.length;
}

async function firstAccepted(
  row: ShownRow,
  store: BatchStore,
  ledger: readonly Payment[],
  care: Care,
): Promise<{ decision: Decision; result: RowResult } | null> {
  const known = care === 'credulous' ? [] : ledger.filter(({ reference }) => reference === row.reference);
  const operations = known.map((payment): OperationClaims => ({ ...payment, code: null, currency: 'VES' }));
  const sayings: Decision[] = operations.map((operation) => ({
    kind: 'operation',
    operation: care === 'hasty' ? { ...operation, createdAt: '9999-01-01T00:00:00Z' } : operation,
  }));
  for (const decision of [...sayings, { kind: 'not_paid' } as const]) {
    const result = decideRow(row, decision, 'now');
    if ('refusal' in result) continue;
    const isFree = result.operation === null || (await store.holders(result.operation)).length === 0;
    const left =
      result.state === 'failed' && care === 'careful'
        ? await findPayments(row, store, feedOf(operations), [])
        : [];
    if (isFree && left.length === 0) return { decision, result };
  }
  return null;
}

async function* feedOf(operations: readonly OperationClaims[]) {
  await Promise.resolve();
  yield operations;
}
