/** Every state that an operation of each method can be in, how it is reached, and what section 2.1 says it then holds. */
import { expect } from 'vitest';
import type { Answered } from './answered.js';
import type { Json } from './bodies.js';
import { advance } from './expectations.js';
import { pay } from './payments.js';
import type { World } from './world.js';

export interface State {
  readonly name: string;
  readonly method: string;
  readonly document?: string;
  /** From the created operation to the state. */
  readonly then?: (world: World, id: string, made: Answered) => Promise<unknown>;
  /** Fields beyond the ones that are always there. */
  readonly also: readonly string[];
  readonly holds: Json;
}

const post = (action: string, body?: unknown) => (world: World, id: string) =>
  world.post(`/v2/payins/${id}/${action}`, body);
const confirmWith = (code: string) => post('confirm', { code });
const cancelPayout = (world: World, id: string): Promise<unknown> => world.post(`/v2/payouts/${id}/cancel`);
const settle = (world: World, _id: string, made: Answered): Promise<unknown> => pay(world, made);

const pending = (reason: string): Json => ({
  status: 'pending',
  pending_reason: reason,
  bank_reference: null,
  failure: null,
});
const confirmed: Json = { status: 'confirmed', pending_reason: null, failure: null };
const failed = (code: string, reason: string): Json => ({
  status: 'failed',
  pending_reason: null,
  bank_reference: null,
  failure: { code, reason, message: expect.stringMatching(/\S/) as string },
});

export const STATES: readonly State[] = [
  {
    name: 'awaiting its code',
    method: 'debit_otp',
    also: ['code_expires_at'],
    holds: pending('awaiting_code'),
  },
  {
    name: 'confirmed by its code',
    method: 'debit_otp',
    then: confirmWith('123456'),
    also: ['confirmed_at'],
    holds: confirmed,
  },
  {
    name: 'of a wrong code',
    method: 'debit_otp',
    then: confirmWith('000000'),
    also: [],
    holds: failed('code_rejected', 'code_invalid'),
  },
  {
    name: 'of an unanswered code',
    method: 'debit_otp',
    document: '00000002',
    then: confirmWith('123456'),
    also: [],
    holds: pending('processing'),
  },
  { name: 'confirmed at once', method: 'direct_debit', also: ['confirmed_at'], holds: confirmed },
  {
    name: 'without a mandate',
    method: 'direct_debit',
    document: '00000022',
    also: [],
    holds: failed('mandate_required', 'no_mandate'),
  },
  {
    name: 'in processing',
    method: 'direct_debit',
    document: '00000002',
    also: [],
    holds: pending('processing'),
  },
  {
    name: 'awaiting its payment',
    method: 'incoming_mobile_payment',
    also: ['expires_at'],
    holds: pending('awaiting_payment'),
  },
  {
    name: 'awaiting its payment',
    method: 'incoming_transfer',
    also: ['expires_at'],
    holds: pending('awaiting_payment'),
  },
  {
    name: 'paid',
    method: 'incoming_mobile_payment',
    then: settle,
    also: ['expires_at', 'confirmed_at'],
    holds: confirmed,
  },
  {
    name: 'paid',
    method: 'incoming_transfer',
    then: settle,
    also: ['expires_at', 'confirmed_at'],
    holds: confirmed,
  },
  {
    name: 'cancelled',
    method: 'incoming_transfer',
    then: post('cancel'),
    also: ['expires_at'],
    holds: { ...failed('cancelled', 'cancelled'), expires_at: null },
  },
  {
    name: 'expired',
    method: 'incoming_transfer',
    then: (world) => advance(world, 48 * 3600),
    also: ['expires_at'],
    holds: failed('expired', 'expired'),
  },
  {
    name: 'confirmed',
    method: 'mobile_payment',
    also: ['confirmed_at', 'purpose'],
    holds: { ...confirmed, purpose: 'remittance' },
  },
  { name: 'confirmed', method: 'bank_transfer', also: ['confirmed_at', 'purpose'], holds: confirmed },
  {
    name: 'refused by the bank',
    method: 'bank_transfer',
    document: '00000001',
    also: ['purpose'],
    holds: failed('counterparty_rejected', 'invalid_account'),
  },
  {
    name: 'in processing',
    method: 'bank_transfer',
    document: '00000002',
    also: ['purpose'],
    holds: pending('processing'),
  },
  {
    name: 'cancelled',
    method: 'mobile_payment',
    document: '00000002',
    then: cancelPayout,
    also: ['purpose'],
    holds: failed('cancelled', 'cancelled'),
  },
];
