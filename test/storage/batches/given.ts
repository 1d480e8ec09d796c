import type { ClearanceQuestion } from '../../../src/batches/check/clearance.js';
import type { NextCommands } from '../../../src/batches/check/paid-rows.js';
import type { Knowledge } from '../../../src/payments/known/evidence.js';
import { deriveKey } from '../../../src/payments/known/key.js';
import type { Batch, BatchFacts, BatchTotals, BatchStore } from '../../../src/storage/batches/batch-store.js';
import { SENDABLE } from '../../../src/storage/batches/row-state.js';
import type { PlannedRow } from '../../../src/storage/batches/row.js';
import { markOf, referenceMark } from '../../../src/contract/marks.js';
import { fromMinor } from '../../../src/contract/money.js';
import { sealOf } from '../../../src/storage/batches/seal.js';

export const FACTS: BatchFacts = {
  name: 'pay',
  direction: 'payout',
  environment: 'sandbox',
  address: 'http://127.0.0.1:1/sandbox',
  origin: 'http://localhost:1',
  company: 'company-1',
  sinceMs: null,
  profile: null,
  keyMask: 'svc_test_...abcd',
  file: '/tmp/pay.csv',
  createdAtMs: 1_790_000_000_000,
  approval: {
    head: '{"svc_plan":1,"batch":"pay"}',
    digest: 'a'.repeat(64),
    asked: { approvals: 2, signers: '/etc/signers' },
  },
};

const COMMANDS: NextCommands = {
  withWords: (words) => ['svc again', ...words].join(' '),
  resume: (_batch, words = []) => ['svc resume', ...words].join(' '),
  repeatRequest: (key) => `svc repeat ${key}`,
  recordOutcome: (key) => `svc resolve ${key}`,
  showOperation: (operation) => `svc transactions get ${operation}`,
  takesSince: true,
  listPayments: (reference) => `svc list ${reference}`,
  resetSandbox: null,
};
export const ASKING: ClearanceQuestion = { states: SENDABLE, skipsPaid: false, commands: COMMANDS };

export const NOTHING_KNOWN: Knowledge = {
  bringUpToDate: () => Promise.resolve(),
  findByReferences: () => Promise.resolve(new Map()),
  findByIds: () => Promise.resolve(new Map()),
  findContradicted: () => Promise.resolve(new Map()),
  singles: () => Promise.resolve([]),
  newSingles: () => Promise.resolve([]),
  ownerOf: () => Promise.resolve('unknown' as const),
  isRunning: () => Promise.resolve(false),
  keyNotes: {
    note: () => Promise.resolve(),
    lookUpUsed: (_key, _direction, keyUse) =>
      Promise.resolve({
        ...{ notes: [], ...keyUse, nowMs: 0 },
        resend: () => Promise.reject(new Error('nothing is noted')),
        remembersRefusals: () => Promise.resolve(false),
      }),
  },
};

export function plannedRow(
  number: number,
  minor: bigint,
  facts: BatchFacts = FACTS,
  reference = `r-${number}`,
): PlannedRow {
  const amount = fromMinor(minor, 2);
  const body = JSON.stringify({ amount, reference });
  const key = deriveKey({ ...facts, reference, follows: null, generation: 1 });
  const sealed = { number, reference, currency: 'VES', amount, follows: null, generation: 1, key, body };
  return {
    ...sealed,
    line: number + 2,
    minor,
    seal: sealOf(sealed),
    referenceMark: referenceMark(reference),
    twinMark: markOf(reference, amount),
    earlier: null,
  };
}

export function totalsOf(rows: readonly PlannedRow[]): BatchTotals {
  const minor = rows.reduce((sum, row) => sum + row.minor, 0n);
  const currencies = new Map([['VES', { decimals: 2, rows: rows.length, minor }]]);
  return { fileHash: 'f'.repeat(64), rows: rows.length, currencies };
}

export async function planned(
  store: BatchStore,
  rows: readonly PlannedRow[],
  facts: BatchFacts = FACTS,
): Promise<Batch> {
  const id = await store.begin(facts);
  await store.add(id, rows);
  await store.finish(id, totalsOf(rows), await store.changes());
  const batch = await store.find(facts.name);
  if (batch === null) throw new Error('the batch is not there');
  return batch;
}
