import { describe, expect, it } from 'vitest';
import { decideRow, type CandidateRow, type RowRules, type RowDecision } from '../../src/payments/decide.js';
import type { KnownPayment } from '../../src/payments/known/payments.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const LEFT_MS = Date.parse('2026-09-23T15:00:00Z');

const row = (changes: Partial<CandidateRow> = {}): CandidateRow => ({
  ...{ direction: 'payout', amount: '10.50', currency: 'VES', state: 'planned', operation: null },
  sentAtMs: null,
  ...changes,
});
const payment = (changes: Partial<KnownPayment> = {}): KnownPayment => ({
  ...{ operation: 'op-1', status: 'confirmed', direction: 'payout', amount: '10.5', currency: 'VES' },
  ...{ atMs: LEFT_MS, source: { kind: 'feed' }, isOurs: true, row: null, accountTail: null, twinMark: null },
  ...changes,
});
const ROW_OF_B = { kind: 'batch', batch: 'b', line: 2 } as const;
const REQUEST = { kind: 'request', key: 'k' } as const;
const SKIPPABLE = 'paid, skippable';
const NOT = 'paid, not skippable';
const OTHER_PAYMENT = 'settled as needs_review (other_payment)';
const OPEN_ELSEWHERE = 'settled as needs_review (open_elsewhere)';
const CONFIRMED = 'settled as confirmed (no code)';
const CONTRADICTED = 'settled as needs_review (contradicted)';
const OTHER = { kind: 'batch', batch: 'other', line: 3 } as const;
const OPEN = { operation: null, status: 'unknown', source: OTHER } as const;
const find = (
  candidate: CandidateRow,
  payments: readonly KnownPayment[],
  rules: Partial<RowRules> = {},
): RowDecision => decideRow(candidate, payments, { sinceMs: null, skipsPaid: false, ...rules });
const short = (finding: RowDecision): string => {
  if (finding.kind === 'send') return 'send';
  if (finding.kind === 'waits') return `waits for ${String(finding.payment.operation)}`;
  if (finding.kind === 'paid') return `paid, ${finding.isSkippable ? '' : 'not '}skippable`;
  return `${finding.kind} as ${finding.rowStatus.state} (${finding.rowStatus.code ?? 'no code'})`;
};

describe('a row that never left', () => {
  it.each<[string, readonly KnownPayment[], string, string]>([
    ['nothing is known', [], 'send', 'send'],
    ['one agrees', [payment()], SKIPPABLE, 'skipped as earlier (skipped_as_paid)'],
    ['one is pending', [payment({ status: 'pending' })], SKIPPABLE, 'skipped as earlier (skipped_pending)'],
    ['another amount', [payment({ amount: '10.51' })], NOT, NOT],
    ['another currency', [payment({ currency: 'USD' })], NOT, NOT],
    ['no amount is said', [payment({ amount: undefined })], NOT, NOT],
    ['two agree', [payment(), payment({ operation: 'op-2' })], NOT, NOT],
    ['something is open', [payment(OPEN)], NOT, NOT],
    ['one agrees and something is open', [payment(), payment(OPEN)], NOT, NOT],
  ])('%s', (_name, payments, plain, skipping) => {
    for (const state of ['planned', 'unavailable', 'failed', 'rejected'] as const) {
      expect(short(find(row({ state }), payments))).toBe(plain);
      expect(short(find(row({ state }), payments, { skipsPaid: true }))).toBe(skipping);
    }
  });

  it('is not called paid where the payment that stands for it is pending', () => {
    const finding = find(row(), [payment({ status: 'pending' })], { skipsPaid: true });
    const detail = expect.not.stringContaining('paid') as string;
    expect(finding).toMatchObject({ rowStatus: { operation: 'op-1', status: 'pending', detail } });
  });

  it('is sent although payments from before --new-since are known, but for what is open or pending', () => {
    const sinceMs = LEFT_MS + 1000;
    const beside = (...payments: KnownPayment[]): string => short(find(row(), payments, { sinceMs }));
    expect(beside(payment(), payment({ operation: 'op-2', amount: '7.00' }))).toBe('send');
    expect(beside(payment({ status: 'pending' }))).toBe('waits for op-1');
    for (const atMs of [sinceMs, null]) expect(beside(payment({ atMs }))).toBe(SKIPPABLE);
    expect(beside(payment({ ...OPEN, atMs: 0 }))).toBe(NOT);
  });
});

describe('a row that left and was not answered', () => {
  const SECOND = payment({ operation: 'op-2' });
  const OLDER = payment({ operation: 'op-2', atMs: LEFT_MS - HOUR_MS });
  const cases: [string, readonly KnownPayment[], string][] = [
    ['nothing is known: it is sent again', [], 'send'],
    ['the one of its time', [payment()], CONFIRMED],
    ['the one of its time, pending', [payment({ status: 'pending' })], 'settled as accepted (no code)'],
    ['ten minutes before it left', [payment({ atMs: LEFT_MS - 600_000 })], CONFIRMED],
    ['eleven minutes before', [payment({ atMs: LEFT_MS - 660_000 })], SKIPPABLE],
    ['a day later', [payment({ atMs: LEFT_MS + DAY_MS })], CONFIRMED],
    ['later than that', [payment({ atMs: LEFT_MS + DAY_MS + 1 })], 'settled as earlier (later_payment)'],
    ['of another amount', [payment({ amount: '11.00' })], OTHER_PAYMENT],
    ['two of its time', [payment(), SECOND], OTHER_PAYMENT],
    ['one of its time and an older one', [payment(), OLDER], OTHER_PAYMENT],
    ['two older ones', [payment({ atMs: LEFT_MS - HOUR_MS }), OLDER], OTHER_PAYMENT],
    ['an older one of another amount', [{ ...OLDER, amount: '11.00' }], OTHER_PAYMENT],
    ['one that another row has sent', [payment({ source: ROW_OF_B })], SKIPPABLE],
    ['one that a single create has sent', [payment({ source: REQUEST })], SKIPPABLE],
    ['an open row of another batch', [payment(OPEN)], OPEN_ELSEWHERE],
    ['one of its time, and an open row of another batch', [payment(), payment(OPEN)], OPEN_ELSEWHERE],
    ['a row that another batch is about to send', [payment({ ...OPEN, status: 'planned' })], NOT],
    ['one of its time, and an open create', [payment(), payment({ ...OPEN, source: REQUEST })], NOT],
    ['another amount, of another row', [payment({ amount: '11.00', source: ROW_OF_B })], OPEN_ELSEWHERE],
    ['perhaps of another company', [payment({ isOurs: false, source: REQUEST })], OPEN_ELSEWHERE],
    ['one that nobody dates', [payment({ atMs: null })], SKIPPABLE],
  ];
  it.each(cases)('%s', (_name, payments, expected) => {
    for (const state of ['intent', 'unknown'] as const)
      expect(short(find(row({ state, sentAtMs: LEFT_MS }), payments))).toBe(expected);
  });

  it('and was refused for the moment since has no operation of its own', () => {
    expect(short(find(row({ state: 'unavailable' }), [payment()]))).toBe(SKIPPABLE);
  });

  it('beside an open row of another batch names that row', () => {
    const finding = find(row({ state: 'unknown', sentAtMs: LEFT_MS }), [payment(OPEN)]);
    const detail = expect.stringContaining('Line 3 of batch other') as string;
    expect(finding).toMatchObject({ rowStatus: { operation: null, detail } });
  });

  it('and waits for a person stays as it is beside an open row of another batch', () => {
    const waiting = row({ state: 'needs_review', sentAtMs: LEFT_MS });
    expect(short(find(waiting, [payment(OPEN)]))).toBe(NOT);
  });

  it('names the operation and its date', () => {
    const finding = find(row({ state: 'unknown', sentAtMs: LEFT_MS }), [payment()]);
    const rowStatus = { operation: 'op-1', status: 'confirmed', operationAtMs: LEFT_MS };
    expect(finding).toMatchObject({ rowStatus });
  });
});

it('an operation that it has had is its own', () => {
  const gone = row({ state: 'unknown', operation: 'op-1', sentAtMs: LEFT_MS });
  expect(short(find(gone, [payment()]))).toBe(CONFIRMED);
});

it.each<[string, Partial<CandidateRow>, Partial<RowRules>]>([
  ['a new one', {}, {}],
  ['one that leaves out what was paid', {}, { skipsPaid: true }],
  ['one that follows it', {}, { sinceMs: LEFT_MS + 1 }],
  ['one of a retry', { state: 'failed', operation: 'op-2' }, {}],
  ['an open one', { state: 'unknown', sentAtMs: LEFT_MS }, {}],
  ['an open one from before', { state: 'intent', sentAtMs: LEFT_MS - 1 }, {}],
])('a row of a reference whose operation has two ends waits for a person: %s', (_name, changes, rules) => {
  const both = payment({ status: 'contradicted' });
  expect(short(find(row(changes), [payment({ operation: 'op-9' }), both], rules))).toBe(CONTRADICTED);
});

it('a payment that this key may not see is not left out: nobody would hear of its end', () => {
  const theirs = payment({ ...{ isOurs: false, status: 'pending', source: ROW_OF_B } });
  expect(short(find(row(), [theirs], { skipsPaid: true }))).toBe(NOT);
});

it('a failed row whose operation is known as a payment after all is not paid again', () => {
  expect(short(find(row({ state: 'failed', operation: 'op-1' }), [payment()]))).toBe(CONTRADICTED);
  expect(short(find(row({ state: 'failed', operation: 'op-1' }), []))).toBe('send');
});
