import { expect, it } from 'vitest';
import { evidenceOf } from '../../../src/payments/known/evidence.js';
import type { OtherRow } from '../../../src/storage/batches/row.js';
import type { StoredPayment } from '../../../src/contract/operation-facts.js';
import { referenceMark } from '../../../src/contract/marks.js';
import { NOTHING_KNOWN } from '../../storage/batches/given.js';

const BATCH = { id: 1, direction: 'payout', company: 'ours' } as const;

function other(reference: string, company: string | null, operation: string): OtherRow {
  return {
    ...{ batch: `of ${String(company)}`, company, line: 2, twinMark: 'aa', currency: 'VES', amount: '1.00' },
    ...{ state: 'confirmed', follows: null, generation: 1, sentAtMs: 1, operation, status: 'confirmed' },
    ...{ operationAtMs: 1, sinceMs: null },
    referenceMark: Buffer.from(referenceMark(reference)).toString('hex'),
  };
}

it('rows of this company and the one that asks hold their operations, each for its reference; those of others hold nothing', async () => {
  const rows = [other('A', 'ours', 'op-1'), other('a', 'proved', 'op-2'), other('b', 'ours', 'op-3')];
  const others = [...rows, other('a', 'theirs', 'op-4'), other('a', null, 'op-5')];
  let seen: ReadonlyMap<string, readonly StoredPayment[]> = new Map();
  const asking = { reference: 'A', amount: '1.00', currency: 'VES', operation: 'op-6', status: 'failed' };
  await evidenceOf(BATCH, [asking, { ...asking, reference: 'b', operation: null }], {
    store: { others: () => Promise.resolve(others) },
    knowledge: {
      ...NOTHING_KNOWN,
      ownerOf: (company) =>
        Promise.resolve(company === 'proved' ? 'same' : company === 'theirs' ? 'other' : 'unknown'),
      findByReferences: (_direction, _folded, held) => {
        seen = held;
        return Promise.resolve(new Map());
      },
    },
  });
  const held = [...seen].map(([reference, all]) => [reference, ...all.map(({ operation }) => operation)]);
  expect(held).toEqual([
    ['a', 'op-1', 'op-2', 'op-6'],
    ['b', 'op-3', null],
  ]);
});
