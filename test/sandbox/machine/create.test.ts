/** The first step of every method: its state, the fields that are there, and the money that moves. */
import { describe, expect, it } from 'vitest';
import type { Method } from '../../../src/contract/operation.js';
import { createPayin, createPayout } from '../../../src/sandbox/machine/create.js';
import { at, HOUR, moved, ORIGIN, payin, payout, SECOND, START } from './given.js';

const ALWAYS = {
  id: ORIGIN.id,
  country: 'VE',
  currency: 'VES',
  amount: '100.50',
  bank_reference: null,
  failure: null,
  metadata: {},
  created_by: 'company',
  created_at: '2026-09-23T15:04:05Z',
  updated_at: '2026-09-23T15:04:05Z',
};
const PAYIN = { ...ALWAYS, type: 'payin', concept: 'Cobro DEF7AB2C3' };
const PAYOUT = { ...ALWAYS, type: 'payout', purpose: 'remittance', concept: 'Pago DEF7AB2C3' };
const CONFIRMED = { status: 'confirmed', pending_reason: null, bank_reference: '00000001' };

describe('a pay-in', () => {
  it('by debit_otp awaits the code that was requested, for five minutes', () => {
    const step = createPayin(payin('debit_otp'), ORIGIN, at());
    expect(step).toMatchObject({ entries: [], event: null });
    expect(step.held.operation).toStrictEqual({
      ...PAYIN,
      method: 'debit_otp',
      status: 'pending',
      pending_reason: 'awaiting_code',
      code_expires_at: '2026-09-23T15:09:05Z',
    });
    expect(step.held.hidden).toMatchObject({
      resends: 0,
      due_at: null,
      code_expires_at: START + 300 * SECOND,
    });
  });

  it.each<[Method, number | undefined, number]>([
    ['incoming_transfer', undefined, 48],
    ['incoming_mobile_payment', 1, 1],
    ['incoming_mobile_payment', 72, 72],
  ])('by %s waits %s hours for its payment', (method, hours, expected) => {
    const terms = hours === undefined ? {} : { expires_in_hours: hours };
    const step = createPayin(payin(method, '00000001', terms), ORIGIN, at());
    expect(step).toMatchObject({ entries: [], event: null });
    expect(step.held.operation).toStrictEqual({
      ...PAYIN,
      method,
      status: 'pending',
      pending_reason: 'awaiting_payment',
      expires_at: new Date(START + expected * HOUR).toISOString().slice(0, 19) + 'Z',
    });
    expect(step.held.hidden.due_at).toBe(START + expected * HOUR);
  });

  it('by direct_debit is confirmed at once, the whole amount in the balance', () => {
    const step = createPayin(payin('direct_debit'), ORIGIN, at());
    expect(step.held.operation).toStrictEqual({
      ...PAYIN,
      ...CONFIRMED,
      method: 'direct_debit',
      confirmed_at: '2026-09-23T15:04:05Z',
    });
    expect(moved(step)).toEqual(['credit 10050']);
    expect(step.event).toBe('payin.confirmed');
  });

  it.each([
    ['00000001', 'counterparty_rejected', 'invalid_account', 'The account or phone does not exist.'],
    ['00000004', 'payer_insufficient_funds', 'payer_insufficient_funds', 'The payer lacks funds.'],
    ['00000022', 'mandate_required', 'no_mandate', 'There is no authorization for the debit.'],
  ])('by direct_debit of %s fails with %s', (number, code, reason, message) => {
    const step = createPayin(payin('direct_debit', number), ORIGIN, at());
    expect(step.held.operation).toStrictEqual({
      ...PAYIN,
      method: 'direct_debit',
      status: 'failed',
      pending_reason: null,
      failure: { code, reason, message },
    });
    expect(step).toMatchObject({ entries: [], event: 'payin.failed' });
  });
});

describe('a payout', () => {
  it('is confirmed at once: reserved, then captured', () => {
    const step = createPayout(payout(), ORIGIN, at());
    expect(step.held.operation).toStrictEqual({
      ...PAYOUT,
      ...CONFIRMED,
      method: 'mobile_payment',
      confirmed_at: '2026-09-23T15:04:05Z',
    });
    expect(moved(step)).toEqual(['reserve 10050', 'capture 10050']);
    expect(step.event).toBe('payout.confirmed');
  });

  it('takes the next bank reference, and only where it is confirmed', () => {
    const context = at();
    const referenceOf = (number: string): string | null =>
      createPayout(payout(number), ORIGIN, context).held.operation.bank_reference;
    expect(['1', '00000001', '00000002', '2'].map(referenceOf)).toEqual(['00000001', null, null, '00000002']);
  });

  it.each([
    ['00000001', 'counterparty_rejected'],
    ['00000004', 'payer_insufficient_funds'],
  ])('to %s fails with %s: reserved, then released', (number, code) => {
    const step = createPayout(payout(number), ORIGIN, at());
    expect(step.held.operation).toMatchObject({ status: 'failed', failure: { code }, bank_reference: null });
    expect(moved(step)).toEqual(['reserve 10050', 'release 10050']);
    expect(step.event).toBe('payout.failed');
  });

  it('to 00000022 is confirmed, for it needs no mandate', () => {
    expect(createPayout(payout('00000022'), ORIGIN, at()).held.operation.status).toBe('confirmed');
  });

  it('to 00000002 is processing for a minute, however slow outcomes are set to be', () => {
    for (const settleAfterMs of [0, 5 * SECOND, HOUR]) {
      const step = createPayout(payout('00000002'), ORIGIN, at(0, { settleAfterMs }));
      expect(step.held.operation).toStrictEqual({
        ...PAYOUT,
        method: 'mobile_payment',
        status: 'pending',
        pending_reason: 'processing',
      });
      expect(step.held.hidden).toMatchObject({ due_at: START + 60 * SECOND, settles_on_lookup: true });
      expect(moved(step)).toEqual(['reserve 10050']);
      expect(step.event).toBeNull();
    }
  });
});

describe('what the caller sent', () => {
  it('comes back: reference, metadata, purpose; country and currency in capitals', () => {
    const changes = { reference: '', metadata: { a: [1, { b: null }] }, country: 've', currency: 'vEs' };
    const sent = createPayout(payout('1', { ...changes, purpose: 'payroll' }), ORIGIN, at());
    expect(sent.held.operation).toMatchObject({
      ...changes,
      country: 'VE',
      currency: 'VES',
      purpose: 'payroll',
    });
    expect(createPayin(payin('debit_otp', '1', changes), ORIGIN, at()).held.operation).toMatchObject({
      reference: '',
      metadata: changes.metadata,
    });
  });

  it.each([
    ['10', 2, '10.00', 1000n],
    ['0010.5', 2, '10.50', 1050n],
    ['10', 0, '10', 10n],
    ['10.125', 3, '10.125', 10_125n],
    ['90071992547409931234.01', 2, '90071992547409931234.01', 9007199254740993123401n],
  ])('%s with %i decimals is %s', (amount, decimals, written, minor) => {
    const step = createPayout(payout('1', { amount }), { ...ORIGIN, decimals }, at());
    expect(step.held.operation.amount).toBe(written);
    expect(step.entries[0]).toEqual({ kind: 'reserve', currency: 'VES', minor });
  });

  it('is never rounded: an amount with too many decimals is a defect of the caller', () => {
    expect(() => createPayout(payout('1', { amount: '1.001' }), ORIGIN, at())).toThrow(RangeError);
    expect(() => createPayin(payin('debit_otp', '1', { amount: '1e3' }), ORIGIN, at())).toThrow(RangeError);
  });
});
