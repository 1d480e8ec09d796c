/** The person of the simulation: decides about rows that nothing else can settle, by what the service has in its books. */
import { DECIDABLE, decideRow, type Decision } from '../../../src/bulk/run/decision.js';
import { renewRows } from '../../../src/bulk/run/renewal.js';
import type { Batch, BatchStore } from '../../../src/bulk/store/batch-store.js';
import { assertBalanced } from '../../../src/bulk/tally.js';
import type { Payment } from './service.js';

/** A person asks the service about every row that needs one, says what it says, and has the unpaid ones sent anew. @param isCredulous never finds a payment */
export async function decideOpen(
  store: BatchStore,
  ledger: readonly Payment[],
  batch: Batch,
  isCredulous: boolean,
): Promise<number> {
  const open = await store.rows(batch.id, -1, Infinity, DECIDABLE);
  for (const row of open) {
    const payment = ledger.find(({ reference }) => reference === row.reference);
    const decision: Decision =
      payment === undefined || isCredulous
        ? { kind: 'not_paid' }
        : { kind: 'operation', operation: { ...payment, code: null, currency: 'VES' } };
    const result = decideRow(row, decision, 'now');
    if ('refusal' in result) throw new Error(result.refusal);
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
  // Only what somebody declared unpaid: a payment that failed at the bank is how the row ends here.
  const unpaid = (await store.rows(batch.id, -1, Infinity, ['failed'])).filter(
    ({ code }) => code === 'not_paid',
  );
  const numbers = new Set(unpaid.map(({ number }) => number));
  await renewRows(batch, {
    peek: async (id, claim) => (await store.peek(id, claim)).filter(({ number }) => numbers.has(number)),
    renew: (id, rows) => store.renew(id, rows),
  });
  return open.length;
}
