import { describe, expect, it } from 'vitest';
import { changed, create, type Json, routeOf, validBody } from '../support/bodies.js';
import { advance, allEvents, balanceOf, expectInvalid, expectRefusal } from '../support/expectations.js';
import { msOf, requiredField } from '../support/expectations.js';
import type { Reply } from '../support/exchange.js';
import { aWorldForEachTest, world } from '../support/fresh-world.js';
import { openWorld, type World } from '../support/world.js';

aWorldForEachTest();

const KEY = 'the-key-of-one-request';
const DAY = 86_400;

const TRIED_METHODS = ['debit_otp', 'direct_debit', 'incoming_transfer', 'bank_transfer'];

describe.each(TRIED_METHODS)('a create of %s', (method) => {
  it('needs a key', async () => {
    const reply = await world.post(routeOf(method), await validBody(world, method));
    expectRefusal(reply, 'idempotency_key_required', requiredField('Idempotency-Key'));
    expect(await allEvents(world)).toHaveLength(0);
  });

  it.each([1, 7, 129, 1000])('with a key of %i characters is field_invalid', async (length) => {
    const reply = await create(world, method, { idempotencyKey: 'k'.repeat(length) });
    expectInvalid(reply, 'Idempotency-Key');
  });

  it.each([8, 9, 32, 127, 128])('with a key of %i characters is accepted', async (length) => {
    expect((await create(world, method, { idempotencyKey: 'k'.repeat(length) })).status).toBe(201);
  });

  it.each([
    [KEY, KEY],
    [KEY, 'another-key-of-mine'],
    ['', KEY],
  ])('with two keys, "%s" and "%s", is field_invalid', async (first, second) => {
    const headers = [
      ['Idempotency-Key', first],
      ['idempotency-key', second],
    ] as const;
    const reply = await world.post(routeOf(method), await validBody(world, method), { headers });
    expectInvalid(reply, 'Idempotency-Key');
  });

  it('repeated with the same key and body answers 201 with the same operation', async () => {
    const first = await create(world, method, { idempotencyKey: KEY });
    const balance = await balanceOf(world);
    const second = await create(world, method, { idempotencyKey: KEY });
    expect([second.status, second.json]).toEqual([201, first.json]);
    expect(await balanceOf(world)).toEqual(balance);
    expect((await allEvents(world)).length).toBeLessThanOrEqual(1);
  });

  it('is the same request in another order and spacing, and however the header is written', async () => {
    const body = { ...(await validBody(world, method)), metadata: { a: 1, b: { c: [1, 2], d: 'é' } } };
    const first = await world.post(routeOf(method), body, { idempotencyKey: KEY });
    const reversed = Object.fromEntries(
      Object.entries({ ...body, metadata: { b: { d: 'é', c: [1, 2] }, a: 1 } }).reverse(),
    );
    const headers = [['IDEMPOTENCY-KEY', KEY]] as const;
    const text = JSON.stringify(reversed, null, 2).replace('é', '\\u00e9');
    const second = await world.post(routeOf(method), text, { headers });
    expect([second.status, second.json.id]).toEqual([201, first.json.id]);
  });

  it.each([
    ['amount', '100.01'],
    ['amount', '100.000'],
    ['amount', undefined],
    ['reference', 'another'],
    ['metadata', { list: [2, 1] }],
    ['metadata', undefined],
    ['surprise', 1],
    ['country', 'XX'],
  ])('with the same key and %s changed to %j is idempotency_key_reused', async (path, value) => {
    const body = { ...(await validBody(world, method)), metadata: { list: [1, 2] } };
    const first = await world.post(routeOf(method), body, { idempotencyKey: KEY });
    expect(first.status).toBe(201);
    expectRefusal(
      await world.post(routeOf(method), changed(body, path, value), { idempotencyKey: KEY }),
      'idempotency_key_reused',
    );
    expect((await world.post(routeOf(method), body, { idempotencyKey: KEY })).json.id).toBe(first.json.id);
  });

  it('rejected leaves its key free', async () => {
    const body = await validBody(world, method);
    const { api_key: poor } = (await world.control('POST', '/keys', { scopes: ['saldos:leer'] })).json;
    const rejected = [
      await world.post(routeOf(method), '{', { idempotencyKey: KEY }),
      await world.post(routeOf(method), changed(body, 'amount', undefined), { idempotencyKey: KEY }),
      await world.post(routeOf(method), { ...body, amount: '99999999999999999.00' }, { idempotencyKey: KEY }),
      await world.post(routeOf(method), body, { idempotencyKey: KEY, key: poor }),
      await world.post(routeOf(method), body, { idempotencyKey: KEY, key: null }),
    ];
    expect(rejected.map(({ status }) => status)).toEqual([400, 400, expect.any(Number), 403, 401]);
    const free = await world.post(routeOf(method), body, {
      idempotencyKey: rejected[2]!.status === 201 ? 'another-free-key' : KEY,
    });
    expect(free.status).toBe(201);
  });

  it('is remembered for 30 days', async () => {
    const first = (await create(world, method, { idempotencyKey: KEY })).json;
    await advance(world, 30 * DAY - 1);
    expect((await create(world, method, { idempotencyKey: KEY })).json.id).toBe(first.id);
    await advance(world, 2);
    const later = await create(world, method, { idempotencyKey: KEY });
    expect(later.status).toBe(201);
    expect(later.json.id).not.toBe(first.id);
  });

  it('of another company with the same key is its own', async () => {
    const { api_key: key } = (await world.control('POST', '/keys', { company: 'other' })).json;
    const own = await create(world, method, { idempotencyKey: KEY });
    const other = await create(world, method, { idempotencyKey: KEY, key });
    expect(other.status).toBe(201);
    expect(other.json.id).not.toBe(own.json.id);
  });

  it('by another key of the same company with the same idempotency key is the same', async () => {
    const { api_key: key } = (await world.control('POST', '/keys', { company: 'default' })).json;
    const own = await create(world, method, { idempotencyKey: KEY });
    expect((await create(world, method, { idempotencyKey: KEY, key })).json.id).toBe(own.json.id);
  });
});

describe('a sandbox that remembers the keys of refused creates', () => {
  const METHOD = 'bank_transfer';
  const ROUTE = routeOf(METHOD);
  const remembering = { keysOfRefused: 'remember' } as const;

  it.each<[string, (body: Json) => unknown]>([
    ['field_required', (body) => changed(body, 'amount', undefined)],
    ['field_invalid', (body) => ({ ...body, surprise: 1 })],
    ['amount_out_of_range', (body) => ({ ...body, amount: '0.01' })],
    ['country_unsupported', (body) => ({ ...body, country: 'XX' })],
    ['currency_unsupported', (body) => ({ ...body, currency: 'XXX' })],
    ['method_unavailable', (body) => ({ ...body, method: 'debit_otp' })],
    ['body_invalid', () => '{'],
  ])('answers 409 for what is corrected after %s, and refuses the same once more', async (code, spoilt) => {
    const world = await openWorld(remembering);
    const body = await validBody(world, METHOD);
    const post = (sent: unknown, target = world): Promise<Reply> =>
      target.post(ROUTE, sent, { idempotencyKey: KEY });
    const first = await post(spoilt(body));
    expect([first.status, first.json.error.code]).toEqual([400, code]);
    for (const at of [world, await copyOf(world)]) {
      expectRefusal(await post(body, at), 'idempotency_key_reused');
      expect(await post(spoilt(body), at)).toMatchObject({ status: 400, json: first.json });
    }
    expect(await allEvents(world)).toHaveLength(0);
    expect((await world.post(ROUTE, body, { idempotencyKey: 'another-key-of-mine' })).status).toBe(201);
    await advance(world, 30 * DAY + 1);
    expect((await post(body)).status).toBe(201);
  });

  async function copyOf(world: World): Promise<World> {
    const copy = await openWorld({ seed: 'copy' });
    const { json } = await world.control('GET', '/state');
    const put = await copy.send('PUT', '/_control/state', { key: null, body: json });
    expect(put.status).toBe(200);
    return { ...copy, post: (path, body, call) => copy.post(path, body, { ...call, key: world.key }) };
  }

  it('forgets what is refused before its key is read, or may be another time', async () => {
    const world = await openWorld(remembering);
    const body = await validBody(world, METHOD);
    const { api_key: poor } = (await world.control('POST', '/keys', { scopes: ['saldos:leer'] })).json;
    await world.control('POST', '/faults', { route: 'payouts.create', status: 503 });
    const refused = [
      await world.post(ROUTE, body, { idempotencyKey: KEY }),
      await world.post(ROUTE, { ...body, amount: 'x' }, { idempotencyKey: KEY, key: poor }),
      await world.post(ROUTE, { ...body, amount: 'x' }, { idempotencyKey: KEY, key: null }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([503, 403, 401]);
    expect((await world.post(ROUTE, body, { idempotencyKey: KEY })).status).toBe(201);
  });

  it('keeps the payment of a key that was refused later', async () => {
    const world = await openWorld(remembering);
    const body = await validBody(world, METHOD);
    const { json } = await world.post(ROUTE, body, { idempotencyKey: KEY });
    for (const spoilt of ['{', changed(body, 'amount', undefined)])
      expect([400, 409]).toContain((await world.post(ROUTE, spoilt, { idempotencyKey: KEY })).status);
    expect((await world.post(ROUTE, body, { idempotencyKey: KEY })).json.id).toBe(json.id);
  });
});

describe('a replay', () => {
  it('answers the operation as it is now', async () => {
    const { id } = (await create(world, 'incoming_transfer', { idempotencyKey: KEY })).json;
    const cancelled = (await world.post(`/v2/payins/${id}/cancel`)).json;
    const replay = await create(world, 'incoming_transfer', { idempotencyKey: KEY });
    expect([replay.status, replay.json]).toEqual([201, cancelled]);
  });

  it('requests no further code', async () => {
    const first = (await create(world, 'debit_otp', { idempotencyKey: KEY })).json;
    await advance(world, 60);
    for (let sent = 0; sent < 7; sent++) await create(world, 'debit_otp', { idempotencyKey: KEY });
    const replay = (await create(world, 'debit_otp', { idempotencyKey: KEY })).json;
    expect(msOf(replay.code_expires_at)).toBe(msOf(first.code_expires_at));
    for (let sent = 0; sent < 5; sent++)
      expect((await world.post(`/v2/payins/${first.id}/resend-code`)).status).toBe(200);
  });
});

describe('one key', () => {
  it.each([
    ['debit_otp', 'bank_transfer'],
    ['bank_transfer', 'debit_otp'],
  ])('is one over both routes: %s, then %s', async (first, second) => {
    expect((await create(world, first, { idempotencyKey: KEY })).status).toBe(201);
    expectRefusal(await create(world, second, { idempotencyKey: KEY }), 'idempotency_key_reused');
  });

  it('is not one over both routes even with the same bytes', async () => {
    const body = await validBody(world, 'bank_transfer');
    expect((await world.post('/v2/payouts', body, { idempotencyKey: KEY })).status).toBe(201);
    expectRefusal(await world.post('/v2/payins', body, { idempotencyKey: KEY }), 'idempotency_key_reused');
  });

  it('tells keys apart by case', async () => {
    const lower = (await create(world, 'bank_transfer', { idempotencyKey: 'abcdefgh' })).json.id;
    expect((await create(world, 'bank_transfer', { idempotencyKey: 'ABCDEFGH' })).json.id).not.toBe(lower);
  });
});
