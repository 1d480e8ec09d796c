import { describe, expect, it } from 'vitest';
import { create } from '../support/bodies.js';
import { advance, allEvents, balanceOf, msOf, typedEvents } from '../support/expectations.js';
import { aWorldForEachTest, world } from '../support/fresh-world.js';
import { openWorld } from '../support/world.js';

aWorldForEachTest();

const CONFIRMED = { status: 'confirmed', pending_reason: null, failure: null };
const PROCESSING = { status: 'pending', pending_reason: 'processing', failure: null, bank_reference: null };
const failed = (code: string, reason: string): object => ({
  ...{ status: 'failed', pending_reason: null, failure: { code, reason } },
});
const INVALID_ACCOUNT = failed('counterparty_rejected', 'invalid_account');
const NO_FUNDS = failed('payer_insufficient_funds', 'payer_insufficient_funds');

const PAID_OUT = { available: '-100.00', reserved: '0.00' };
const RESERVED = { available: '-100.00', reserved: '100.00' };
const CREDITED = { available: '100.00', reserved: '0.00' };
const ZERO = { available: '0.00', reserved: '0.00' };

const PAYOUT_ROWS = [
  ['00000001', INVALID_ACCOUNT, ZERO],
  ['00000002', PROCESSING, RESERVED],
  ['00000004', NO_FUNDS, ZERO],
  ['00000022', CONFIRMED, PAID_OUT],
  ['12345678', CONFIRMED, PAID_OUT],
  ['00000003', CONFIRMED, PAID_OUT],
] as const;
const DEBIT_ROWS = [
  ['00000001', INVALID_ACCOUNT, ZERO],
  ['00000002', PROCESSING, ZERO],
  ['00000004', NO_FUNDS, ZERO],
  ['00000022', failed('mandate_required', 'no_mandate'), ZERO],
  ['12345678', CONFIRMED, CREDITED],
  ['00000021', CONFIRMED, CREDITED],
] as const;
const ROWS = [
  ...['mobile_payment', 'bank_transfer'].flatMap((method) =>
    PAYOUT_ROWS.map((row) => [method, ...row] as const),
  ),
  ...DEBIT_ROWS.map((row) => ['direct_debit', ...row] as const),
];

describe.each(ROWS)('%s to document %s', (method, document, outcome, balance) => {
  it('has its outcome in the 201, its balance and at most one event', async () => {
    const made = await create(world, method, { document });
    expect(made.status).toBe(201);
    expect(made.json).toMatchObject(outcome);
    expect(await balanceOf(world)).toEqual(balance);
    const events = await allEvents(world);
    expect(events.map(({ data }) => data)).toEqual(made.json.status === 'pending' ? [] : [made.json]);
  });

  it('waits in processing where the sandbox settles later, and ends the same', async () => {
    const world = await openWorld({ settleAfterSeconds: 10 });
    const made = await create(world, method, { document });
    expect(made.json).toMatchObject(PROCESSING);
    expect(await balanceOf(world)).toEqual(method === 'direct_debit' ? ZERO : RESERVED);
    await advance(world, 9);
    expect(await allEvents(world)).toHaveLength(0);
    if (document === '00000002') return;
    await advance(world, 1);
    expect((await world.get(`/v2/transactions/${made.json.id}`)).json).toMatchObject(outcome);
    expect(await balanceOf(world)).toEqual(balance);
    expect(await allEvents(world)).toHaveLength(1);
  });
});

describe.each(['mobile_payment', 'bank_transfer', 'direct_debit'])('a %s to document 00000002', (method) => {
  const [kind, route] = method === 'direct_debit' ? ['payin', 'payins'] : ['payout', 'payouts'];

  it.each(['own', 'transactions'])('is confirmed by the first lookup on the %s route', async (where) => {
    const { id } = (await create(world, method, { document: '00000002' })).json;
    await advance(world, 5);
    const path = where === 'own' ? route : 'transactions';
    const first = await world.get(`/v2/${path}/${id}`);
    expect(first.json).toMatchObject(CONFIRMED);
    expect(msOf(first.json.confirmed_at) - msOf(first.json.created_at)).toBe(5000);
    expect((await world.get(`/v2/${path}/${id}`)).json).toEqual(first.json);
    expect(await balanceOf(world)).toEqual(kind === 'payin' ? CREDITED : PAID_OUT);
    expect(await typedEvents(world)).toEqual([[`${kind}.confirmed`, first.json]]);
  });

  it('is not looked up by a replay, by the events or by the balance', async () => {
    const call = { document: '00000002', idempotencyKey: 'the-same-key' };
    await create(world, method, call);
    await allEvents(world);
    await balanceOf(world);
    for (const _ of [1, 2]) expect((await create(world, method, call)).json).toMatchObject(PROCESSING);
    expect(await allEvents(world)).toHaveLength(0);
  });

  it('is confirmed by itself 60 seconds after its creation', async () => {
    const { json } = await create(world, method, { document: '00000002' });
    await advance(world, 59);
    expect(await allEvents(world)).toHaveLength(0);
    await advance(world, 3600);
    const [event] = await allEvents(world);
    expect(event!.type).toBe(`${kind}.confirmed`);
    expect(msOf(event!.data.confirmed_at) - msOf(json.created_at)).toBe(60_000);
    expect(msOf(event!.occurred_at) - msOf(json.created_at)).toBe(60_000);
  });

  it('is not confirmed by a lookup of another company', async () => {
    const { id } = (await create(world, method, { document: '00000002' })).json;
    const { api_key: key } = (await world.control('POST', '/keys', { company: 'other' })).json;
    expect((await world.get(`/v2/transactions/${id}`, { key })).status).toBe(404);
    expect(await allEvents(world)).toHaveLength(0);
  });
});

describe('the clock of the machine', () => {
  it('settles what is due as well as the control route does', async () => {
    const world = await openWorld({ settleAfterSeconds: 10 });
    await create(world, 'bank_transfer');
    world.clock.advance(10_000);
    expect((await allEvents(world)).map(({ type }) => type)).toEqual(['payout.confirmed']);
    expect(await balanceOf(world)).toEqual(PAID_OUT);
  });
});

describe('the balance', () => {
  it('is accounting, not a brake: payouts are sent below zero', async () => {
    for (let sent = 0; sent < 3; sent++)
      expect((await create(world, 'bank_transfer')).json.status).toBe('confirmed');
    expect(await balanceOf(world)).toEqual({ available: '-300.00', reserved: '0.00' });
  });

  it('adds up to the cent over many small amounts', async () => {
    for (const amount of ['1.10', '2.20', '3.30', '1.01']) await create(world, 'direct_debit', { amount });
    await create(world, 'bank_transfer', { amount: '1.99' });
    expect(await balanceOf(world)).toEqual({ available: '5.62', reserved: '0.00' });
  });

  it('has only strings, and VES at zero or nothing at the start', async () => {
    const { json } = await world.get('/v2/balances');
    expect(Object.keys(json)).toEqual(['balances']);
    for (const entry of json.balances) {
      expect(Object.keys(entry).sort()).toEqual(['available', 'currency', 'reserved']);
      expect([Number(entry.available), Number(entry.reserved)]).toEqual([0, 0]);
      expect([typeof entry.available, typeof entry.reserved]).toEqual(['string', 'string']);
    }
  });
});
