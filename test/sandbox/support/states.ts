import { expect } from 'vitest';
import type { Answered } from './answered.js';
import type { Json } from './bodies.js';
import { advance } from './expectations.js';
import { pay } from './payments.js';
import type { World } from './world.js';

const LATER = '00000002';

export interface State {
  readonly name: string;
  readonly method: string;
  readonly document?: string;
  readonly then?: (world: World, id: string, made: Answered) => Promise<unknown>;
  readonly also: readonly string[];
  readonly holds: Json;
}

const post = (action: string, body?: unknown) => (world: World, id: string) =>
  world.post(`/v2/payins/${id}/${action}`, body);
const confirmWith = (code: string) => post('confirm', { code });
const cancelPayout = (world: World, id: string): Promise<unknown> => world.post(`/v2/payouts/${id}/cancel`);
const afterTwoDays = (world: World): Promise<unknown> => advance(world, 48 * 3600);
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

function state(
  [name, method, document]: readonly [name: string, method: string, document?: string],
  holds: Json,
  also: readonly string[],
  then?: State['then'],
): State {
  return { name, method, holds, also, ...(document && { document }), ...(then && { then }) };
}

const REJECTED = failed('counterparty_rejected', 'invalid_account');
const CANCELLED = failed('cancelled', 'cancelled');
const PAID = ['expires_at', 'confirmed_at'];

export const STATES: readonly State[] = [
  state(['awaiting its code', 'debit_otp'], pending('awaiting_code'), ['code_expires_at']),
  state(['confirmed by its code', 'debit_otp'], confirmed, ['confirmed_at'], confirmWith('123456')),
  state(['of a wrong code', 'debit_otp'], failed('code_rejected', 'code_invalid'), [], confirmWith('000000')),
  state(['of an unanswered code', 'debit_otp', LATER], pending('processing'), [], confirmWith('123456')),
  state(['confirmed at once', 'direct_debit'], confirmed, ['confirmed_at']),
  state(['without a mandate', 'direct_debit', '00000022'], failed('mandate_required', 'no_mandate'), []),
  state(['in processing', 'direct_debit', LATER], pending('processing'), []),
  state(['awaiting its payment', 'incoming_mobile_payment'], pending('awaiting_payment'), ['expires_at']),
  state(['awaiting its payment', 'incoming_transfer'], pending('awaiting_payment'), ['expires_at']),
  state(['paid', 'incoming_mobile_payment'], confirmed, PAID, settle),
  state(['paid', 'incoming_transfer'], confirmed, PAID, settle),
  state(
    ['cancelled', 'incoming_transfer'],
    { ...CANCELLED, expires_at: null },
    ['expires_at'],
    post('cancel'),
  ),
  state(['expired', 'incoming_transfer'], failed('expired', 'expired'), ['expires_at'], afterTwoDays),
  state(['confirmed', 'mobile_payment'], { ...confirmed, purpose: 'remittance' }, [
    'confirmed_at',
    'purpose',
  ]),
  state(['confirmed', 'bank_transfer'], confirmed, ['confirmed_at', 'purpose']),
  state(['refused by the bank', 'bank_transfer', '00000001'], REJECTED, ['purpose']),
  state(['in processing', 'bank_transfer', LATER], pending('processing'), ['purpose']),
  state(['cancelled', 'mobile_payment', LATER], CANCELLED, ['purpose'], cancelPayout),
];
