import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Rejection } from '../../../src/contract/create.js';
import { eventTypeOf } from '../../../src/contract/events.js';
import { isFailure } from '../../../src/contract/failures.js';
import { isFinal, type Method, METHOD_CODES, METHODS } from '../../../src/contract/operation.js';
import type { Operation } from '../../../src/contract/operation-members.js';
import { toMinor } from '../../../src/contract/money.js';
import { applyEntry, NO_FUNDS, type Funds } from '../../../src/sandbox/machine/operation.js';
import type { BankVerdict } from '../../../src/sandbox/machine/operation.js';
import type { Context, OperationRecord, Transition } from '../../../src/sandbox/machine/operation.js';
import { cancel } from '../../../src/sandbox/machine/settle.js';
import { confirm, resend, lookUp, pay, paymentFor, passTime } from '../../../src/sandbox/machine/passage.js';
import { createPayin, createPayout } from '../../../src/sandbox/machine/create.js';
import { at, HOUR, ORIGIN, payin, payout } from './given.js';

type Action = (held: OperationRecord, context: Context) => Transition | Rejection | null;

const ACTIONS: Readonly<Record<string, Action>> = {
  'right code': (held, context) => confirm(held, '123456', context),
  'wrong code': (held, context) => confirm(held, '000000', context),
  ...{ resend, cancel, lookup: lookUp, timePasses: passTime },
  payment: (held, context) => pay(held, paymentFor(held), context),
  'payment of another': (held, context) => pay(held, { ...paymentFor(held), amount: '0.01' }, context),
};

const VERDICTS: readonly (BankVerdict | null)[] = [
  ...[null, null, { status: 'confirmed' } as const],
  { status: 'failed', code: 'limit_exceeded', reason: 'daily_limit' },
  { status: 'failed', code: 'cancelled', reason: 'cancelled' },
];

const amountOf = (minor: bigint) => `${minor / 100n}.${(minor % 100n).toString().padStart(2, '0')}`;
const create = fc.record({
  method: fc.constantFrom(...METHOD_CODES),
  number: fc.constantFrom('12345678', '00000001', '00000002', '00000004', '00000022'),
  amount: fc.bigInt(100n, 10n ** 24n).map(amountOf),
  settleAfterMs: fc.constantFrom(0, 5_000),
  verdict: fc.constantFrom(...VERDICTS),
});
const call = fc.record({
  target: fc.nat(),
  action: fc.constantFrom(...Object.keys(ACTIONS)),
  waitMs: fc.oneof(fc.nat(10_000), fc.nat(400_000), fc.nat(50 * HOUR)),
  verdict: fc.constantFrom(...VERDICTS),
});

const news = fc.array(create, { minLength: 1, maxLength: 5 });
const calls = fc.array(call, { maxLength: 25 });

it('holds for any operations and any calls', () => {
  const property = fc.property(news, calls, (made, called) => {
    const world = new World();
    for (const { method, number, amount, settleAfterMs, verdict } of made)
      world.create(method, number, amount, at(0, { settleAfterMs, verdict }));
    let passed = 0;
    for (const { target, action, waitMs, verdict } of called) {
      passed += waitMs;
      world.act(target % made.length, action, at(passed, { verdict }));
    }
    world.check();
  });
  fc.assert(property, { numRuns: 400 });
});

class World {
  private funds: Funds = NO_FUNDS;
  private readonly operations: OperationRecord[] = [];
  private readonly events = new Map<number, string[]>();

  create(method: Method, number: string, amount: string, context: Context): void {
    const step =
      METHODS[method].direction === 'payin'
        ? createPayin(payin(method, number, { amount }), ORIGIN, context)
        : createPayout(payout(number, { amount, method }), ORIGIN, context);
    this.take(this.operations.length, null, step);
  }

  act(index: number, action: string, context: Context): void {
    const before = this.operations[index]!;
    const copy = structuredClone(before);
    const result = ACTIONS[action]!(before, context);
    expect(before).toEqual(copy);
    if (result === null || 'refusal' in result) return;
    expect(isFinal(before.operation.status), `${action} left ${before.operation.status}`).toBe(false);
    expect(result.record.operation.updated_at).toBe(new Date(context.nowMs).toISOString().slice(0, 19) + 'Z');
    this.take(index, before, result);
  }

  private take(index: number, before: OperationRecord | null, step: Transition): void {
    const { operation } = step.record;
    const before1 = this.funds;
    for (const entry of step.entries) {
      expect(entry.minor).toBeGreaterThan(0n);
      expect(entry.currency).toBe(operation.currency);
      this.funds = applyEntry(this.funds, entry);
    }
    const total = (funds: Funds): bigint => funds.available + funds.reserved;
    const sum = (kind: string) => step.entries.reduce((s, e) => (e.kind === kind ? s + e.minor : s), 0n);
    expect(total(this.funds) - total(before1)).toBe(sum('credit') - sum('fee') - sum('capture'));
    const { type, status } = operation;
    expect(step.event).toBe(status === 'pending' ? null : eventTypeOf(type, status));
    if (status !== 'pending') this.events.set(index, [...(this.events.get(index) ?? []), operation.status]);
    if (before !== null) expect(immutable(operation)).toEqual(immutable(before.operation));
    expectLegal(step.record);
    this.operations[index] = step.record;
  }

  check(): void {
    let [available, reserved] = [0n, 0n];
    this.operations.forEach(({ operation, hidden }, index) => {
      const minor = toMinor(operation.amount, hidden.decimals) ?? 0n;
      const fee = operation.method === 'incoming_mobile_payment' ? (minor + 50n) / 100n : 0n;
      if (operation.type === 'payin' && operation.status === 'confirmed') available += minor - fee;
      if (operation.type === 'payout' && operation.status !== 'failed') available -= minor;
      if (operation.type === 'payout' && operation.status === 'pending') reserved += minor;
      expect(this.events.get(index) ?? []).toEqual(isFinal(operation.status) ? [operation.status] : []);
    });
    expect(this.funds).toEqual({ available, reserved });
  }
}

function immutable(operation: Operation): unknown[] {
  const { id, type, country, currency, method, amount, reference, metadata, purpose, concept } = operation;
  const told = [id, type, country, currency, method, amount, reference, metadata, purpose, concept];
  return [...told, operation.created_at];
}

function expectLegal({ operation, hidden }: OperationRecord): void {
  const { status, pending_reason: reason, method } = operation;
  const isWaiting = reason === 'awaiting_payment';
  expect(reason !== null).toBe(status === 'pending');
  if (reason === 'awaiting_code') expect(method).toBe('debit_otp');
  if (isWaiting) expect(METHODS[method].flow).toBe('payment');
  if (reason === 'processing') expect(METHODS[method].flow).not.toBe('payment');
  expect('code_expires_at' in operation).toBe(reason === 'awaiting_code');
  expect(hidden.code_expires_at !== null).toBe(reason === 'awaiting_code');
  expect('expires_at' in operation).toBe(METHODS[method].flow === 'payment');
  if (METHODS[method].flow === 'payment')
    expect(operation.expires_at === null).toBe(operation.failure?.code === 'cancelled');
  expect(operation.bank_reference !== null).toBe(status === 'confirmed');
  expect('confirmed_at' in operation).toBe(status === 'confirmed');
  expect(operation.failure !== null).toBe(status === 'failed');
  if (operation.failure !== null)
    expect(isFailure(operation.failure.code, operation.failure.reason)).toBe(true);
  expect('purpose' in operation).toBe(operation.type === 'payout');
  expect(hidden.due_at !== null).toBe(reason === 'awaiting_payment' || reason === 'processing');
  if (hidden.settles_on_lookup) expect(reason).toBe('processing');
}
