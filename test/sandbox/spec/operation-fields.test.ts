import { describe, expect, it } from 'vitest';
import type { Answered } from '../support/answered.js';
import { create } from '../support/bodies.js';
import { msOf } from '../support/expectations.js';
import { STATES, type State } from '../support/states.js';
import { openWorld } from '../support/world.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const ALWAYS = [
  ...['id', 'type', 'country', 'currency', 'method', 'amount', 'status', 'pending_reason', 'bank_reference'],
  ...['failure', 'metadata', 'concept', 'created_by', 'created_at', 'updated_at'],
];

const kindOf = (method: string): 'payin' | 'payout' =>
  ['mobile_payment', 'bank_transfer'].includes(method) ? 'payout' : 'payin';

async function reach({ method, document, then }: State): Promise<Answered> {
  const world = await openWorld();
  const wanted = { idempotencyKey: 'the-only-key', ...(document === undefined ? {} : { document }) };
  const made = await create(world, method, wanted);
  expect(made.status).toBe(201);
  await then?.(world, made.json.id, made.json);
  // A replay answers the operation as it is now and, unlike a lookup, settles nothing.
  return (await create(world, method, wanted)).json;
}

describe.each(STATES)('a $method that is $name', (state) => {
  it('has exactly its fields', async () => {
    expect(Object.keys(await reach(state)).sort()).toEqual([...ALWAYS, ...state.also].sort());
  });

  it('holds what its state says', async () => {
    const operation = await reach(state);
    expect(operation).toMatchObject({
      ...{ type: kindOf(state.method), method: state.method, country: 'VE', currency: 'VES' },
      ...{ amount: '100.00', metadata: {}, created_by: 'company' },
      ...state.holds,
    });
    expect(operation.id).toMatch(UUID);
    expect(msOf(operation.updated_at)).toBeGreaterThanOrEqual(msOf(operation.created_at));
    const word = kindOf(state.method) === 'payin' ? 'Cobro' : 'Pago';
    expect(operation.concept).toMatch(
      new RegExp(`^${word} [A-Z]{3}${operation.id.slice(0, 6).toUpperCase()}$`),
    );
    if (operation.status === 'confirmed') {
      expect(operation.bank_reference).toMatch(/^[0-9]{8}$/);
      expect(msOf(operation.confirmed_at)).toBeGreaterThanOrEqual(msOf(operation.created_at));
    }
    for (const time of [operation.code_expires_at, operation.expires_at])
      if (typeof time === 'string') expect(msOf(time)).toBeGreaterThan(msOf(operation.created_at));
  });
});
