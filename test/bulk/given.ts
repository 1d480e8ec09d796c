/** Batches and rows for tests, planned as the planner plans them. */
import { deriveKey } from '../../src/bulk/key.js';
import { foldReference, markOf, sealOf } from '../../src/bulk/seal.js';
import type {
  Batch,
  BatchFacts,
  BatchStore,
  BatchTotals,
  PlannedRow,
} from '../../src/bulk/store/batch-store.js';
import { fromMinor } from '../../src/contract/money.js';

export const FACTS: BatchFacts = {
  name: 'pay',
  direction: 'payout',
  environment: 'sandbox',
  address: 'http://127.0.0.1:1/sandbox',
  origin: 'http://127.0.0.1:1',
  profile: null,
  keyMask: 'svc_test_...abcd',
  file: '/tmp/pay.csv',
  createdAtMs: 1_790_000_000_000,
};

/** A row whose body holds its reference and amount. */
export function plannedRow(
  number: number,
  minor: bigint,
  facts: BatchFacts = FACTS,
  reference = `r-${number}`,
): PlannedRow {
  const amount = fromMinor(minor, 2);
  const body = JSON.stringify({ amount, reference });
  const fixed = {
    number,
    reference,
    currency: 'VES',
    amount,
    generation: 0,
    key: deriveKey(facts, reference, 0),
    body,
  };
  return {
    ...fixed,
    line: number + 2,
    minor,
    seal: sealOf(fixed),
    referenceMark: markOf(foldReference(reference)),
    twinMark: markOf(reference, amount),
  };
}

export function totalsOf(rows: readonly PlannedRow[]): BatchTotals {
  const minor = rows.reduce((sum, row) => sum + row.minor, 0n);
  const currencies = new Map([['VES', { decimals: 2, rows: rows.length, minor }]]);
  return { fileHash: 'f'.repeat(64), rows: rows.length, currencies };
}

/** Puts a whole batch into a store. */
export async function planned(
  store: BatchStore,
  rows: readonly PlannedRow[],
  facts: BatchFacts = FACTS,
): Promise<Batch> {
  const id = await store.begin(facts);
  await store.add(id, rows);
  await store.finish(id, totalsOf(rows));
  const batch = await store.find(facts.name);
  if (batch === null) throw new Error('the batch is not there');
  return batch;
}
