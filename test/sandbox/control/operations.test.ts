import { describe, expect, it } from 'vitest';
import { PAYOUT } from '../store/request.js';
import type { Answered } from '../support/answered.js';
import { create } from '../support/bodies.js';
import { NOBODY } from '../support/endpoints.js';
import { allEvents, balanceOf, expectRefusal } from '../support/expectations.js';
import { pay } from '../support/payments.js';
import type { Reply } from '../support/exchange.js';
import { openWorld, type World } from '../support/world.js';

async function list(world: World, query = ''): Promise<Answered> {
  const reply = await world.control('GET', `/operations${query}`);
  expect(reply.status).toBe(200);
  return reply.json;
}

const idsOf = ({ operations }: Answered): string[] => operations.map(({ id }) => id);
const payout = (world: World, reference?: string): Promise<Reply> =>
  world.post('/v2/payouts', { ...PAYOUT, reference }, { idempotencyKey: world.freshKey() });

describe('the list', () => {
  it('has each operation as the service answers it, whose it is, and what it waits for', async () => {
    const world = await openWorld();
    const code = (await create(world, 'debit_otp')).json;
    const incoming = (await create(world, 'incoming_mobile_payment')).json;
    const bank = (await create(world, 'mobile_payment', { document: '00000002' })).json;
    const metadata = '{"number":1.10,"text":"<b>"}';
    const body = JSON.stringify(PAYOUT).replace('{', `{"metadata":${metadata},`);
    const done = await world.post('/v2/payouts', body, { idempotencyKey: 'key-of-the-test' });
    const { operations, next } = await list(world);
    expect(next).toBeNull();
    expect(operations.map(({ operation }) => operation)).toEqual([code, incoming, bank, done.json]);
    expect((await world.control('GET', '/operations')).text).toContain(`"operation":${done.text}`);
    const payment = {
      ...{ method: 'incoming_mobile_payment', currency: 'VES', amount: '100.00' },
      ...{ bank_code: expect.any(String) as string, phone: expect.any(String) as string },
      document: { type: expect.any(String) as string, number: '12345678' },
    };
    const own = { environment: 'sandbox', company: 'default' };
    const payin = { ...own, direction: 'payin' };
    const payout = { ...own, direction: 'payout' };
    expect(operations.map(({ operation: _, ...rest }) => rest)).toEqual([
      { ...payin, id: code.id, waits_for: { kind: 'code', until: code.code_expires_at } },
      { ...payin, id: incoming.id, waits_for: { kind: 'payment', until: incoming.expires_at, payment } },
      { ...payout, id: bank.id, waits_for: { kind: 'bank', until: '2026-09-23T15:05:05Z' } },
      { ...payout, id: done.json.id, waits_for: null },
    ]);
    const waiting = await list(world, '?waits=true');
    expect(idsOf(waiting)).toEqual([code.id, incoming.id, bank.id]);
    const counts = [{ company: 'default', environment: 'sandbox', count: 3 }];
    expect(await list(world, '?waits=true&counts=true&limit=1')).toMatchObject({ next: code.id, counts });
    await world.control('POST', '/payments', waiting.operations[1]?.waits_for?.payment);
    expect(idsOf(await list(world, '?waits=true'))).toEqual([code.id, bank.id]);
  });

  it('does not count as a lookup', async () => {
    const world = await openWorld();
    const bank = (await create(world, 'mobile_payment', { document: '00000002' })).json;
    await list(world);
    await world.control('GET', `/operations/${bank.id}`);
    expect((await list(world)).operations[0]?.operation.status).toBe('pending');
  });

  it('comes in pages, of both environments and every company', async () => {
    const world = await openWorld();
    const made = [];
    for (const body of [{}, { company: 'acme' }, { environment: 'live' }]) {
      const { api_key: key } = (await world.control('POST', '/keys', body)).json;
      const prefix = 'environment' in body ? '' : '/sandbox';
      const call = { key, body: PAYOUT, idempotencyKey: 'key-of-the-test' };
      made.push((await world.send('POST', `${prefix}/v2/payouts`, call)).json.id);
    }
    const first = await list(world, '?limit=2');
    expect([idsOf(first), first.next]).toEqual([made.slice(0, 2), made[1]]);
    const second = await list(world, `?limit=2&after=${String(made[1])}`);
    expect([idsOf(second), second.next]).toEqual([made.slice(2), null]);
    const all = [...first.operations, ...second.operations];
    const whose = all.map(({ company, environment }) => `${company} ${environment}`);
    expect(whose).toEqual(['default sandbox', 'acme sandbox', 'default live']);
    const back = await list(world, `?limit=1&before=${String(made[2])}`);
    expect(idsOf(await list(world, '?limit=2&before=newest'))).toEqual([made[2], made[1]]);
    expect([idsOf(back), back.next]).toEqual([[made[1]], made[1]]);
  });

  it('is narrowed down by status, and searched by id and reference', async () => {
    const world = await openWorld();
    const first = (await payout(world, 'Invoice 77')).json.id;
    const second = (await payout(world, '100%_')).json.id;
    const failed = (await create(world, 'mobile_payment', { document: '00000001' })).json.id;
    expect(idsOf(await list(world, '?status=failed'))).toEqual([failed]);
    expect(idsOf(await list(world, '?status=confirmed'))).toEqual([first, second]);
    expect(idsOf(await list(world, '?status=failed&waits=true'))).toEqual([]);
    expect(idsOf(await list(world, '?search=INVOICE'))).toEqual([first]);
    expect(idsOf(await list(world, '?search=%25'))).toEqual([second]);
    expect(idsOf(await list(world, '?search=_'))).toEqual([second]);
    expect(idsOf(await list(world, `?search=${second.slice(0, 8).toUpperCase()}`))).toEqual([second]);
    expect(idsOf(await list(world, '?search='))).toEqual([first, second, failed]);
    expect(idsOf(await list(world, `?search=${encodeURIComponent("' OR 1=1 --")}`))).toEqual([]);
    expect(idsOf(await list(world, '?search=7&status=failed'))).not.toContain(first);
  });

  it('is narrowed down by method, company, environment and when it was made', async () => {
    const world = await openWorld();
    const old = (await create(world, 'debit_otp')).json;
    world.clock.advance(3_600_000);
    const { api_key: key } = (await world.control('POST', '/keys', { company: 'acme' })).json;
    const other = (await world.post('/v2/payouts', PAYOUT, { key, idempotencyKey: world.freshKey() })).json;
    expect(idsOf(await list(world, '?method=debit_otp'))).toEqual([old.id]);
    expect(idsOf(await list(world, '?company=acme'))).toEqual([other.id]);
    expect(idsOf(await list(world, '?company=acme&environment=live'))).toEqual([]);
    expect(idsOf(await list(world, '?environment=sandbox'))).toEqual([old.id, other.id]);
    const made = encodeURIComponent(other.created_at);
    expect(idsOf(await list(world, `?from=${made}`))).toEqual([other.id]);
    expect(idsOf(await list(world, `?to=${made}`))).toEqual([old.id]);
    const madrid = new Date(Date.parse(other.created_at) + 3_600_000).toISOString().replace('Z', '%2B01:00');
    expect(idsOf(await list(world, `?from=${madrid}&method=mobile_payment`))).toEqual([other.id]);
  });

  it('says which older pay-in a payment goes to first, in a list that is short', async () => {
    const world = await openWorld();
    const older = (await create(world, 'incoming_transfer', { fields: { reference: 'rent' } })).json;
    const younger = (await create(world, 'incoming_transfer')).json;
    const firstOf = async (query: string): Promise<unknown[]> =>
      (await list(world, query)).operations.map(({ waits_for: waits }) => waits?.paid_first);
    const first = { id: older.id, reference: 'rent', company: 'default', environment: 'sandbox' };
    expect(await firstOf('?limit=10')).toEqual([null, first]);
    expect(await firstOf('?limit=11')).toEqual([undefined, undefined]);
    const whole = async () => (await world.control('GET', `/operations/${younger.id}`)).json;
    expect((await whole()).waits_for?.paid_first).toEqual(first);
    const paid = await world.control('POST', '/payments', { for: younger.id });
    expect(paid.json).toEqual({ attributed_to: older.id });
    expect((await whole()).waits_for?.paid_first).toBeNull();
  });

  const REFUSED = 'environment=prod from=yesterday to=2026-13-01T00:00:00Z limit=0 limit=201 after=x';
  it.each([...REFUSED.split(' '), `after=${NOBODY}`, 'status=x', 'waits=1'])('refuses %s', async (query) => {
    const world = await openWorld();
    const reply = await world.control('GET', `/operations?${query}`);
    expect([reply.status, reply.json.error.code]).toEqual([400, 'field_invalid']);
  });
});

it('one operation has its requests, events and deliveries', async () => {
  const world = await openWorld();
  await world.post('/v2/webhook-endpoints', { url: 'https://example.com/hook' });
  const { id } = (await payout(world)).json;
  await payout(world);
  await world.get(`/v2/payouts/${id.toUpperCase()}`);
  const [event] = await allEvents(world);
  const reply = await world.control('GET', `/operations/${id}`);
  const { deliveries } = (await world.control('GET', '/deliveries')).json;
  const events = [{ id: event?.id, type: 'payout.confirmed', occurred_at: event?.occurred_at }];
  const beside = { requests: [2, 4], events, deliveries: [deliveries[0]?.id] };
  expect(reply.json).toMatchObject({ id, waits_for: null, ...beside });
});

it.each(['x', '%2e', NOBODY, "'--"])('%s is no operation', async (id) => {
  const world = await openWorld();
  expectRefusal(await world.control('GET', `/operations/${id}`), 'not_found');
  for (const action of ['settle', 'expire'])
    expectRefusal(await world.control('POST', `/operations/${id}/${action}`, {}), 'not_found');
});

describe("the bank's answer", () => {
  it('confirms what waits for it, and its money moves', async () => {
    const world = await openWorld();
    const { id } = (await create(world, 'mobile_payment', { document: '00000002' })).json;
    const reply = await world.control('POST', `/operations/${id}/settle`, { status: 'confirmed' });
    expect(reply.json).toMatchObject({ id, operation: { status: 'confirmed' }, waits_for: null });
    expect(await balanceOf(world)).toEqual({ available: '-100.00', reserved: '0.00' });
    expect(await allEvents(world)).toMatchObject([{ type: 'payout.confirmed' }]);
  });

  it('fails it with any code and reason of the contract', async () => {
    const world = await openWorld({ settleAfterSeconds: 60 });
    const { id } = (await create(world, 'direct_debit')).json;
    const failure = { code: 'limit_exceeded', reason: 'daily_limit' };
    const reply = await world.control('POST', `/operations/${id}/settle`, { status: 'failed', failure });
    expect(reply.json.operation).toMatchObject({ status: 'failed', failure });
    const again = await world.control('POST', `/operations/${id}/settle`, { status: 'confirmed' });
    expect([again.status, again.json.error.code]).toEqual([409, 'invalid_state']);
    await world.control('POST', '/clock', { advance_seconds: 60 });
    expect((await world.get(`/v2/payins/${id}`)).json).toMatchObject({ status: 'failed', failure });
  });
});

function expectInvalidState(reply: Reply): void {
  expect([reply.status, reply.json.error.code]).toEqual([409, 'invalid_state']);
}

describe('the end', () => {
  it('of a window fails the pay-in as expired: a payment comes too late', async () => {
    const world = await openWorld();
    const payin = (await create(world, 'incoming_mobile_payment')).json;
    const reply = await world.control('POST', `/operations/${payin.id}/expire`);
    expect(reply.json.operation).toMatchObject({ status: 'failed', failure: { code: 'expired' } });
    expect(await pay(world, payin)).toBeNull();
    expect(await allEvents(world)).toMatchObject([{ type: 'payin.failed' }]);
    expectInvalidState(await world.control('POST', `/operations/${payin.id}/expire`));
  });

  it('of a code makes the right one come too late, and a new one is good again', async () => {
    const world = await openWorld();
    const [late, resent] = [(await create(world, 'debit_otp')).json, (await create(world, 'debit_otp')).json];
    const now = '2026-09-23T15:04:05Z';
    for (const { id } of [late, resent]) {
      const reply = await world.control('POST', `/operations/${id}/expire`, {});
      const operation = { status: 'pending', pending_reason: 'awaiting_code', code_expires_at: now };
      expect(reply.json).toMatchObject({ operation, waits_for: { kind: 'code', until: now } });
      expectInvalidState(await world.control('POST', `/operations/${id}/expire`));
    }
    const confirmed = await world.post(`/v2/payins/${late.id}/confirm`, { code: world.code });
    expect(confirmed.json.failure).toMatchObject({ reason: 'code_expired' });
    await world.post(`/v2/payins/${resent.id}/resend-code`);
    const good = await world.post(`/v2/payins/${resent.id}/confirm`, { code: world.code });
    expect(good.json.status).toBe('confirmed');
  });

  it("of nothing is in the bank's answer, and it takes no body", async () => {
    const world = await openWorld();
    const bank = (await create(world, 'mobile_payment', { document: '00000002' })).json;
    expectInvalidState(await world.control('POST', `/operations/${bank.id}/expire`));
    const reply = await world.control('POST', `/operations/${bank.id}/expire`, { now: true });
    expect([reply.status, reply.json.error.code]).toEqual([400, 'field_invalid']);
  });
});

describe('the next thing that is due', () => {
  it('is named: a window, an answer of the bank, a delivery', async () => {
    const world = await openWorld();
    const due = async (): Promise<unknown> => (await world.control('GET', '/clock')).json.next_due;
    expect(await due()).toBeNull();
    world.clock.advance(300);
    const incoming = (await create(world, 'incoming_mobile_payment')).json;
    expect(await due()).toEqual({ at: '2026-09-25T15:04:06Z', what: `payin ${incoming.id} expires` });
    const bank = (await create(world, 'mobile_payment', { document: '00000002' })).json;
    const what = `the bank answers about payout ${bank.id}`;
    expect(await due()).toEqual({ at: '2026-09-23T15:05:06Z', what });
    await world.post('/v2/webhook-endpoints', { url: 'https://example.com/hook' });
    await payout(world);
    const [delivery] = (await world.control('GET', '/deliveries')).json.deliveries;
    expect(await due()).toEqual({
      at: '2026-09-23T15:04:06Z',
      what: `attempt 1 of delivery ${String(delivery?.id)} (payout.confirmed)`,
    });
  });
});
