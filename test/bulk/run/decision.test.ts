/** What a person's word makes of a row, and which operations it is not believed about. */
import { describe, expect, it } from 'vitest';
import { decideRow } from '../../../src/bulk/run/decision.js';
import type { OperationClaims } from '../../../src/bulk/run/delivery.js';
import type { ShownRow } from '../../../src/bulk/store/batch-store.js';

const SENT_MS = Date.parse('2026-09-22T12:00:00Z');
const ROW: ShownRow = {
  number: 3,
  line: 5,
  reference: 'emp-3',
  currency: 'VES',
  amount: '10.50',
  key: 'svcb1-x',
  state: 'needs_review',
  sentAtMs: SENT_MS,
  operation: null,
  code: 'too_old',
  detail: null,
};
const OPERATION: OperationClaims = {
  id: 'op-1',
  status: 'confirmed',
  code: null,
  amount: '10.5',
  currency: 'ves',
  reference: 'emp-3',
  createdAt: '2026-09-22T12:00:01Z',
};
const WHEN = '2026-09-23T15:00:00Z';
const decide = (operation: OperationClaims) => decideRow(ROW, { kind: 'operation', operation }, WHEN);

it('a row that was not paid counts as failed, without an operation, and says who decided when', () => {
  expect(decideRow({ ...ROW, operation: 'other' }, { kind: 'not_paid' }, WHEN)).toEqual({
    number: 3,
    sentAtMs: SENT_MS,
    state: 'failed',
    operation: null,
    code: 'not_paid',
    detail: `A person decided at ${WHEN}: it was not paid.`,
  });
});

describe('an operation', () => {
  it.each([
    ['confirmed', 'confirmed'],
    ['failed', 'failed'],
    ['pending', 'accepted'],
    ['something new', 'accepted'],
  ])('that is %s makes it %s', (status, state) => {
    expect(decide({ ...OPERATION, status })).toMatchObject({
      state,
      operation: 'op-1',
      sentAtMs: SENT_MS,
      detail: expect.stringContaining(WHEN) as string,
    });
  });

  it('may be a little older than the row, by clocks that differ', () => {
    expect(decide({ ...OPERATION, createdAt: '2026-09-22T11:50:00Z' })).toMatchObject({ state: 'confirmed' });
  });

  it.each<[Partial<OperationClaims>, RegExp]>([
    [{ amount: '10.51' }, /amount 10.51, and 10.50/],
    [{ amount: undefined }, /names no amount/],
    [{ currency: 'USD' }, /about USD/],
    [{ currency: undefined }, /names no currency/],
    [{ reference: 'emp-4' }, /another reference/],
    [{ reference: undefined }, /names no reference/],
    [{ createdAt: undefined }, /names no created_at/],
    [
      { createdAt: '2026-09-22T11:49:59Z' },
      /of 2026-09-22T11:49:59Z, from before the row left [(]10 minutes/,
    ],
    [{ createdAt: '2026-09-22T11:49:59Z', status: 'failed' }, /an earlier try of this row/],
  ])('with %j is not the row', (changes, message) => {
    const decided = decide({ ...OPERATION, ...changes });
    expect('refusal' in decided && decided.refusal).toMatch(message);
  });
});
