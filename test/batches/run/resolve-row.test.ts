import { describe, expect, it } from 'vitest';
import type { ShownRow } from '../../../src/storage/batches/row.js';
import { type OperationFacts, NO_FACTS } from '../../../src/contract/operation-facts.js';
import { decideNotPaid, decideOperation } from '../../../src/payments/known/row-outcome.js';
import { refusePending } from '../../../src/payments/operations/record-end.js';

const SENT_MS = Date.parse('2026-09-22T12:00:00Z');
const ROW: ShownRow = {
  ...{ number: 3, line: 5, reference: 'emp-3', currency: 'VES', amount: '10.50', twinMark: 'aa' },
  ...{ key: 'svcb2-x', follows: null, generation: 1, state: 'needs_review', sentAtMs: SENT_MS },
  ...{ operation: null, status: null, operationAtMs: null, code: 'too_old', detail: null },
};
const REUSED: ShownRow = { ...ROW, code: 'idempotency_key_reused' };
const OPERATION: OperationFacts = {
  ...NO_FACTS,
  ...{ id: 'op-1', status: 'confirmed', code: null, direction: 'payout', amount: '10.5', currency: 'ves' },
  ...{ reference: 'emp-3', createdAtMs: Date.parse('2026-09-22T12:00:01Z') },
};
const WHEN = '2026-09-23T15:00:00Z';
const decide = (changes: Partial<OperationFacts>, row = ROW, isHeld = false, isOfKey = false) =>
  decideOperation(row, 'payout', { ...OPERATION, ...changes }, { isHeld, isOfKey, when: WHEN });

it('a row that was not paid counts as failed, without an operation, and says that somebody decided, and when', () => {
  expect(decideNotPaid({ ...ROW, operation: 'other' }, WHEN)).toEqual({
    ...{ number: 3, sentAtMs: SENT_MS, state: 'failed', operation: null, status: null, operationAtMs: null },
    code: 'not_paid',
    detail: `A person decided at ${WHEN}: it was not paid.`,
  });
});

describe('an operation of its reference', () => {
  it.each<[string, Partial<OperationFacts>, string]>([
    ['that agrees', {}, 'confirmed'],
    ['that agrees and failed', { status: 'failed' }, 'failed'],
    ['that agrees and is pending', { status: 'pending' }, 'accepted'],
    ['with a status of tomorrow', { status: 'something new' }, 'accepted'],
    ['that does not say which way the money went', { direction: null }, 'confirmed'],
    ['with its reference in another spelling', { reference: 'EMP\u20133' }, 'confirmed'],
    ['made ten minutes before it left', { createdAtMs: Date.parse('2026-09-22T11:50:00Z') }, 'confirmed'],
    ['made before that', { createdAtMs: Date.parse('2026-09-22T11:49:59Z') }, 'earlier'],
    ['made a day after it', { createdAtMs: Date.parse('2026-09-23T12:00:00Z') }, 'confirmed'],
    ['made later than that', { createdAtMs: Date.parse('2026-09-23T12:00:01Z') }, 'earlier'],
    ['that does not say when it was made', { createdAtMs: null }, 'earlier'],
    ['of another amount', { amount: '10.51' }, 'earlier'],
    ['of no amount', { amount: null }, 'earlier'],
    ['of another currency', { currency: 'USD' }, 'earlier'],
  ])('%s', (_name, changes, state) => {
    const detail = `A person decided at ${WHEN}: it is this operation.`;
    expect(decide(changes)).toMatchObject({ state, operation: 'op-1', sentAtMs: SENT_MS, detail });
  });

  it('that another row is settled with stands for this one as an older payment', () => {
    expect(decide({}, ROW, true)).toMatchObject({ state: 'earlier', operation: 'op-1' });
  });

  it('that failed settles the row whose key has made it, whenever that was', () => {
    const failed = { status: 'failed', createdAtMs: Date.parse('2026-09-25T12:00:00Z') };
    expect(decide(failed, ROW, true, true)).toMatchObject({ state: 'failed', operation: 'op-1' });
  });

  it('is never the one of a row whose key has made another payment', () => {
    expect(decide({}, REUSED)).toMatchObject({ state: 'earlier' });
    expect(decide({ amount: '7.00' }, REUSED)).toMatchObject({ state: 'earlier' });
    expect(decide({ status: 'pending' }, REUSED)).toMatchObject({ state: 'earlier', status: 'pending' });
    const failed = { status: 'failed', createdAtMs: Date.parse('2026-01-01T00:00:00Z') };
    expect(decide(failed, REUSED)).toMatchObject({ state: 'failed' });
  });

  it.each<[Partial<OperationFacts>, RegExp]>([
    [{ reference: 'emp-4' }, /has another reference/],
    [{ reference: null }, /has another reference/],
    [{ direction: 'payin' }, /is a payin/],
    [{ status: 'failed', createdAtMs: Date.parse('2026-09-22T11:49:59Z') }, /an earlier try/],
    [{ status: 'failed', amount: '11.00' }, /an earlier try/],
  ])('with %j settles nothing', (changes, message) => {
    const decided = decide(changes);
    expect('refusal' in decided && decided.refusal).toMatch(message);
  });
});

it('a pending row of another batch stands in the way of its own operation, and of no other', () => {
  const rows = [{ batch: 'b', state: 'accepted', operation: 'op-1', status: 'pending' }] as never;
  const asked = (gone: string) => () => refusePending({ rows, operations: [], singles: [] }, gone, String);
  expect(asked('op-1')).toThrow('Batch b waits for operation op-1.');
  expect(asked('op-2')).not.toThrow();
});
