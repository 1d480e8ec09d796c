import type { Rejection } from '../../../src/contract/create.js';
import type { NewPayin, NewPayout } from '../../../src/contract/body-fields.js';
import type { Method } from '../../../src/contract/operation.js';
import { createPayin, createPayout, type OperationOrigin } from '../../../src/sandbox/machine/create.js';
import { formatBankReference } from '../../../src/sandbox/machine/operation.js';
import type { Context, OperationRecord, Transition } from '../../../src/sandbox/machine/operation.js';

/** 2026-09-23T15:04:05.678Z is not a whole second, so that tests see the rounding. */
export const START = Date.UTC(2026, 8, 23, 15, 4, 5, 678);
export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;

const ID = '7ab2c3d4-5e6f-4a8b-9c0d-1e2f3a4b5c6d';
export const ORIGIN: OperationOrigin = { id: ID, companyPrefix: 'DEF', createdBy: 'company', decimals: 2 };

export function at(afterMs = 0, changes: Partial<Context> = {}): Context {
  let references = 0;
  return {
    ...{ nowMs: START + afterMs, code: '123456', settleAfterMs: 0, verdict: null },
    nextBankReference: () => formatBankReference((references += 1)),
    ...changes,
  };
}

export function payin(method: Method, number = '12345678', changes: Partial<NewPayin> = {}): NewPayin {
  const payer = { document: { type: 'V', number }, bank_code: '0102', phone: '04121234567' };
  return { amount: '100.50', country: 'VE', currency: 'VES', method, payer, ...changes };
}

export function payout(number = '12345678', changes: Partial<NewPayout> = {}): NewPayout {
  return {
    ...{ amount: '100.50', country: 'VE', currency: 'VES', method: 'mobile_payment' },
    beneficiary: { document: { type: 'V', number }, bank_code: '0102', account_number: '04121234567' },
    ...changes,
  };
}

export const awaitingCode = (number?: string): OperationRecord =>
  createPayin(payin('debit_otp', number), ORIGIN, at()).record;

export const awaitingPayment = (method: Method = 'incoming_mobile_payment'): OperationRecord =>
  createPayin(payin(method), ORIGIN, at()).record;

export const processingPayout = (): OperationRecord => createPayout(payout('00000002'), ORIGIN, at()).record;

export const processingPayin = (number?: string): OperationRecord =>
  createPayin(payin('direct_debit', number), ORIGIN, at(0, { settleAfterMs: 10 * SECOND })).record;

export const EVERY_STATE: readonly (readonly [name: string, held: OperationRecord])[] = [
  ['awaiting_code', awaitingCode()],
  ['awaiting_payment', awaitingPayment()],
  ['processing pay-in', processingPayin()],
  ['processing payout', processingPayout()],
  ['confirmed pay-in', createPayin(payin('direct_debit'), ORIGIN, at()).record],
  ['failed pay-in', createPayin(payin('direct_debit', '00000001'), ORIGIN, at()).record],
  ['confirmed payout', createPayout(payout(), ORIGIN, at()).record],
  ['failed payout', createPayout(payout('00000001'), ORIGIN, at()).record],
];

export function done(result: Transition | Rejection | null): Transition {
  if (result === null) throw new Error('nothing happened');
  if ('refusal' in result) throw new Error(`refused: ${result.refusal}`);
  return result;
}

export const moved = (step: Transition): string[] =>
  step.entries.map(({ kind, minor }) => `${kind} ${minor}`);
