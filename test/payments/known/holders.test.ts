import { describe, expect, it } from 'vitest';
import {
  rowsHeldElsewhere,
  holdersFor,
  type HoldingStores,
  placeOf,
} from '../../../src/payments/known/holders.js';
import { referenceMark } from '../../../src/contract/marks.js';
import type { OperationFacts } from '../../../src/contract/operation-facts.js';
import type { Where } from '../../../src/session/place-flags.js';
import type { ClaimedRow } from '../../../src/storage/batches/row.js';
import { DatabaseUnusable } from '../../../src/runtime/database-unusable.js';
import type { SessionRun } from '../../../src/command/command.js';

const MADE_AT_MS = Date.parse('2026-09-23T15:04:05Z');
const MARK = referenceMark('pay-1');
const ROW = { place: placeOf('payroll', 2), referenceMark: MARK, wasSentBefore: false };
const RUN = {} as SessionRun<Where>;

function stores(
  requests: readonly (readonly [row: number, operation: string, reference: string, status?: string])[],
  rows: readonly (readonly [batch: string, line: number, operation: string, reference: string])[] = [],
): HoldingStores {
  const kept = requests.map(([row, operation, reference, status = 'confirmed']) => ({
    ...{ row, referenceMark: referenceMark(reference), settled: { operation, status } },
  }));
  const holding = rows.map(([batch, line, operation, reference]) => ({
    ...{ batch, line, operation, key: 'k' },
    referenceMark: Buffer.from(referenceMark(reference)).toString('hex'),
  }));
  return {
    journal: { withOperations: () => Promise.resolve(kept as never) },
    holders: () => Promise.resolve(holding),
  };
}

const answered = (line: number, id: string) => ({
  ...{ row: { line } as ClaimedRow, operation: { id } as OperationFacts },
});

describe('an answer', () => {
  it.each([
    ['nobody holds', ROW, stores([]), null],
    ['a request of another reference holds', ROW, stores([[7, 'made', 'pay-2']]), 'other'],
    ['a request of its reference holds', ROW, stores([[7, 'made', 'pay-1']]), 'same'],
    ['a request of two ends holds', ROW, stores([[7, 'made', 'pay-1', 'contradicted']]), 'contradicted'],
    ['a row of another batch holds', ROW, stores([], [['other', 2, 'made', 'pay-2']]), 'other'],
    ['another row of its batch holds', ROW, stores([], [['payroll', 3, 'made', 'pay-2']]), 'other'],
    ['a row of its reference holds', ROW, stores([], [['other', 9, 'made', 'pay-1']]), 'same'],
    ['it holds itself', ROW, stores([], [['payroll', 2, 'made', 'pay-1']]), null],
    ['the request of a create holds itself', { ...ROW, place: 7 }, stores([[7, 'made', 'pay-1']]), null],
    ['of no reference', { ...ROW, referenceMark: null }, stores([[7, 'made', 'pay-1']]), 'other'],
  ])('that %s', async (_what, create, known, holder) => {
    for (const createdAtMs of [null, MADE_AT_MS]) {
      const operation = { id: 'made', createdAtMs } as OperationFacts;
      expect(await holdersFor(create, known, RUN)(operation)).toBe(holder);
    }
  });

  it('counts where a store cannot be asked, by what the other one says', async () => {
    const full = new DatabaseUnusable('full', { name: 'journal' }, 'requests.db');
    const broken = { holders: () => Promise.reject(full) };
    const rows = [answered(2, 'made')];
    const unheld = { ...stores([]), ...broken };
    expect(await holdersFor(ROW, unheld, RUN)({ id: 'made' } as OperationFacts)).toBeNull();
    expect(await rowsHeldElsewhere(rows, 'payroll', unheld)).toEqual([]);
    const held = { ...stores([[7, 'made', 'pay-2']]), ...broken };
    expect(await holdersFor(ROW, held, RUN)({ id: 'made' } as OperationFacts)).toBe('other');
    expect(await rowsHeldElsewhere(rows, 'payroll', held)).toHaveLength(1);
    const defect = { ...stores([]), holders: () => Promise.reject(new TypeError('a defect')) };
    await expect(rowsHeldElsewhere(rows, 'payroll', defect)).rejects.toThrow('a defect');
  });
});

it('finds among rows those whose operation something else has become, in any case', async () => {
  const own = ['payroll', 2, 'op-2', 'x'] as const;
  const known = stores([[7, 'OP-1', 'x']], [own, ['other', 3, 'op-3', 'x']]);
  const ids = ['op-1', 'op-2', 'Op-3', 'op-4'].map((id, index) => answered(index + 1, id));
  const held = await rowsHeldElsewhere(ids, 'payroll', known);
  expect(held.map(({ line }) => line)).toEqual([1, 3]);
});
