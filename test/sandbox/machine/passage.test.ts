import { describe, expect, it } from 'vitest';
import { createPayin, createPayout } from '../../../src/sandbox/machine/create.js';
import { lookUp, matchesPayment, pay, paymentFor, passTime } from '../../../src/sandbox/machine/passage.js';
import type { Payment } from '../../../src/sandbox/machine/passage.js';
import type { OperationRecord } from '../../../src/sandbox/machine/operation.js';
import { at, awaitingPayment, done, EVERY_STATE, moved, payin, payout } from './given.js';
import { HOUR, ORIGIN, SECOND, START } from './given.js';

describe('time', () => {
  it('ends the window of an incoming pay-in, at its end and not before', () => {
    const before = awaitingPayment();
    expect(passTime(before, at(48 * HOUR - 1))).toBeNull();
    const step = done(passTime(before, at(48 * HOUR)));
    const failure = { code: 'expired', reason: 'expired', message: 'The payment window ended.' };
    const ended = { status: 'failed', pending_reason: null, failure, updated_at: '2026-09-25T15:04:05Z' };
    expect(step.record.operation).toStrictEqual({ ...before.operation, ...ended });
    expect(step).toMatchObject({ entries: [], event: 'payin.failed' });
  });

  it('brings the outcome that was armed, and not one armed since', () => {
    const verdict = { status: 'failed', code: 'outside_hours', reason: 'outside_hours' } as const;
    const { record: held } = createPayout(payout(), ORIGIN, at(0, { settleAfterMs: SECOND, verdict }));
    const step = done(passTime(held, at(SECOND, { verdict: { status: 'confirmed' } })));
    expect(step.record.operation.failure?.code).toBe('outside_hours');
  });
});

describe('a lookup', () => {
  const others = EVERY_STATE.filter(([name]) => name !== 'processing payout');
  it.each(others)('changes nothing of a %s', (_, held) => expect(lookUp(held, at(SECOND))).toBeNull());
});

const document = { type: 'V', number: '12345678' };
const PAYMENT: Payment = {
  ...{ method: 'incoming_mobile_payment', currency: 'VES', amount: '100.50' },
  ...{ bank_code: '0102', phone: '04121234567', document },
};

describe('a payment matches', () => {
  it.each<[string, Partial<Payment>]>([
    ['all it carries', {}],
    ['the amount with more zeros', { amount: '0100.5000' }],
    ['the currency in lower case', { currency: 'ves' }],
    ['the document alone', { phone: undefined }],
    ['the phone alone', { document: undefined }],
  ])('by %s', (_, changes) => {
    expect(matchesPayment(awaitingPayment(), { ...PAYMENT, ...changes }, START)).toBe(true);
  });

  it.each<[string, Partial<Payment>]>([
    ['another method', { method: 'incoming_transfer' }],
    ['another currency', { currency: 'USD' }],
    ['another bank', { bank_code: '0102x' }],
    ['another document', { document: { type: 'V', number: '87654321' } }],
    ['another type of document', { document: { type: 'P', number: '12345678' } }],
    ['a cent less', { amount: '100.49' }],
    ['a thousandth more', { amount: '100.501' }],
    ['the amount with its sign turned', { amount: '-100.50' }],
    ['no amount', { amount: 'all' }],
    ['another phone and no document', { phone: '04120000000', document: undefined }],
    ['neither phone nor document', { phone: undefined, document: undefined }],
  ])('not with %s', (_, changes) => {
    expect(matchesPayment(awaitingPayment(), { ...PAYMENT, ...changes }, START)).toBe(false);
    expect(pay(awaitingPayment(), { ...PAYMENT, ...changes }, at())).toBeNull();
  });

  it('not a phone that the pay-in does not have', () => {
    const { payer } = payin('incoming_transfer');
    const body = payin('incoming_transfer', '1', { payer: { bank_code: '0102', document: payer.document } });
    const { record: held } = createPayin(body, ORIGIN, at());
    const payment: Payment = { ...PAYMENT, method: 'incoming_transfer' };
    expect(matchesPayment(held, payment, START)).toBe(false);
    expect(matchesPayment(held, { ...payment, phone: undefined }, START)).toBe(true);
  });

  it('inside the window alone', () => {
    expect(matchesPayment(awaitingPayment(), PAYMENT, START + 48 * HOUR - 1)).toBe(true);
    expect(matchesPayment(awaitingPayment(), PAYMENT, START + 48 * HOUR)).toBe(false);
  });

  it.each(EVERY_STATE.filter(([name]) => name !== 'awaiting_payment'))('not where it is %s', (_, held) => {
    expect(matchesPayment(held, { ...paymentFor(held) }, START)).toBe(false);
  });
});

describe('a payment', () => {
  it.each([
    ['0.49', 2, ['credit 49']],
    ['0.50', 2, ['credit 50', 'fee 1']],
    ['1050', 0, ['credit 1050', 'fee 11']],
    ['1.049', 3, ['credit 1049', 'fee 10']],
    ['90071992547409931234.50', 2, ['credit 9007199254740993123450', 'fee 90071992547409931235']],
  ])('by phone of %s with %i decimals brings the net: %j', (amount, decimals, expected) => {
    const body = payin('incoming_mobile_payment', '1', { amount });
    const { record: held } = createPayin(body, { ...ORIGIN, decimals }, at());
    expect(moved(done(pay(held, paymentFor(held), at())))).toEqual(expected);
  });

  it('does not ask the document: the money is there', () => {
    const body = payin('incoming_transfer', '00000001');
    const { record: held } = createPayin(body, ORIGIN, at());
    expect(done(pay(held, paymentFor(held), at())).record.operation.status).toBe('confirmed');
  });

  it('fails the pay-in and moves nothing where that outcome is armed', () => {
    const verdict = { status: 'failed', code: 'rejected', reason: 'other' } as const;
    const step = done(pay(awaitingPayment(), PAYMENT, at(0, { verdict })));
    expect(step.record.operation).toMatchObject({ status: 'failed', failure: { code: 'rejected' } });
    expect(step.entries).toEqual([]);
  });
});

it('paymentFor is the payment that each pay-in waits for', () => {
  const held: OperationRecord[] = [awaitingPayment(), awaitingPayment('incoming_transfer')];
  for (const one of held) expect(matchesPayment(one, paymentFor(one), START)).toBe(true);
  expect(paymentFor(awaitingPayment())).toEqual(PAYMENT);
});
