import { describe, expect, it } from 'vitest';
import { paymentsIn, type Evidence, type SingleCreate } from '../../../src/payments/known/payments.js';
import { ROW_STATES, type RowState } from '../../../src/storage/batches/row-state.js';
import { AT, operation, row, single } from './given.js';

const of = (parts: Partial<Evidence>) =>
  paymentsIn({ operations: [], rows: [], singles: [], ...parts }, 'payout');

describe('a row of another batch', () => {
  it.each<[RowState, 'payment' | 'open' | 'nothing', 'payment' | 'open' | 'nothing']>([
    ['planned', 'nothing', 'open'],
    ['intent', 'open', 'open'],
    ['accepted', 'payment', 'payment'],
    ['confirmed', 'payment', 'payment'],
    ['earlier', 'payment', 'payment'],
    ['failed', 'nothing', 'nothing'],
    ['rejected', 'nothing', 'nothing'],
    ['unavailable', 'nothing', 'open'],
    ['unknown', 'open', 'open'],
    ['needs_review', 'open', 'open'],
  ])('at %s is %s; while its batch runs, %s', (state, idle, running) => {
    const kind = (mayBeSent: boolean): string => {
      const [payment] = of({ rows: [row({ state, mayBeSent })] });
      if (payment === undefined) return 'nothing';
      return payment.operation === null ? 'open' : 'payment';
    };
    expect([kind(false), kind(true)]).toEqual([idle, running]);
  });

  it('every state is decided here', () => expect(ROW_STATES).toHaveLength(10));

  it('whose operation has failed since is no payment', () => {
    const rows = [row({ state: 'accepted', status: 'pending' })];
    expect(of({ rows, operations: [operation('failed')] })).toEqual([]);
  });

  it('is the source of its payment, with the date that the feed knows', () => {
    const rows = [row({ operationAtMs: null, sentAtMs: 5 })];
    expect(of({ rows })).toMatchObject([{ atMs: 5, source: { kind: 'batch', batch: 'b', line: 2 } }]);
    const payments = of({ rows, operations: [operation('confirmed')] });
    expect(payments).toMatchObject([{ atMs: Date.parse(AT), source: { kind: 'batch' } }]);
  });

  it('that stands as earlier is as old as its operation, and not as its row', () => {
    const [old, planned] = [Date.parse('2026-01-02T03:04:05Z'), Date.parse(AT)];
    const rows = [row({ state: 'earlier', operationAtMs: old, sentAtMs: planned })];
    expect(of({ rows })).toMatchObject([{ operation: 'op', atMs: old }]);
  });

  it('that stands as earlier has sent nothing: its payment is the one of the feed', () => {
    const payments = of({ rows: [row({ state: 'earlier' })] });
    expect(payments).toMatchObject([{ operation: 'op', source: { kind: 'feed' } }]);
  });
});

describe('a single create', () => {
  it.each<[string, Partial<SingleCreate>, number, string | null]>([
    ['that paid', {}, 1, 'op'],
    ['that is pending', { status: 'pending' }, 1, 'op'],
    ['that failed', { status: 'failed' }, 0, null],
    ['that is open', { state: 'open', operation: null, status: null }, 1, null],
    ['that was sent again and is open', { state: 'open' }, 1, null],
  ])('%s', (_name, changes, count, operationId) => {
    const payments = of({ singles: [single(changes)] });
    expect(payments).toHaveLength(count);
    expect(payments[0]?.operation ?? null).toBe(operationId);
  });

  it('is ours where its company is certain, and the events say so of any', () => {
    expect(of({ singles: [single()] })).toMatchObject([{ isOurs: true }]);
    const unknown = single({ company: 'unknown' });
    expect(of({ singles: [unknown] })).toMatchObject([{ isOurs: false }]);
    const payments = of({ singles: [unknown], operations: [operation('confirmed')] });
    expect(payments).toMatchObject([{ isOurs: true }]);
  });
});

it('the same operation from everywhere is one payment, with what the journal knows of it', () => {
  const payments = of({ operations: [operation('confirmed')], rows: [row()], singles: [single()] });
  expect(payments).toMatchObject([{ source: { kind: 'request' }, row: 7, accountTail: '4567' }]);
});

describe('an operation that was said to be confirmed, and to have failed', () => {
  const failedRow = row({ state: 'failed', status: 'failed' });
  const failedSingle = single({ status: 'failed' });
  const confirmed = operation('confirmed');
  const both = { ...confirmed, ends: 'both' as const };
  const waits = row({ state: 'needs_review' });
  it.each<[string, Partial<Evidence>]>([
    ['by two events', { operations: [both] }],
    ['by an answer to a row, and an event', { rows: [row()], operations: [operation('failed')] }],
    ['by an event, and an answer to a row', { rows: [failedRow], operations: [confirmed] }],
    ['by an answer to a create, and an event', { singles: [single()], operations: [operation('failed')] }],
    ['by an event, and an answer to a create', { singles: [failedSingle], operations: [confirmed] }],
    ['by an answer, and a read of it', { singles: [single({ status: 'contradicted' })] }],
    ['by two rows', { rows: [row(), { ...failedRow, batch: 'c' }] }],
    ['and stands for a row', { rows: [row({ state: 'earlier' })], operations: [operation('failed')] }],
    ['and a row waits because of it', { rows: [waits], operations: [both] }],
  ])('%s, counts as one payment', (_name, parts) => {
    expect(of(parts)).toMatchObject([{ operation: 'op', status: 'contradicted' }]);
  });

  it.each(['confirmed', 'failed'])('is %s once a person was told that', (status) => {
    const told = { ...operation(status), ends: 'told' as const };
    for (const rows of [[row()], [failedRow]])
      expect(of({ rows, singles: [single({ status: 'contradicted' })], operations: [told] })).toMatchObject(
        status === 'failed' ? [] : [{ operation: 'op' }],
      );
  });

  it('is none that was pending here, nor another one', () => {
    const pending = row({ state: 'accepted', status: 'pending' });
    const payments = [{ status: 'confirmed' }];
    expect(of({ rows: [pending], operations: [confirmed] })).toMatchObject(payments);
    expect(of({ rows: [row()], operations: [operation('failed', 'op-2')] })).toMatchObject(payments);
  });
});

it('what a process that lives is about to send is recorded', () => {
  const recorded = single({ state: 'recorded', operation: null, status: null });
  expect(of({ singles: [recorded] })).toMatchObject([{ operation: null, status: 'recorded' }]);
});
