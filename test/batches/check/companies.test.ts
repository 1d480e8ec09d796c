import { expect, it } from 'vitest';
import { evidenceOf } from '../../../src/payments/known/evidence.js';
import { tryOfPayment, type SingleCreate } from '../../../src/payments/known/payments.js';
import type { OtherRow } from '../../../src/storage/batches/row.js';
import { referenceMark } from '../../../src/contract/marks.js';
import { single } from '../../payments/known/given.js';
import { NOTHING_KNOWN } from '../../storage/batches/given.js';

const MARK = Buffer.from(referenceMark('r-1')).toString('hex');
const row = (company: string | null): OtherRow => ({
  ...{ batch: `of ${String(company)}`, company, line: 2, referenceMark: MARK, twinMark: 'aa' },
  ...{ currency: 'VES', amount: '1.00', state: 'failed', follows: null, generation: 1, sentAtMs: 1 },
  ...{ operation: 'op-1', status: 'failed', operationAtMs: 1, sinceMs: null },
});
const failed = (row: number, company: SingleCreate['company']): SingleCreate =>
  single({
    key: `k-${row}`,
    row,
    operation: `op-${row}`,
    status: 'failed',
    referenceMark: MARK,
    atMs: 1,
    company,
  });

const ROW = { reference: 'R-1', amount: '1.00', currency: 'VES', operation: null, status: null } as const;

it('is shown by any operation of its rows', async () => {
  const asked: (readonly [company: string | null, operation: string | null])[] = [];
  await evidenceOf({ id: 1, direction: 'payout', company: 'ours' }, [ROW], {
    store: { others: () => Promise.resolve([{ ...row('lost'), operation: null }, row('lost')]) },
    knowledge: {
      ...NOTHING_KNOWN,
      ownerOf: (company, operation) => {
        asked.push([company, operation]);
        return Promise.resolve('unknown');
      },
    },
  });
  expect(asked).toEqual([['lost', 'op-1']]);
});

it('of two companies on one machine each is alone', async () => {
  const asking = { id: 1, direction: 'payout', company: 'ours' } as const;
  const known = await evidenceOf(asking, [ROW], {
    store: { others: () => Promise.resolve([row('theirs'), row('ours'), row('lost'), row(null)]) },
    knowledge: {
      ...NOTHING_KNOWN,
      ownerOf: (company) => Promise.resolve(company === 'theirs' ? 'other' : 'unknown'),
      singles: () => Promise.resolve([failed(7, 'other'), failed(8, 'same')]),
    },
  });
  const { rows, singles, operations } = known.get('r-1')!;
  expect(rows.map(({ company }) => company)).toEqual(['ours', 'lost', null]);
  expect(singles.map(({ key }) => key)).toEqual(['k-8']);
  const of = (theirs: readonly SingleCreate[]): number =>
    tryOfPayment({ rows, operations, singles: theirs }, { direction: 'payout', sinceMs: null, nowMs: 1e12 })
      .generation;
  expect([of(singles), of([failed(8, 'same'), failed(9, 'same')])]).toEqual([3, 4]);
});
